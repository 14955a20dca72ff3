"""What the Hub says of itself, compared with what a release expects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import entry, oid
from release.values import HubCommit, HubFile, HubHead, Sha256
from release.values.hub import differences

ONE = entry("a.txt", b"one\n")
BLOB = ONE.blob or oid(0)
THERE = HubFile("a.txt", 4, BLOB)
LARGE = HubFile("a.txt", 4, oid(9), ONE.sha256)
ATTRIBUTES = HubFile(".gitattributes", 9, oid(1))
FOREIGN = HubFile("theirs", 1, oid(2))


@pytest.mark.parametrize("file", [THERE, LARGE])
def test_a_file_is_what_was_expected_by_either_digest(file: HubFile) -> None:
    assert file.holds(ONE)


@pytest.mark.parametrize(
    "file",
    [
        HubFile("a.txt", 5, BLOB),
        HubFile("a.txt", 4, oid(3)),
        HubFile("a.txt", 5, oid(9), ONE.sha256),
        HubFile("a.txt", 4, BLOB, Sha256("0" * 64)),
    ],
)
def test_a_file_of_another_size_or_digest_is_another(file: HubFile) -> None:
    """Where the Hub gives a sha256, the blob id is the pointer's and proves nothing."""
    assert not file.holds(ONE)


@pytest.mark.parametrize(
    ("files", "before", "gone", "said"),
    [
        ([THERE, ATTRIBUTES], {}, (), []),
        ([THERE, FOREIGN], {"theirs": FOREIGN}, (), []),
        ([], {}, (), ["a.txt: it is not there"]),
        ([HubFile("a.txt", 5, BLOB)], {}, (), ["a.txt: its bytes are others (5 bytes, expected 4)"]),
        ([THERE, FOREIGN], {}, (), ["theirs: it is not part of the release"]),
        ([THERE, FOREIGN], {"theirs": HubFile("theirs", 1, oid(3))}, (), ["theirs: it is not part of the release"]),
        ([THERE, FOREIGN], {"theirs": FOREIGN}, ("theirs",), ["theirs: it should be deleted"]),
        ([FOREIGN], {}, (), ["a.txt: it is not there", "theirs: it is not part of the release"]),
    ],
)
def test_each_difference_of_a_commit_is_told(
    files: list[HubFile], before: dict[str, HubFile], gone: tuple[str, ...], said: list[str]
) -> None:
    assert differences([ONE], files, before, gone) == said


FILES = st.builds(
    HubFile, st.sampled_from(["a.txt", "b", "c", "d"]), st.sampled_from([4, 5]), st.sampled_from([BLOB, oid(2)])
)


@given(st.lists(FILES, max_size=4, unique_by=lambda file: file.path), st.lists(FILES, unique_by=lambda file: file.path))
def test_a_commit_without_differences_is_the_release_and_what_was_kept(
    files: list[HubFile], before: list[HubFile]
) -> None:
    earlier = {file.path: file for file in before}
    kept = all(file.path == "a.txt" or earlier.get(file.path) == file for file in files)
    released = any(file.path == "a.txt" and file.holds(ONE) for file in files)
    assert (differences([ONE], files, earlier, ()) == []) == (kept and released)


@pytest.mark.parametrize(
    ("description", "trailers"),
    [
        ("Release-Id: abc\nSource-Tag: refs/tags/v1", {"Release-Id": "abc", "Source-Tag": "refs/tags/v1"}),
        ("text\n\nRelease-Id: abc\n", {"Release-Id": "abc"}),
        ("Release-Id: a\nRelease-Id: b", {}),
        ("Release-Id: a\nRelease-Id: a", {}),
        (" Release-Id: a\nrelease-id: b\nRelease-Id:c\nRelease-Id: \nx Release-Id: d", {}),
        ("Release-Id: a b \r\nOther: c", {"Release-Id": "a b", "Other": "c"}),
        ("", {}),
    ],
)
def test_a_trailer_counts_once_and_at_the_start_of_its_line(description: str, trailers: dict[str, str]) -> None:
    """A commit that names two releases names none."""
    assert HubCommit(oid(1), "Release v1", description, "").trailers == trailers


def test_a_head_finds_its_files_by_path() -> None:
    assert HubHead(oid(1), (THERE, FOREIGN), False).by_path == {"a.txt": THERE, "theirs": FOREIGN}
