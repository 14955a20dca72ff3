"""What is kept, and where: the same after a restart, nobody's else, and real git."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from hf_command import TOKEN
from huggingface_hub import CommitOperationAdd, HfApi

from release.errors import Unavailable, UsageError
from release.rehearsal import EmbeddedHub
from release.rehearsal.answers import HubError

ALIAS = "feea018b31f89dc0950e61da42577a7a4ab09169"
HEADERS = {"authorization": f"Bearer {TOKEN}"}


def test_a_restart_shows_the_same_repositories(tmp_path: Path) -> None:
    with EmbeddedHub(tmp_path / "hub") as hub:
        api = HfApi(endpoint=hub.url, token=TOKEN)
        api.create_repo("me/model", private=True)
        api.create_commit("me/model", [CommitOperationAdd("a.txt", b"a")], commit_message="Add")
        api.upload_file(repo_id="me/model", path_in_repo="large.bin", path_or_fileobj=b"large" * 1000)
        api.create_discussion("me/model", "A question")
        api.create_pull_request("me/model", "A draft")
        api.create_tag("me/model", tag="v1")
        httpx2.post(f"{hub.url}/api/models/me/model/like", headers=HEADERS)
        api.move_repo("me/model", "me/moved")
        hub.store.seed("up/stream", {"t.jinja": b"t"}, alias=ALIAS)
        before = (
            api.model_info("me/moved"),
            list(api.get_repo_discussions("me/moved")),
            api.list_repo_refs("me/moved"),
        )
        files = list(api.list_lfs_files("me/moved"))
    with EmbeddedHub(tmp_path / "hub") as hub:
        api = HfApi(endpoint=hub.url, token=TOKEN)
        after = (api.model_info("me/moved"), list(api.get_repo_discussions("me/moved")), api.list_repo_refs("me/moved"))
        assert after[0] == before[0]
        assert [(each.num, each.title, each.status) for each in after[1]] == [
            (2, "A draft", "draft"),
            (1, "A question", "open"),
        ]
        assert after[2] == before[2]
        assert list(api.list_lfs_files("me/moved")) == files
        assert after[0].private
        assert after[0].likes == 1
        assert api.model_info("me/model").id == "me/moved"
        assert api.model_info("up/stream").sha == ALIAS
        path = api.hf_hub_download("me/moved", "large.bin", cache_dir=tmp_path / "cache")
        assert Path(path).read_bytes() == b"large" * 1000


def test_a_directory_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="not empty") as refused, EmbeddedHub(tmp_path):
        pass
    assert refused.value.hint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.tex"]


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hub.json").write_text('{"format": "release.rehearsal", "version": 2}')
    with pytest.raises(UsageError, match="another version"), EmbeddedHub(tmp_path):
        pass


def test_a_store_is_open_once(tmp_path: Path) -> None:
    second = EmbeddedHub(tmp_path / "hub")
    with EmbeddedHub(tmp_path / "hub"), pytest.raises(Unavailable, match="another embedded Hub"):
        second.start()
    with EmbeddedHub(tmp_path / "hub") as hub:
        assert httpx2.get(f"{hub.url}/api/models").json() == []


def test_a_port_that_is_taken_is_said_so_and_the_store_is_closed(hub: EmbeddedHub, tmp_path: Path) -> None:
    port = int(hub.url.rpartition(":")[2])
    with pytest.raises(Unavailable, match=f"port {port}"), EmbeddedHub(tmp_path / "hub", port):
        pass
    with EmbeddedHub(tmp_path / "hub"):
        pass


def test_a_seeded_alias_is_a_revision_everywhere(hub: EmbeddedHub, api: HfApi, name: str, tmp_path: Path) -> None:
    template = b"{{ messages }}\n"
    shown = hub.store.seed(f"up/{name}", {"chat_template.jinja": template, "model.bin": b"weights"}, alias=ALIAS)
    assert shown == ALIAS
    assert api.model_info(f"up/{name}").sha == ALIAS
    assert api.model_info(f"up/{name}", revision=ALIAS).sha == ALIAS
    assert set(api.list_repo_files(f"up/{name}", revision=ALIAS)) == {
        ".gitattributes",
        "chat_template.jinja",
        "model.bin",
    }
    assert api.list_repo_commits(f"up/{name}")[0].commit_id == ALIAS
    assert api.list_repo_refs(f"up/{name}").branches[0].target_commit == ALIAS
    for revision in ("main", ALIAS):
        answer = httpx2.get(f"{hub.url}/up/{name}/resolve/{revision}/chat_template.jinja")
        assert (answer.content, answer.headers["x-repo-commit"]) == (template, ALIAS)
    path = Path(api.snapshot_download(f"up/{name}", revision=ALIAS, cache_dir=tmp_path))
    assert path.name == ALIAS
    assert hashlib.sha256((path / "model.bin").read_bytes()).hexdigest() == hashlib.sha256(b"weights").hexdigest()
    # A commit may be built on it, under the id that it is known by.
    operations = [CommitOperationAdd("new.txt", b"new")]
    api.create_commit(f"up/{name}", operations, commit_message="On top", parent_commit=ALIAS)


def test_files_are_seeded_from_bytes_and_from_disk(hub: EmbeddedHub, api: HfApi, name: str, tmp_path: Path) -> None:
    (tmp_path / "on-disk.bin").write_bytes(b"disk" * 1000)
    (tmp_path / "on-disk.txt").write_bytes(b"disk")
    files = {"a.bin": tmp_path / "on-disk.bin", "a.txt": tmp_path / "on-disk.txt", "b.txt": b"bytes"}
    hub.store.seed(f"me/{name}", files, message="First\n\nWith a body")
    assert api.list_repo_commits(f"me/{name}")[0].message == "With a body"
    found = {entry.path: entry for entry in api.list_repo_tree(f"me/{name}")}
    assert found["a.bin"].lfs.sha256 == hashlib.sha256(b"disk" * 1000).hexdigest()
    assert found["a.txt"].size == 4
    assert [file.filename for file in api.list_lfs_files(f"me/{name}")] == ["a.bin"]


def test_an_impossible_id_cannot_be_seeded(hub: EmbeddedHub) -> None:
    with pytest.raises(HubError, match="Invalid repository name"):
        hub.store.seed("../outside", {"a.txt": b"a"})


def test_a_repository_can_be_cloned_and_pushed_to_with_git(
    hub: EmbeddedHub, api: HfApi, name: str, tmp_path: Path
) -> None:
    """The bare repository is one like any other."""
    hub.store.seed(f"me/{name}", {"a.txt": b"a"})
    bare = hub.store.directory / "repositories" / "models" / "me" / f"{name}.git"
    clone = tmp_path / "clone"

    def git(*arguments: str, cwd: Path = tmp_path) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)

    git("clone", str(bare), str(clone))
    (clone / "b.txt").write_text("pushed")
    git("add", "b.txt", cwd=clone)
    git("commit", "-m", "Pushed", cwd=clone)
    git("push", "origin", "main", cwd=clone)
    assert "b.txt" in api.list_repo_files(f"me/{name}")
    git("fsck", "--strict", cwd=bare)


def test_the_users_git_configuration_has_no_say(tmp_path: Path) -> None:
    """Neither a template with hooks, nor a signing key, nor another object format."""
    home = tmp_path / "home"
    (home / "template" / "hooks").mkdir(parents=True)
    (home / "template" / "hooks" / "reference-transaction").write_text("#!/bin/sh\nexit 1\n")
    (home / "template" / "hooks" / "reference-transaction").chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[init]\ntemplateDir={home}/template\ndefaultBranch=trunk\n[commit]\ngpgSign=true\n[core]\nautocrlf=true\n"
    )
    script = (
        "import sys; from pathlib import Path; from release.rehearsal.store import Store\n"
        "store = Store(Path(sys.argv[1])); print(store.seed('me/model', {'a.txt': b'a\\r\\n'})); store.close()"
    )
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "HOME": str(home),
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "GIT_AUTHOR_NAME": "Somebody",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "hub")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    bare = tmp_path / "hub" / "repositories" / "models" / "me" / "model.git"
    shown = subprocess.run(
        ["git", f"--git-dir={bare}", "show", "-s", "--format=%an %H", "main"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == ["rehearsal", done.stdout.strip()]


def test_without_git_there_is_no_store(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from release.rehearsal.store import Store; Store(Path(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(tmp_path / "hub")]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("Unavailable: git is not installed")
    assert not (tmp_path / "hub").exists()


def test_no_token_is_on_disk(tmp_path: Path) -> None:
    accounts = tmp_path / "accounts.toml"
    accounts.write_text('[users.alice]\ntokens = ["hf_very_secret"]\n')
    with EmbeddedHub(tmp_path / "hub", accounts=accounts) as hub:
        api = HfApi(endpoint=hub.url, token="hf_very_secret")
        api.create_repo("alice/model")
        api.create_commit("alice/model", [CommitOperationAdd("a.txt", b"a")], commit_message="Add")
        api.create_discussion("alice/model", "A question")
    for path in (tmp_path / "hub").rglob("*"):
        assert not path.is_file() or b"hf_very_secret" not in path.read_bytes()


def test_a_record_survives_what_was_written_by_hand(tmp_path: Path) -> None:
    """The files are meant to be looked at: JSON, one repository a folder."""
    with EmbeddedHub(tmp_path / "hub") as hub:
        hub.store.seed("me/model", {"a.txt": b"a"})
    record = tmp_path / "hub" / "repositories" / "models" / "me" / "model.git" / "record.json"
    content = json.loads(record.read_text())
    assert (content["namespace"], content["name"], content["visibility"]) == ("me", "model", "public")
    record.write_text(json.dumps({**content, "visibility": "private"}))
    with EmbeddedHub(tmp_path / "hub") as hub:
        assert HfApi(endpoint=hub.url, token=TOKEN).model_info("me/model").private
