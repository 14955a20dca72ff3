"""What a suite says of templates, fixtures and engines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

import pytest

from release.render.expectations import Expectation
from release.render.fixtures import Fixture
from release.render.suite import Case, Outcome, describe, difference, excerpt, run_suite
from release.values import EngineRun, Finding
from release.values.rendering import Failed, Fault, Rendered

RAISED = Failed(Fault.RAISED, "System message must be first.", 7)


@dataclass
class Template:
    """Renders what it was told to, whatever the conversation says."""

    made: Rendered | Failed

    def render(self, variables: Mapping[str, object]) -> Rendered | Failed:
        return self.made


@dataclass
class ToldEngine:
    """An engine in memory: what it makes of each source is told beforehand."""

    made: Mapping[str, Rendered | Failed]
    name: str = "told"
    unavailable: str | None = None
    version: str = "1"
    open: bool = False
    seen: list[str] = field(default_factory=list)

    def compile(self, source: str) -> Template | Failed:
        assert self.open
        self.seen.append(source)
        made = self.made[source]
        return made if isinstance(made, Failed) and made.fault is Fault.SYNTAX else Template(made)

    def __enter__(self) -> Self:
        self.open = True
        return self

    def __exit__(self, *exc: object) -> None:
        self.open = False


def fixture(expected: Expectation, name: str = "one") -> Fixture:
    return Fixture(name, "", {"messages": []}, expected)


def findings(
    expected: Expectation, ours: Rendered | Failed, stock: Rendered | Failed | None = None
) -> list[tuple[str, str]]:
    """(rule, message without where it comes from) of one fixture."""
    made = {"ours": ours} | ({"stock": stock} if stock else {})
    case = Case("t.jinja", "ours", (fixture(expected),), "stock" if stock else None)
    (outcome,) = [one for one in run_suite([case], [ToldEngine(made)]) if isinstance(one, Outcome)]
    assert all(one.message.startswith("told, fixture 'one': ") for one in outcome.findings)
    assert all(one.path == "t.jinja" for one in outcome.findings)
    return [(one.rule, one.message.removeprefix("told, fixture 'one': ")) for one in outcome.findings]


def test_a_prompt_that_is_as_expected_says_nothing() -> None:
    expected = Expectation(True, ("a",), ("z",), (("b", 2),), matches_stock=True)
    assert findings(expected, Rendered("abb"), Rendered("abb")) == []


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (Expectation(True, contains=("x", "a")), [("render/contains", "the prompt lacks 'x'")]),
        (Expectation(True, absent=("x", "a")), [("render/absent", "the prompt holds 'a'")]),
        (Expectation(True, counts=(("b", 3),)), [("render/counts", "the prompt holds 'b' 2 times, not 3")]),
        (
            Expectation(True, matches_stock=True),
            [("render/no-stock", "it should match stock, but no stock is named to compare with")],
        ),
        (
            Expectation(renders=False, error="first"),
            [("render/not-refused", "it should fail with 'first', but rendered")],
        ),
    ],
)
def test_each_broken_expectation_is_one_finding(expected: Expectation, said: list[tuple[str, str]]) -> None:
    assert findings(expected, Rendered("abb")) == said


def test_a_failure_that_was_not_expected_has_its_line() -> None:
    case = Case("t.jinja", "ours", (fixture(Expectation(True)),))
    (outcome,) = [one for one in run_suite([case], [ToldEngine({"ours": RAISED})]) if isinstance(one, Outcome)]
    assert outcome.findings == (
        Finding(
            "render/failed",
            "told, fixture 'one': it should render, but the template raised: System message must be first.",
            path="t.jinja",
            line=7,
        ),
    )


def test_an_expected_error_passes_with_its_text() -> None:
    assert findings(Expectation(renders=False, error="must be first"), RAISED) == []


def test_an_expected_error_passes_only_if_stock_fails_with_the_same_text() -> None:
    expected = Expectation(renders=False, error="must be first")
    assert findings(expected, RAISED, RAISED) == []
    assert [rule for rule, _ in findings(expected, RAISED, Rendered("x"))] == ["render/stock-error"]
    assert [rule for rule, _ in findings(expected, RAISED, Failed(Fault.RAISED, "other"))] == ["render/stock-error"]
    assert [rule for rule, _ in findings(expected, Rendered("x"), RAISED)] == ["render/not-refused"]


def test_an_error_with_another_text_is_no_expected_error() -> None:
    said = "it should fail with 'last', but the template raised: System message must be first."
    assert findings(Expectation(renders=False, error="last"), RAISED) == [("render/error-text", said)]


@pytest.mark.parametrize("fault", [Fault.TIMEOUT, Fault.MEMORY, Fault.CRASH])
def test_a_limit_that_was_hit_is_never_what_was_expected(fault: Fault) -> None:
    failed = Failed(fault, "must be first")
    expected = Expectation(renders=False, error="must be first")
    assert [rule for rule, _ in findings(expected, failed)] == ["render/limit"]
    assert [rule for rule, _ in findings(expected, RAISED, failed)] == ["render/stock-error"]
    assert [rule for rule, _ in findings(Expectation(renders=True), failed)] == ["render/limit"]


def test_a_prompt_that_differs_from_stock_is_told_by_where_it_parts() -> None:
    said = "the prompt differs from stock from character 2 on: 'c' instead of 'd' (3 characters against 3)"
    expected = Expectation(True, matches_stock=True)
    assert findings(expected, Rendered("abc"), Rendered("abd")) == [("render/matches-stock", said)]


def test_a_stock_that_cannot_be_rendered_cannot_be_matched() -> None:
    said = "it should match stock, but of stock it cannot be read: unexpected end"
    stock = Failed(Fault.SYNTAX, "unexpected end")
    assert findings(Expectation(True, matches_stock=True), Rendered("a"), stock) == [("render/stock-error", said)]


def test_a_template_that_an_engine_cannot_read_is_one_finding_whatever_its_fixtures() -> None:
    case = Case("t.jinja", "ours", (fixture(Expectation(True)), fixture(Expectation(True), "two")))
    broken = ToldEngine({"ours": Failed(Fault.SYNTAX, "no filter named 'x'", 3, 4)})
    assert list(run_suite([case], [broken])) == [
        Finding(
            "render/compile",
            "told cannot read the template: it cannot be read: no filter named 'x'",
            path="t.jinja",
            line=3,
            column=4,
        ),
        EngineRun("told", "1", 0),
    ]


def test_every_engine_says_how_many_fixtures_it_was_given() -> None:
    two = (fixture(Expectation(True)), fixture(Expectation(renders=False, error="x"), "two"))
    cases = [Case("a.jinja", "a", two), Case("b.jinja", "b", two[:1])]
    engines = [ToldEngine({"a": Rendered(""), "b": Rendered("")}, name) for name in ("x", "y")]
    runs = [one for one in run_suite(cases, engines) if isinstance(one, EngineRun)]
    assert runs == [EngineRun("x", "1", 3), EngineRun("y", "1", 3)]
    assert [engine.seen for engine in engines] == [["a", "b"], ["a", "b"]]


def test_an_engine_that_is_not_there_says_why() -> None:
    absent = ToldEngine({}, unavailable="the package x is not installed", version="")
    case = Case("a.jinja", "a", ())
    assert list(run_suite([case], [absent])) == [EngineRun("told", "", 0, "the package x is not installed")]


def test_an_engine_is_closed_even_if_nobody_hears_it_out() -> None:
    engine = ToldEngine({"a": Rendered("")})
    outcomes = run_suite([Case("a.jinja", "a", (fixture(Expectation(True)),))], [engine])
    next(outcomes)
    close: Callable[[], None] = outcomes.close  # type: ignore[attr-defined]
    close()
    assert not engine.open


def test_no_finding_prints_a_long_text() -> None:
    long = "x" * 100_000
    expected = Expectation(True, (long + "y",), (long,), ((long, 0),), matches_stock=True)
    said = findings(expected, Rendered(long), Rendered("y" + long))
    assert len(said) == 4
    assert all(len(message) < 250 for _, message in said)
    assert len(describe(Failed(Fault.RAISED, long))) < 350


def test_no_finding_prints_what_a_terminal_would_obey() -> None:
    hostile = "\x1b[31m\u202e\n"
    shown = excerpt(hostile) + describe(Failed(Fault.RAISED, "a" + hostile + "b")) + difference(hostile, "", "stock")
    assert shown.isprintable()


def test_a_prompt_that_goes_on_where_another_ends_parts_at_the_end() -> None:
    assert "from character 2 on: 'c' instead of ''" in difference("abc", "ab", "stock")
