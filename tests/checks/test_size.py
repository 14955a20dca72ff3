"""size: nothing is larger than the Hub takes."""

import pytest

from examples import entry, tree
from release.checks.size import Size
from release.values import Entry, Level, Mode
from release.values.tree import SUMS

GB = 10**9
LARGE = 11 << 20


def said(*entries: Entry) -> list[tuple[str, Level]]:
    return [(finding.rule, finding.level) for finding in Size()(tree(entries))]


def sized(path: str, size: int) -> Entry:
    return entry(path, b"", size=size)


def test_small_files_have_no_finding() -> None:
    assert said(sized("a.txt", 0), sized("b.bin", 10)) == []


@pytest.mark.parametrize(("size", "found"), [(50 * GB, []), (50 * GB + 1, [("size/file", Level.ERROR)])])
def test_a_file_that_cannot_be_read_back_is_an_error(size: int, found: list[tuple[str, Level]]) -> None:
    assert said(sized("a.bin", size)) == found


@pytest.mark.parametrize(("more", "found"), [(0, []), (1, [("size/commit", Level.ERROR)])])
def test_regular_files_of_more_than_a_gigabyte_are_an_error(more: int, found: list[tuple[str, Level]]) -> None:
    assert said(*(sized(f"{n}.txt", 10_000_000) for n in range(100)), sized("x.txt", more)) == found


def test_large_files_are_not_counted_with_the_regular_ones() -> None:
    assert said(*(sized(f"{n}.txt", LARGE) for n in range(200))) == []


@pytest.mark.parametrize(("count", "found"), [(25_000, []), (25_001, [("size/commit", Level.ERROR)])])
def test_more_large_files_than_one_commit_takes_are_an_error(count: int, found: list[tuple[str, Level]]) -> None:
    assert said(*(sized(f"{n}.bin", 1) for n in range(count))) == found


def test_more_files_than_the_hub_likes_are_a_warning() -> None:
    one = entry("x", b"")
    assert said(*[one] * 100_001) == [("size/files", Level.WARNING)]


@pytest.mark.parametrize("entries", [[], [entry(SUMS)], [entry("link", None, mode=Mode.SYMLINK)]])
def test_a_release_of_nothing_is_an_error(entries: list[Entry]) -> None:
    assert said(*entries) == [("size/empty", Level.ERROR)]
