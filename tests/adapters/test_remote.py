"""The source's remote: asked by git itself, and never by a program that an address could name."""

from pathlib import Path

import pytest

from release.adapters.remote import Remote
from release.errors import Refused, Unavailable
from release.values import TagName
from support import SourceRepository

V1 = TagName("v1")


@pytest.fixture
def filled(source: SourceRepository) -> SourceRepository:
    source.commit({"a": "1\n"})
    source.tag("v1")
    source.tag("light", message=None)
    return source


def remote(base: Path, **transport: str) -> Remote:
    return Remote(base, transport)


def test_an_annotated_tag_is_told_with_its_commit(filled: SourceRepository) -> None:
    told = remote(filled.path.parent).tag(str(filled.path), V1)
    assert told == (filled.git("rev-parse", "refs/tags/v1"), filled.git("rev-parse", "HEAD"))


def test_a_lightweight_tag_is_its_commit(filled: SourceRepository) -> None:
    head = filled.git("rev-parse", "HEAD")
    assert remote(filled.path).tag(str(filled.path), TagName("light")) == (head, head)


def test_a_tag_that_is_not_there_is_none(filled: SourceRepository) -> None:
    """Not even where a branch, or a longer name, ends like it."""
    filled.git("branch", "v2")
    filled.git("tag", "x/refs/tags/v2")
    assert remote(filled.path).tag(str(filled.path), TagName("v2")) is None


@pytest.mark.parametrize("form", ["{path}", "file://{path}", "source", "./source", "../{parent}/source"])
def test_files_are_asked_by_address_or_by_path_from_the_repository(filled: SourceRepository, form: str) -> None:
    base = filled.path.parent
    assert remote(base).tag(form.format(path=filled.path, parent=base.name), V1) is not None


def test_ssh_runs_the_users_own_command(filled: SourceRepository, tmp_path: Path) -> None:
    """The command line took it out of the environment; asking a remote is what it is for."""
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    for url in (f"host:{filled.path}", f"git@host:{filled.path}", f"ssh://git@host{filled.path}"):
        assert remote(tmp_path, GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="simple").tag(url, V1) is not None


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch {canary}'",
        "ext::sh%20-c touch% {canary}",
        "fd::3",
        "git://example.com/a",
        "http://example.com/a",
        "http://127.0.0.1.example.com/a",
        "ftp://example.com/a",
        "EXT::touch {canary}",
        "transport-helper::x",
        "-oProxyCommand=touch {canary}://x",
        "--upload-pack=touch {canary}",
        "-u",
        "HTTPS://example.com",
    ],
)
def test_an_address_that_could_run_a_program_or_be_read_by_others_is_refused(tmp_path: Path, url: str) -> None:
    canary = tmp_path / "canary"
    with pytest.raises(Refused, match="only https, ssh and files"):
        remote(tmp_path).tag(url.format(canary=canary), V1)
    assert not canary.exists()


@pytest.mark.parametrize(
    "url",
    ["-oProxyCommand=touch$IFS{canary}:x", "ssh://-oProxyCommand=touch%20{canary}/x", "nowhere", "/nonexistent", ""],
)
def test_an_address_that_leads_nowhere_is_unavailable_and_runs_nothing(tmp_path: Path, url: str) -> None:
    canary = tmp_path / "canary"
    with pytest.raises((Unavailable, Refused)):
        remote(tmp_path).tag(url.format(canary=canary), V1)
    assert not canary.exists()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/a", "http://localhost:9/a", "https://127.0.0.1:9/a"])
def test_a_remote_that_does_not_answer_is_unavailable(tmp_path: Path, url: str) -> None:
    with pytest.raises(Unavailable, match="did not answer"):
        remote(tmp_path).tag(url, V1)


@pytest.mark.parametrize("url", ["https://user:hf_secret@127.0.0.1:9/a", "http://user:hf_secret@example.com/a"])
def test_no_credentials_are_in_what_is_said(tmp_path: Path, url: str) -> None:
    with pytest.raises((Unavailable, Refused)) as caught:
        remote(tmp_path).tag(url, V1)
    assert "secret" not in caught.value.message


def test_without_git_a_remote_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="did not answer"):
        remote(tmp_path).tag("somewhere", V1)


def test_the_configuration_of_the_repository_has_no_say(filled: SourceRepository, tmp_path: Path) -> None:
    """It could send an innocent address to a program."""
    canary = tmp_path / "canary"
    filled.git("config", f"url.ext::touch {canary}.insteadOf", str(filled.path))
    filled.git("config", "protocol.allow", "always")
    assert remote(filled.path).tag(str(filled.path), V1) is not None
    assert not canary.exists()
