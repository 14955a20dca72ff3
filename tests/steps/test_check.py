"""Tree → CheckedTree: every check is heard, and only what all let pass goes on."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import Kept, entry, tree
from release.errors import Refused
from release.ports import Check
from release.steps.check import FINDINGS, ChecksFailed, CheckTree, Recall
from release.values import CheckedTree, EngineRun, Finding, Level, Tree

TREE = tree([entry("a", b"1\n")])
TOOLS = (("git", "2.39.5"), ("release", "0.1"))
WARNING = Finding("x/warning", "a warning", Level.WARNING, "a", 2, 3)
NOTE = Finding("x/note", "a note", Level.NOTE)
ERROR = Finding("x/error", "an error", Level.ERROR, "a")
RUN = EngineRun("jinja2", "3.1.6", 7)
SKIPPED = EngineRun("minijinja", "2", 0, "it is not installed")


@dataclass(frozen=True)
class Says:
    """A check that always says the same."""

    said: tuple[Finding | EngineRun, ...] = ()
    name: str = "says"

    def __call__(self, tree: Tree, /) -> Iterable[Finding | EngineRun]:
        return self.said


def checked(*said: Finding | EngineRun, given: Tree = TREE, kept: Kept | None = None) -> CheckedTree:
    checks: tuple[Check, ...] = tuple(Says((one,)) for one in said)
    return CheckTree(checks, kept or Kept(), TOOLS).run(given)


def refused(*said: Finding | EngineRun, given: Tree = TREE, kept: Kept | None = None) -> ChecksFailed:
    with pytest.raises(ChecksFailed) as caught:
        checked(*said, given=given, kept=kept)
    return caught.value


def test_without_an_error_a_tree_is_checked() -> None:
    found = checked(WARNING, RUN, NOTE, SKIPPED)
    assert (found.tree, found.findings, found.engines, found.tools) == (TREE, (WARNING, NOTE), (RUN, SKIPPED), TOOLS)


def test_one_error_refuses_and_all_findings_come_along() -> None:
    error = refused(NOTE, ERROR, RUN, WARNING)
    assert (error.exit_code, error.findings) == (3, (ERROR, WARNING, NOTE))
    assert error.message == "v2 does not pass its checks: 1 error"


def test_every_check_is_heard_before_it_stops() -> None:
    error = refused(ERROR, Finding("y/error", "another"), WARNING)
    assert ([one.rule for one in error.findings], "2 errors" in error.message) == (
        ["x/error", "y/error", "x/warning"],
        True,
    )


def test_findings_for_programs_hold_every_fact() -> None:
    (first, *_) = refused(ERROR).facts["findings"]  # type: ignore[misc]
    assert json.loads(json.dumps(first)) == {
        "rule": "x/error", "message": "an error", "level": "error", "path": "a", "line": None, "column": None,
    }  # fmt: skip


def test_findings_are_ordered_by_weight_rule_and_place() -> None:
    late = Finding("x/error", "late", path="b", line=1)
    early = Finding("x/error", "early", path="a", line=9)
    earlier = Finding("x/error", "earlier", path="a", line=2)
    assert refused(WARNING, late, early, earlier).findings == (earlier, early, late, WARNING)


def test_what_could_not_be_built_is_an_error() -> None:
    error = refused(given=tree([entry("a")], problems=(("t.jinja", "line 3: no"),)))
    assert error.findings == (Finding("build/failed", "line 3: no", Level.ERROR, "t.jinja"),)


def test_a_pattern_that_matches_nothing_is_a_warning() -> None:
    (finding,) = checked(given=tree([entry("a")], idle=("nowhere/*",))).findings
    assert (finding.rule, finding.level, "'nowhere/*'" in finding.message) == ("build/idle-rule", Level.WARNING, True)


def test_findings_are_kept_whether_or_not_they_let_pass() -> None:
    passed, stopped = Kept(), Kept()
    checked(WARNING, kept=passed)
    refused(ERROR, kept=stopped)
    assert [json.loads(kept.held[FINDINGS])["findings"][0]["rule"] for kept in (passed, stopped)] == [
        "x/warning",
        "x/error",
    ]


def test_a_refused_tree_is_no_longer_prepared() -> None:
    """Nothing can be published by naming a tag whose checks said no."""
    kept = Kept()
    kept.save("manifest.json", b"{}")
    refused(ERROR, kept=kept)
    assert kept.load("manifest.json") is None


FOUND = st.builds(
    Finding,
    st.text(max_size=5),
    st.text(max_size=5),
    st.sampled_from([Level.WARNING, Level.NOTE]),
    st.none() | st.text(max_size=5),
    st.none() | st.integers(0, 10**6),
    st.none() | st.integers(0, 10**6),
)
RAN = st.builds(
    EngineRun, st.text(max_size=5), st.text(max_size=5), st.integers(0, 99), st.none() | st.text(max_size=5)
)


@given(st.lists(FOUND, max_size=3), st.lists(RAN, max_size=3))
def test_what_was_said_is_recalled(findings: list[Finding], runs: list[EngineRun]) -> None:
    kept = Kept()
    before = checked(*findings, *runs, kept=kept)
    assert Recall(kept).run(TREE) == before


def test_findings_about_another_tree_are_not_recalled() -> None:
    kept = Kept()
    checked(kept=kept)
    with pytest.raises(Refused, match="not about this tree"):
        Recall(kept).run(tree([entry("a", b"2\n")]))


def test_an_error_that_was_kept_still_refuses() -> None:
    kept = Kept()
    refused(ERROR, kept=kept)
    with pytest.raises(ChecksFailed):
        Recall(kept).run(TREE)


DOCUMENT = {
    "schema": "hf-release/findings/v1",
    "dirHash": TREE.dir_hash,
    "findings": [],
    "engines": [],
    "tools": {},
}


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        json.dumps(DOCUMENT | {"schema": "hf-release/findings/v2"}).encode(),
        json.dumps(DOCUMENT | {"findings": [1]}).encode(),
        json.dumps(DOCUMENT | {"findings": [{"rule": "a/b"}]}).encode(),
        json.dumps(DOCUMENT | {"findings": [vars(NOTE) | {"level": "fatal"}]}).encode(),
        json.dumps(DOCUMENT | {"findings": [vars(NOTE) | {"line": "1"}]}).encode(),
        json.dumps(DOCUMENT | {"engines": [{"name": 1}]}).encode(),
        json.dumps(DOCUMENT | {"tools": [["git", 1]]}).encode(),
    ],
)
def test_findings_that_cannot_be_read_are_refused(content: bytes | None) -> None:
    kept = Kept()
    if content is not None:
        kept.save(FINDINGS, content)
    with pytest.raises(Refused, match="cannot be used"):
        Recall(kept).run(TREE)
