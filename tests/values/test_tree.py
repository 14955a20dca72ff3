"""The publishing tree: which names meet, and checksums that other tools accept."""

import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import RECORD, entry, oid, record, source, tree
from release.values import Mode, RepoId, RepoType, Sha256, TagName, path_faults
from release.values.tree import SUMS, SUMS_SIGNATURE, collisions, sums_of

NAMES = st.lists(
    st.sampled_from(
        ["a", "A", "é", "e\u0301", "É", "ß", "ss", "SS", "ı", "I", "ﬁ", "fi", "ǰ", "Å", "\u212b", "b", "a.b", "a-"]
    ),
    min_size=1,
    max_size=3,
).map("/".join)
SAFE = (
    st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3)
    .map("/".join)
    .filter(lambda text: not path_faults(text))
)


def _canonical(text: str) -> str:
    """Unicode's own definition of the same text without regard to case (3.13, D145)."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())


def _cannot_lie_together(one: str, other: str) -> bool:
    """By hand: the same in another spelling, one inside the other as a file, or folders spelled in two ways."""
    first, second = one.split("/"), other.split("/")
    for depth in range(1, min(len(first), len(second)) + 1):
        head, tail = "/".join(first[:depth]), "/".join(second[:depth])
        if _canonical(head) != _canonical(tail):
            return False
        ends = depth in (len(first), len(second))
        if head != tail or ends:
            return True
    return False


@given(st.sets(NAMES, min_size=2, max_size=5))
@example({"a", "a/b"})
@example({"a/x", "A/y"})
@example({"a", "a.b", "a/b"})
@settings(max_examples=300)
def test_paths_meet_where_some_file_system_could_not_hold_both(paths: set[str]) -> None:
    meeting = collisions(paths)
    pairs = {(one, other) for one in paths for other in paths if one != other and _cannot_lie_together(one, other)}
    assert bool(meeting) == bool(pairs)
    rest = paths - meeting.keys()
    assert not any(_cannot_lie_together(one, other) for one in rest for other in rest if one != other)


@pytest.mark.parametrize(
    ("paths", "meeting"),
    [
        (["README.md", "readme.md"], {"readme.md": "README.md"}),
        (["e\u0301", "\u00e9"], {"\u00e9": "e\u0301"}),
        (["straße", "STRASSE"], {"straße": "STRASSE"}),
        (["a", "a/b"], {"a/b": "a"}),
        (["A", "a/b/c"], {"a/b/c": "A"}),
        (["a/x", "A/y"], {"a/x": "A"}),
        (["a/b", "a/c", "ab"], {}),
    ],
)
def test_the_later_of_two_names_that_meet_is_named_with_the_earlier(paths: list[str], meeting: dict[str, str]) -> None:
    assert collisions(paths) == meeting


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sums")


def _lay_out(folder: Path, files: dict[str, bytes]) -> None:
    subprocess.run(["find", str(folder), "-mindepth", "1", "-delete"], check=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def _shell(folder: Path, command: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["bash", "-c", command], cwd=folder, input=stdin, capture_output=True, check=True)
    return done.stdout


@given(st.dictionaries(SAFE, st.binary(max_size=20), min_size=1, max_size=6).filter(lambda f: not collisions(f)))
@settings(max_examples=25)
def test_checksums_are_those_of_the_shell(folder: Path, files: dict[str, bytes]) -> None:
    """The bytes, the in-toto dirHash, and the verdict of `sha256sum --check --strict`."""
    _lay_out(folder, files)
    made = sums_of((path, Sha256.of(content)) for path, content in files.items())
    listed = _shell(folder, "find . -type f -print0 | cut -z -c3- | LC_ALL=C sort -z | xargs -0r sha256sum")
    dir_hash = _shell(
        folder, "find . -type f -print0 | cut -z -c3- | LC_ALL=C sort -z | xargs -0r sha256sum | sha256sum"
    )
    assert (made, Sha256.of(made)) == (listed, dir_hash.split()[0].decode())
    assert _shell(folder, "sha256sum --check --strict --quiet -", made) == b""


def test_the_payload_leaves_out_what_cannot_be_in_its_own_checksums() -> None:
    own = "archive/records/v2.intoto.jsonl"
    paths = ["a.txt", own, "archive/records/v1.intoto.jsonl", SUMS, SUMS_SIGNATURE]
    assert [one.path for one in tree([entry(path) for path in paths]).payload()] == [
        "a.txt",
        "archive/records/v1.intoto.jsonl",
    ]


def test_the_payload_leaves_out_what_has_no_bytes() -> None:
    assert list(tree([entry("link", None, mode=Mode.SYMLINK)]).payload()) == []


def test_the_own_bundle_of_a_tag_with_a_slash_has_the_tags_file_form() -> None:
    made = tree([entry("archive/records/a~b.intoto.jsonl")], source=source(tag=TagName("a/b")))
    assert made.sums == b""


def test_the_dir_hash_is_the_digest_of_the_checksums() -> None:
    made = tree([entry("a.txt", b"one\n"), entry(SUMS, b"whatever")])
    assert made.sums == Sha256.of(b"one\n").encode() + b"  a.txt\n"
    assert made.dir_hash == Sha256.of(made.sums)


def test_a_tree_knows_its_files_and_their_size() -> None:
    made = tree([entry("b", b"12"), entry("a", b"345")])
    assert (list(made.by_path), made.total_bytes) == (["a", "b"], 5)


def test_the_previous_release_is_the_newest_record_of_the_same_repository() -> None:
    elsewhere = record(repo=RepoId("acme/other"), hub_commit=oid(9))
    dataset = record(repo_type=RepoType.DATASET)
    newer = record(tag=TagName("v1.5"))
    assert tree(records=(RECORD, newer, elsewhere, dataset)).previous == newer


def test_without_a_record_there_is_no_previous_release() -> None:
    assert tree(records=(record(repo=RepoId("acme/other")),)).previous is None
