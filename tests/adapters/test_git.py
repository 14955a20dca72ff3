"""Git objects of a source repository: every kind of repository, every kind of damage."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.adapters.git import GitRepository
from release.errors import Refused, Unavailable, UsageError
from release.values import Mode, Oid
from support import SourceRepository

# Each is read as one; git's own stream is cut into pieces of this size.
CHUNK = 1 << 20


def children() -> set[int]:
    """The processes that this one started and that are still there."""
    pids = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for path in pids for pid in path.read_text().split()}


def blob_of(repository: SourceRepository, path: str) -> Oid:
    return Oid(repository.git("rev-parse", f"HEAD:{path}"))


def tree_of(repository: SourceRepository) -> Oid:
    return Oid(repository.git("rev-parse", "HEAD^{tree}"))


def content_of(git: GitRepository, *oids: Oid) -> list[bytes]:
    return [b"".join(blob.chunks) for blob in git.blobs(oids)]


@pytest.fixture
def filled(source: SourceRepository) -> SourceRepository:
    source.commit({"a.txt": "one\n", "d/b": b"\0\xff", "empty": b"", "run.sh": "#!/bin/sh\n"})
    (source.path / "run.sh").chmod(0o755)
    source.commit({})
    source.tag("v1")
    return source


@pytest.fixture
def git(filled: SourceRepository) -> Iterator[GitRepository]:
    with GitRepository(filled.path) as opened:
        yield opened


def test_a_repository_is_found_from_any_folder_in_it(filled: SourceRepository) -> None:
    with GitRepository(filled.path / "d") as git:
        assert (git.top, git.is_shallow()) == (filled.path, False)


def test_a_folder_outside_of_any_repository_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not inside a git repository"):
        GitRepository(tmp_path)


def test_an_empty_folder_called_git_is_looked_past(filled: SourceRepository) -> None:
    (filled.path / "d/.git").mkdir()
    with GitRepository(filled.path / "d") as git:
        assert git.top == filled.path


def test_a_git_folder_that_git_does_not_recognise_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises(UsageError, match="not inside a git repository"):
        GitRepository(tmp_path)


def test_a_git_file_that_leads_nowhere_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nonexistent\n")
    with pytest.raises(UsageError, match="not inside a git repository"):
        GitRepository(tmp_path)


def test_a_repository_of_an_unknown_kind_is_unavailable(filled: SourceRepository) -> None:
    filled.git("config", "core.repositoryFormatVersion", "99")
    with pytest.raises(Unavailable, match="cannot read the repository"):
        GitRepository(filled.path)


def test_a_listing_holds_every_file_in_the_order_of_its_bytes(source: SourceRepository) -> None:
    paths = ["a/b", "a.b", "a-b", "a", "B", "é", "z/y/x"]
    source.commit({path if path != "a" else "ab": b"" for path in paths})
    with GitRepository(source.path) as git:
        listed = [item.path for item in git.listing(tree_of(source))]
    assert listed == sorted((path if path != "a" else "ab" for path in paths), key=str.encode)


def test_modes_are_told_and_links_and_submodules_only_listed(filled: SourceRepository) -> None:
    (filled.path / "link").symlink_to("/etc/passwd")
    filled.git("add", "link")
    filled.git("update-index", "--add", "--cacheinfo", f"160000,{'9' * 40},sub")
    with GitRepository(filled.path) as git:
        listed = {item.path: (item.mode, item.is_file) for item in git.listing(Oid(filled.git("write-tree")))}
    assert listed == {
        "a.txt": (Mode.REGULAR, True),
        "d/b": (Mode.REGULAR, True),
        "empty": (Mode.REGULAR, True),
        "run.sh": (Mode.EXECUTABLE, True),
        "link": (Mode.SYMLINK, False),
        "sub": (Mode.SUBMODULE, False),
    }


@pytest.mark.parametrize("name", [b"new\nline", b"\xff\xfe", b"ta\tb", b'qu"ote', "e\u0301".encode(), b"back\\slash"])
def test_a_listing_takes_any_name_that_git_takes(filled: SourceRepository, name: bytes) -> None:
    line = b"100644 blob %b\t%b\0" % (blob_of(filled, "a.txt").encode(), name)
    made = subprocess.run(["git", "mktree", "-z"], cwd=filled.path, input=line, capture_output=True, check=True)
    with GitRepository(filled.path) as git:
        assert [os.fsencode(item.path) for item in git.listing(Oid(made.stdout.decode().strip()))] == [name]


def _raw_tree(repository: SourceRepository, *entries: tuple[bytes, bytes, str]) -> Oid:
    content = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        cwd=repository.path,
        input=content,
        capture_output=True,
        check=True,
    )
    return Oid(made.stdout.decode().strip())


def test_old_permissions_mean_what_git_takes_them_for(filled: SourceRepository, git: GitRepository) -> None:
    blob = blob_of(filled, "a.txt")
    made = _raw_tree(filled, (b"100664", b"a", blob), (b"100775", b"b", blob))
    assert [item.mode for item in git.listing(made)] == [Mode.REGULAR, Mode.EXECUTABLE]


def test_a_tree_that_holds_a_name_twice_is_unavailable(filled: SourceRepository, git: GitRepository) -> None:
    """Which of the two is meant depends on the reader."""
    made = _raw_tree(filled, (b"100644", b"a", blob_of(filled, "a.txt")), (b"100644", b"a", blob_of(filled, "empty")))
    with pytest.raises(Unavailable, match="'a' twice"):
        list(git.listing(made))


def test_a_tree_in_the_place_of_a_file_is_unavailable(filled: SourceRepository, git: GitRepository) -> None:
    with pytest.raises(Unavailable, match="is a tree, where the tree has a file"):
        content_of(git, tree_of(filled))


def test_objects_are_read_with_their_kind(filled: SourceRepository, git: GitRepository) -> None:
    tag = git.ref("refs/tags/v1")
    assert tag is not None
    kind, content = git.object(tag)
    assert (kind, b"\ntag v1\n" in content) == ("tag", True)
    assert git.object(blob_of(filled, "d/b")) == ("blob", b"\0\xff")
    assert git.object(blob_of(filled, "empty")) == ("blob", b"")


def test_blobs_come_in_the_order_asked_for_and_as_often(filled: SourceRepository, git: GitRepository) -> None:
    one, other = blob_of(filled, "a.txt"), blob_of(filled, "d/b")
    assert content_of(git, other, one, other) == [b"\0\xff", b"one\n", b"\0\xff"]


def test_no_blobs_are_asked_for_without_starting_git(git: GitRepository) -> None:
    before = children()
    assert (list(git.blobs([])), children()) == ([], before)


@pytest.mark.parametrize("size", [500_000, CHUNK - 1, CHUNK, CHUNK + 1, 5_000_000])
def test_a_blob_streams_in_chunks(source: SourceRepository, size: int) -> None:
    content = os.urandom(1000) * (size // 1000 + 1)
    source.commit({"a": content[:size], "b": "after\n"})
    with GitRepository(source.path) as git:
        read = [(blob.size, list(blob.chunks)) for blob in git.blobs([blob_of(source, "a"), blob_of(source, "b")])]
    assert (read[0][0], b"".join(read[0][1]), read[1]) == (size, content[:size], (6, [b"after\n"]))
    assert max(map(len, read[0][1])) <= CHUNK


@pytest.mark.parametrize("packed", [False, True])
def test_packed_and_loose_objects_read_alike(filled: SourceRepository, packed: bool) -> None:
    if packed:
        filled.git("gc", "--quiet", "--prune=now")
    with GitRepository(filled.path) as git:
        assert git.ref("refs/tags/v1") == filled.git("rev-parse", "refs/tags/v1")
        assert content_of(git, blob_of(filled, "a.txt")) == [b"one\n"]


def test_a_sha256_repository_is_read_and_hashed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(tmp_path / "other")], check=True)
    source = SourceRepository(tmp_path / "other")
    source.commit({"a": "one\n", "large": b"x" * (CHUNK + 5)})
    source.tag("v1")
    with GitRepository(source.path) as git:
        assert len(git.ref("refs/tags/v1") or "") == 64
        assert [len(content) for content in content_of(git, blob_of(source, "a"), blob_of(source, "large"))] == [
            4,
            CHUNK + 5,
        ]


def test_a_linked_worktree_is_a_repository_too(filled: SourceRepository, tmp_path: Path) -> None:
    """Its `.git` is a file."""
    filled.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    with GitRepository(tmp_path / "linked") as git:
        assert (git.top, git.ref("refs/tags/v1")) == (tmp_path / "linked", filled.git("rev-parse", "refs/tags/v1"))
        assert content_of(git, blob_of(filled, "a.txt")) == [b"one\n"]


def test_a_git_folder_elsewhere_is_found_through_its_file(filled: SourceRepository, tmp_path: Path) -> None:
    filled.git("init", "--quiet", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    with GitRepository(filled.path) as git:
        assert content_of(git, blob_of(filled, "a.txt")) == [b"one\n"]


def test_objects_that_are_borrowed_from_another_repository_are_read(filled: SourceRepository, tmp_path: Path) -> None:
    borrower = tmp_path / "borrower"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(filled.path), str(borrower)], check=True)
    with GitRepository(borrower) as git:
        assert content_of(git, blob_of(filled, "a.txt")) == [b"one\n"]


def test_a_folder_with_an_odd_name_is_read(tmp_path: Path) -> None:
    source = SourceRepository(tmp_path / "sp ace é \udcff")
    source.commit({"a": "one\n"})
    with GitRepository(source.path) as git:
        assert content_of(git, blob_of(source, "a")) == [b"one\n"]


def test_a_missing_ref_is_none(git: GitRepository) -> None:
    assert (git.ref("refs/tags/v2"), git.ref("refs/heads/v1"), git.ref("refs/tags/--help")) == (None, None, None)


@pytest.mark.parametrize("text", ["", "nonsense\n", "ref: refs/heads/nowhere\n"])
def test_a_ref_that_cannot_be_read_is_none(filled: SourceRepository, text: str) -> None:
    (filled.path / ".git/refs/tags/broken").write_text(text)
    with GitRepository(filled.path) as git:
        assert git.ref("refs/tags/broken") is None


def test_a_tag_that_is_another_name_of_a_branch_is_refused(filled: SourceRepository, git: GitRepository) -> None:
    """It would move with the branch."""
    filled.git("symbolic-ref", "refs/tags/latest", "refs/heads/main")
    with pytest.raises(Refused, match="refs/heads/main and moves with it"):
        git.ref("refs/tags/latest")


@pytest.mark.parametrize(("words", "found"), [("main", True), ("v1", True), ("HEAD~1", True), ("nowhere", False)])
def test_a_commit_is_found_by_the_users_words(
    filled: SourceRepository, git: GitRepository, words: str, found: bool
) -> None:
    assert git.commit(words) == (filled.git("rev-parse", f"{words}^{{commit}}") if found else None)


@pytest.mark.parametrize("words", ["nowhere", "--help", "-c", "", "--git-dir", "main^{tree}", "main\n"])
def test_words_that_are_no_commit_are_none(git: GitRepository, words: str) -> None:
    assert git.commit(words) is None


def test_remotes_are_listed_with_origin_first(filled: SourceRepository, git: GitRepository) -> None:
    assert git.remotes() == {}
    for name, url in (("a.b", "https://example.com/a"), ("origin", "../o"), ("zed", "ssh://z/z")):
        filled.git("remote", "add", name, url)
    filled.git("config", "--add", "remote.zed.url", "second")
    assert list(git.remotes().items()) == [("origin", "../o"), ("a.b", "https://example.com/a"), ("zed", "ssh://z/z")]


def test_a_shallow_clone_knows_that_it_is_one(filled: SourceRepository, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{filled.path}", str(clone)], check=True)
    with GitRepository(clone) as git:
        assert git.is_shallow()


def test_gits_version_is_told(git: GitRepository) -> None:
    said = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    assert said.split()[2] == git.version()


def test_no_process_is_left(filled: SourceRepository) -> None:
    before = children()
    git = GitRepository(filled.path)
    git.object(blob_of(filled, "a.txt"))
    half_read = git.blobs([blob_of(filled, "a.txt"), blob_of(filled, "d/b")])
    next(half_read)
    half_read.close()  # type: ignore[attr-defined]
    git.close()
    git.close()
    assert children() == before


def test_a_repository_that_nobody_closed_cleans_up_after_itself(filled: SourceRepository) -> None:
    git = GitRepository(filled.path)
    folder = Path(git._apart["GIT_DIR"])
    assert folder.is_dir()
    del git
    assert not folder.exists()
