"""Git in a repository that was damaged or made by an enemy: damage is named, and nothing is run or believed."""

import os
import signal
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.adapters.git import GitRepository
from release.errors import Refused, Unavailable
from release.values import Oid
from support import SourceRepository, release_process

CHUNK = 1 << 20


def blob_of(repository: SourceRepository, path: str, commit: str = "HEAD") -> Oid:
    return Oid(repository.git("rev-parse", f"{commit}:{path}"))


def children() -> set[int]:
    """The processes that this one started and that are still there."""
    pids = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for path in pids for pid in path.read_text().split()}


def content_of(git: GitRepository, *oids: Oid) -> list[bytes]:
    return [b"".join(blob.chunks) for blob in git.blobs(oids)]


@pytest.fixture
def filled(source: SourceRepository) -> SourceRepository:
    source.commit({"a.txt": "one\n", "d/b": b"\0\xff"})
    source.commit({"a.txt": "$Id$ $Format:%H$\ntwo \n", "c": "x\n"})
    source.tag("v1")
    return source


@pytest.fixture
def git(filled: SourceRepository) -> Iterator[GitRepository]:
    with GitRepository(filled.path) as opened:
        yield opened


def _object_file(repository: SourceRepository, oid: Oid) -> Path:
    path = repository.path / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


def test_a_missing_object_is_named(git: GitRepository) -> None:
    missing = Oid("9" * 40)
    for ask in (lambda: git.object(missing), lambda: content_of(git, missing)):
        with pytest.raises(Unavailable, match=f"{missing} is missing"):
            ask()


def test_a_missing_tree_is_named(git: GitRepository) -> None:
    missing = Oid("9" * 40)
    with pytest.raises(Unavailable, match=missing):
        list(git.listing(missing))
    with pytest.raises(Unavailable, match=missing):
        git.diff(missing, missing)


def test_a_damaged_object_is_named_and_the_next_is_read(filled: SourceRepository, git: GitRepository) -> None:
    """Git itself ends at such an object; a new one is started."""
    damaged = blob_of(filled, "a.txt")
    _object_file(filled, damaged).write_bytes(b"not zlib")
    for ask in (lambda: git.object(damaged), lambda: content_of(git, damaged)):
        with pytest.raises(Unavailable, match=damaged):
            ask()
    assert git.object(blob_of(filled, "d/b")) == ("blob", b"\0\xff")


@pytest.mark.parametrize("size", [4, CHUNK + 1])
def test_an_object_with_other_bytes_than_its_name_says_is_named(source: SourceRepository, size: int) -> None:
    source.commit({"a": b"x" * size, "b": b"y" * size})
    one, other = blob_of(source, "a"), blob_of(source, "b")
    swapped = zlib.compress(b"blob %d\0" % size + b"z" * size)
    _object_file(source, one).write_bytes(swapped)
    with GitRepository(source.path) as git:
        for ask in (lambda: git.object(one), lambda: content_of(git, other, one)):
            with pytest.raises(Unavailable, match=one):
                ask()


def test_a_large_damaged_blob_never_comes_whole(source: SourceRepository) -> None:
    """Whoever writes it down as it streams learns of the damage before the end."""
    size = CHUNK * 3
    source.commit({"a": b"x" * size})
    oid = blob_of(source, "a")
    _object_file(source, oid).write_bytes(zlib.compress(b"blob %d\0" % size + b"x" * (size - 1) + b"!"))
    received: list[bytes] = []
    with GitRepository(source.path) as git:
        blobs = git.blobs([oid])
        with pytest.raises(Unavailable, match=oid):
            received.extend(next(blobs).chunks)
    assert sum(map(len, received)) < size


@pytest.mark.parametrize("size", [5000, CHUNK * 3])
def test_an_object_that_ends_too_early_is_named_and_the_next_is_read(source: SourceRepository, size: int) -> None:
    """Of a large one, git has sent a part when it finds out."""
    source.commit({"a": bytes(range(256)) * (size // 256), "b": "after\n"})
    oid = blob_of(source, "a")
    path = _object_file(source, oid)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with GitRepository(source.path) as git:
        for ask in (lambda: git.object(oid), lambda: content_of(git, oid)):
            with pytest.raises(Unavailable, match=oid):
                ask()
        assert git.object(blob_of(source, "b")) == ("blob", b"after\n")


def test_a_git_that_died_between_two_questions_is_started_again(filled: SourceRepository, git: GitRepository) -> None:
    oid = blob_of(filled, "c")
    before = children()
    git.object(oid)
    (reader,) = children() - before
    os.kill(reader, signal.SIGKILL)
    with pytest.raises(Unavailable, match=oid):
        git.object(oid)
    assert git.object(oid) == ("blob", b"x\n")


def test_without_git_it_is_said_what_to_install(filled: SourceRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    oid = blob_of(filled, "c")
    with GitRepository(filled.path) as git:
        monkeypatch.setenv("PATH", "/nonexistent")
        for ask in (lambda: git.object(oid), lambda: git.ref("refs/tags/v1"), lambda: GitRepository(filled.path)):
            with pytest.raises(Unavailable, match="`git` cannot be run"):
                ask()


class Canary:
    """Programs of an enemy, and what shows that one of them ran."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._sang = folder / "sang"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\necho $0 $@ >> {self._sang}\nexec cat\n")
        self.program.chmod(0o755)
        self.hooks = folder / "hooks"
        self.hooks.mkdir()
        for name in ("reference-transaction", "post-checkout", "post-index-change", "fsmonitor-watchman", "pre-commit"):
            (self.hooks / name).symlink_to(self.program)

    @property
    def sang(self) -> bool:
        return self._sang.exists()


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    return Canary(tmp_path / "canary")


PROGRAMS = [
    "core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass",
    "core.alternateRefsCommand", "sequence.editor", "credential.helper", "diff.external", "diff.evil.command",
    "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver",
    "gpg.program", "gpg.ssh.program", "uploadpack.packObjectsHook", "pager.show-ref", "pager.rev-parse",
    "interactive.diffFilter",
]  # fmt: skip
ALIASES = ["cat-file", "ls-tree", "diff-tree", "show-ref", "rev-parse", "config", "symbolic-ref", "version"]
ATTRIBUTES = "* text eol=crlf ident export-subst export-ignore filter=evil diff=evil merge=evil whitespace=indent\n"


def make_hostile(repository: SourceRepository, canary: Canary, tmp_path: Path) -> None:
    """Whatever a repository can hold that makes git run a program, or read something else than its objects."""
    old, new = blob_of(repository, "a.txt", "HEAD~1"), blob_of(repository, "a.txt")
    repository.git("replace", new, old)
    repository.git("replace", "HEAD", "HEAD~1")
    inside = repository.path / ".git"
    repository.write({".gitattributes": ATTRIBUTES, "a.txt": "dirty\n", ".git/info/attributes": ATTRIBUTES})
    (inside / "info/grafts").write_text(repository.git("rev-parse", "HEAD") + "\n")
    (inside / "objects/info/alternates").write_text(str(tmp_path / "nowhere") + "\n")
    included = tmp_path / "included"
    included.write_text(f"[core]\nfsmonitor = {canary.program}\nbigFileThreshold = 1\n")
    for key in PROGRAMS:
        repository.git("config", key, str(canary.program))
    for name in ALIASES:
        repository.git("config", f"alias.{name}", f"!{canary.program}")
    for key, value in {
        "core.hooksPath": str(canary.hooks),
        "core.attributesFile": str(repository.path / ".gitattributes"),
        "core.autocrlf": "true",
        "core.ignoreCase": "true",
        "core.quotePath": "false",
        "core.abbrev": "4",
        "color.ui": "always",
        "diff.renames": "false",
        "include.path": str(included),
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{canary.program}",
        "remote.origin.promisor": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "core.worktree": str(tmp_path),
    }.items():
        repository.git("config", key, value)


def all_answers(repository: SourceRepository, new: Oid, old: Oid) -> list[object]:
    """What a release asks of git, and the answers."""
    with GitRepository(repository.path) as git:
        listing = list(git.listing(new))
        tag = git.ref("refs/tags/v1")
        assert tag is not None
        return [
            git.top, tag, git.object(tag), git.commit("v1"), git.ref("refs/heads/main"), git.ref("refs/tags/v2"),
            listing, content_of(git, *[item.oid for item in listing]), git.diff(old, new), git.is_shallow(),
        ]  # fmt: skip


def test_a_hostile_repository_runs_nothing_and_changes_no_answer(
    filled: SourceRepository, canary: Canary, tmp_path: Path
) -> None:
    new, old = (Oid(filled.git("rev-parse", f"{commit}^{{tree}}")) for commit in ("HEAD", "HEAD~1"))
    before = all_answers(filled, new, old)
    make_hostile(filled, canary, tmp_path)
    assert (all_answers(filled, new, old), canary.sang) == (before, False)


def test_a_missing_object_is_not_fetched_by_a_program(filled: SourceRepository, canary: Canary, tmp_path: Path) -> None:
    """The configuration promises a remote that has everything, behind a transport that runs a program."""
    make_hostile(filled, canary, tmp_path)
    missing = Oid("9" * 40)
    with GitRepository(filled.path) as git:
        assert git.commit(missing) is None
        with pytest.raises(Unavailable, match=f"{missing} is missing"):
            git.object(missing)
    assert not canary.sang


def test_the_canary_of_these_tests_would_sing(filled: SourceRepository, canary: Canary, tmp_path: Path) -> None:
    """An ordinary command in the same repository runs the enemy's programs."""
    make_hostile(filled, canary, tmp_path)
    subprocess.run(["git", "status"], cwd=filled.path, capture_output=True, check=False)
    assert canary.sang


@pytest.mark.parametrize("folder", ["nowhere", "../nowhere", "/nonexistent"])
def test_a_configured_worktree_elsewhere_does_not_matter(filled: SourceRepository, folder: str) -> None:
    """Git itself would not even start with some of these."""
    tree = Oid(filled.git("rev-parse", "HEAD^{tree}"))
    _configure(filled, f"[core]\nworktree = {folder}\n")
    with GitRepository(filled.path) as git:
        assert (git.top, len(list(git.listing(tree)))) == (filled.path, 3)


def _configure(repository: SourceRepository, text: str) -> None:
    """As an enemy would, who need not ask git."""
    with (repository.path / ".git/config").open("a") as settings:
        settings.write(text)


def test_the_environment_of_git_changes_nothing(filled: SourceRepository, canary: Canary, tmp_path: Path) -> None:
    """Through the command line, which takes it out."""
    filled.commit({"release.toml": 'repo = "acme/model"\nfiles = ["*"]\n'})
    filled.tag("v2")
    other = SourceRepository(tmp_path / "other")
    other.commit({"release.toml": 'repo = "acme/other"\nfiles = ["*"]\n'})
    other.tag("v2")
    clean = release_process(filled.path, "prepare", "v2", "--json").json
    traces = tmp_path / "traces"
    elsewhere = str(other.path / ".git")
    environment = {
        **dict.fromkeys(("GIT_DIR", "GIT_COMMON_DIR"), elsewhere),
        **dict.fromkeys(("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"), f"{elsewhere}/objects"),
        **dict.fromkeys(("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS"), str(canary.program)),
        **dict.fromkeys(("GIT_TRACE", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"), str(traces)),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": f"{elsewhere}/index",
        "GIT_EXEC_PATH": str(canary.hooks),
        "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": "/",
        "GIT_REPLACE_REF_BASE": "refs/x",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(canary.program),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={canary.program}'",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_DEFAULT_HASH": "sha256",
    }
    hostile = release_process(filled.path, "prepare", "v2", "--json", **environment).json
    assert (hostile, canary.sang, traces.exists()) == (clean, False, False)


@pytest.fixture
def strangers(filled: SourceRepository, monkeypatch: pytest.MonkeyPatch) -> SourceRepository:
    """A repository that belongs to somebody else, as far as git can tell."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    return filled


def test_a_repository_of_somebody_else_is_refused_with_the_way_to_trust_it(strangers: SourceRepository) -> None:
    with pytest.raises(Refused, match="dubious ownership") as caught:
        GitRepository(strangers.path)
    assert caught.value.hint.endswith(f"--add safe.directory {strangers.path}")


@pytest.mark.parametrize(
    ("lines", "trusted"),
    [
        (["{path}"], True),
        (["*"], True),
        (["/elsewhere", "{path}"], True),
        (["/elsewhere"], False),
        (["*", ""], False),
        (["", "{path}"], True),
    ],
)
def test_whom_the_user_trusts_is_trusted(
    strangers: SourceRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lines: list[str], trusted: bool
) -> None:
    """An empty value takes back all that came before it."""
    users = tmp_path / "gitconfig"
    users.write_text("[safe]\n" + "".join(f'directory = "{line.format(path=strangers.path)}"\n' for line in lines))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(users))
    try:
        with GitRepository(strangers.path) as git:
            assert (git.ref("refs/heads/main") is not None, trusted) == (True, True)
    except Refused:
        assert not trusted


def test_what_the_repository_says_of_its_own_safety_does_not_count(strangers: SourceRepository) -> None:
    _configure(strangers, "[safe]\ndirectory = *\n")
    with pytest.raises(Refused, match="dubious ownership"):
        GitRepository(strangers.path)
