"""names: every path can be written and read everywhere, and is a file with bytes of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import entry, tree
from release.checks.names import Names
from release.values import Entry, Level, Mode, path_faults


def said(*entries: Entry) -> list[tuple[str, Level, str | None]]:
    return [(finding.rule, finding.level, finding.path) for finding in Names()(tree(entries))]


def test_ordinary_files_have_no_finding() -> None:
    assert said(entry("README.md"), entry("data/a.txt"), entry("scripts/run.sh", mode=Mode.EXECUTABLE)) == []


@pytest.mark.parametrize(
    ("made", "rule", "level"),
    [
        (entry("../a", None), "names/unsafe", Level.ERROR),
        (entry("a\x1b[31m", None), "names/unsafe", Level.ERROR),
        (entry("a\u202etxt", None), "names/unsafe", Level.ERROR),
        (entry("con", None), "names/unsafe", Level.ERROR),
        (entry("link", None, mode=Mode.SYMLINK), "names/symlink", Level.ERROR),
        (entry("sub", None, mode=Mode.SUBMODULE), "names/submodule", Level.ERROR),
        (entry("model.bin", b"", pointer=True), "names/lfs-pointer", Level.ERROR),
        (entry('a"b'), "names/not-on-windows", Level.WARNING),
        (entry("e\u0301"), "names/not-nfc", Level.WARNING),
    ],
)
def test_what_is_wrong_with_one_entry_is_said(made: Entry, rule: str, level: Level) -> None:
    assert said(made) == [(rule, level, made.path)]


@pytest.mark.parametrize(
    ("one", "other"), [("A", "a"), ("é", "e\u0301"), ("a", "a/b"), ("X/1", "x/2"), ("SHA256SUMS", "sha256sums")]
)
def test_names_that_meet_are_an_error(one: str, other: str) -> None:
    assert ("names/collision", Level.ERROR) in [(rule, level) for rule, level, _ in said(entry(one), entry(other))]


def test_the_finding_names_both_paths() -> None:
    (finding,) = Names()(tree([entry("README.md"), entry("readme.md")]))
    assert (finding.path, "'README.md'" in finding.message) == ("readme.md", True)


def test_all_faults_of_one_path_are_found() -> None:
    rules = [rule for rule, _, _ in said(entry("con/a<b\u200b.", None, mode=Mode.SYMLINK))]
    assert rules == ["names/unsafe"] * 3 + ["names/symlink", "names/not-on-windows"]


@given(st.lists(st.text(max_size=6), min_size=1, max_size=3).map("/".join))
def test_a_path_with_a_fault_never_passes(path: str) -> None:
    errors = [rule for rule, level, _ in said(entry(path, None)) if level is Level.ERROR]
    assert bool(errors) == bool(path_faults(path))
