"""Records in the worktree: written whole or not at all, and only there."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from release.adapters.archive import Archive
from release.errors import Refused, Unavailable
from release.values import RepoPath

Disk = Callable[[int], AbstractContextManager[None]]
RECORD = RepoPath("archive/records/v1.json")


def files(top: Path) -> set[str]:
    return {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_dir()}


def test_a_written_file_is_read_back(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert (archive.write(RECORD, b"{}\n"), archive.read(RECORD), files(tmp_path)) == (True, b"{}\n", {RECORD})


def test_writing_the_same_bytes_again_writes_nothing(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.write(RECORD, b"{}\n")
    before = (tmp_path / RECORD).stat().st_ino
    assert (archive.write(RECORD, b"{}\n"), (tmp_path / RECORD).stat().st_ino) == (False, before)


def test_other_bytes_take_the_place_of_a_file(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.write(RECORD, b"old")
    assert (archive.write(RECORD, b"new"), archive.read(RECORD), len(files(tmp_path))) == (True, b"new", 1)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_a_file_has_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    """As for any file that somebody writes for git."""
    Archive(tmp_path).write(RECORD, b"{}\n")
    assert stat.S_IMODE((tmp_path / RECORD).stat().st_mode) == 0o640


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert (Archive(tmp_path).read(RECORD), Archive(tmp_path).all()) == (None, ())


def test_all_records_are_listed_by_name_and_nothing_else(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for name in ("v2.json", "v1.json", "v1.md", "sub/v0.json"):
        archive.write(RepoPath(f"archive/records/{name}"), name.encode())
    (tmp_path / "archive/records/folder.json").mkdir()
    (tmp_path / "archive/records/link.json").symlink_to("/etc/passwd")
    assert archive.all() == (("archive/records/v1.json", b"v1.json"), ("archive/records/v2.json", b"v2.json"))


@pytest.mark.parametrize("link", ["archive", "archive/records"])
def test_a_folder_that_leads_out_of_the_worktree_is_refused(tmp_path: Path, link: str) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    outside.mkdir()
    (top / link).parent.mkdir(parents=True)
    (top / link).symlink_to(outside)
    for ask in (lambda: Archive(top).write(RECORD, b"{}\n"), lambda: Archive(top).read(RECORD)):
        with pytest.raises(Refused, match="leads out of the worktree"):
            ask()
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"{}\n")
    (tmp_path / RECORD).parent.mkdir(parents=True)
    (tmp_path / RECORD).symlink_to(outside)
    archive = Archive(tmp_path)
    assert (archive.write(RECORD, b"{}\n"), archive.write(RECORD, b"new")) == (True, True)
    assert (outside.read_bytes(), (tmp_path / RECORD).read_bytes()) == (b"{}\n", b"new")


def test_a_folder_in_the_place_of_a_file_is_unavailable_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / RECORD).mkdir(parents=True)
    archive = Archive(tmp_path)
    for ask in (lambda: archive.write(RECORD, b"{}\n"), lambda: archive.read(RECORD)):
        with pytest.raises(Unavailable, match="worktree cannot be used"):
            ask()
    assert files(tmp_path) == set()


def test_a_file_in_the_place_of_a_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("")
    archive = Archive(tmp_path)
    for ask in (lambda: archive.write(RECORD, b"{}\n"), lambda: archive.read(RECORD)):
        with pytest.raises(Unavailable, match="worktree cannot be used"):
            ask()


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, disk_with: Disk) -> None:
    archive = Archive(tmp_path)
    archive.write(RECORD, b"old")
    with disk_with(100), pytest.raises(Unavailable, match="worktree cannot be used"):
        archive.write(RECORD, b"x" * 1000)
    assert (archive.read(RECORD), files(tmp_path)) == (b"old", {RECORD})


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into a read-only folder")
def test_a_read_only_folder_is_unavailable(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(Unavailable, match="worktree cannot be used"):
        Archive(tmp_path).write(RECORD, b"{}\n")
