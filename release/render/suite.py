"""Templates, fixtures and engines → what came of each, and a finding for all that should have come out otherwise.

Nothing here prints a prompt: a finding shows at most a few dozen characters of any text (L-007).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from release.ports import CompiledTemplate, Engine
from release.render.fixtures import Fixture
from release.values import EngineRun, Finding
from release.values.rendering import Failed, Fault, Rendered

# An expected error is the template's own or the engine's; a limit that was hit is never what was expected.
_LIMITS = (Fault.TIMEOUT, Fault.MEMORY, Fault.CRASH)
_SHOWN = 60


@dataclass(frozen=True)
class Case:
    """One template with the fixtures that it must pass.

    `path` names it in findings. `stock` is the text that it was derived from; None: there is none to compare with.
    """

    path: str
    text: str
    fixtures: tuple[Fixture, ...]
    stock: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What one engine made of one fixture, with the template and, where a stock is given, with that."""

    case: Case
    engine: str
    fixture: Fixture
    ours: Rendered | Failed
    stock: Rendered | Failed | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class _Complaint:
    rule: str
    text: str


def run_suite(cases: Sequence[Case], engines: Sequence[Engine]) -> Iterator[Finding | Outcome | EngineRun]:
    """Engine by engine: a Finding for a template that cannot be read, an Outcome a fixture, last an EngineRun.

    `EngineRun.renders` counts the fixtures that the engine was given and answered. An engine that is not installed
    is no error: its EngineRun says why it did not run.
    """
    for engine in engines:
        with engine:
            if engine.unavailable is not None:
                yield EngineRun(engine.name, engine.version, 0, engine.unavailable)
                continue
            renders = 0
            for case in cases:
                for made in _run_case(case, engine):
                    renders += isinstance(made, Outcome)
                    yield made
            yield EngineRun(engine.name, engine.version, renders)


def _run_case(case: Case, engine: Engine) -> Iterator[Finding | Outcome]:
    ours = engine.compile(case.text)
    if isinstance(ours, Failed):
        yield Finding(
            "render/compile",
            f"{engine.name} cannot read the template: {describe(ours)}",
            path=case.path,
            line=ours.line,
            column=ours.column,
        )
        return
    stock = engine.compile(case.stock) if case.stock is not None else None
    for fixture in case.fixtures:
        made = ours.render(fixture.variables)
        compared = _render_stock(stock, fixture)
        line, column = (made.line, made.column) if isinstance(made, Failed) else (None, None)
        findings = tuple(
            Finding(
                f"render/{complaint.rule}",
                f"{engine.name}, fixture {excerpt(fixture.name)}: {complaint.text}",
                path=case.path,
                line=line,
                column=column,
            )
            for complaint in _judge(fixture, made, compared)
        )
        yield Outcome(case, engine.name, fixture, made, compared, findings)


def _render_stock(stock: CompiledTemplate | Failed | None, fixture: Fixture) -> Rendered | Failed | None:
    if stock is None or isinstance(stock, Failed):
        return stock
    return stock.render(fixture.variables)


def _judge(fixture: Fixture, ours: Rendered | Failed, stock: Rendered | Failed | None) -> Iterator[_Complaint]:
    if isinstance(ours, Failed) and ours.fault in _LIMITS:
        yield _Complaint("limit", describe(ours))
    elif not fixture.expected.renders:
        yield from _judge_failure(fixture, ours, stock)
    elif isinstance(ours, Failed):
        yield _Complaint("failed", f"it should render, but {describe(ours)}")
    else:
        yield from _judge_text(fixture, ours.text, stock)


def _judge_failure(fixture: Fixture, ours: Rendered | Failed, stock: Rendered | Failed | None) -> Iterator[_Complaint]:
    """An expected error passes only if the template, and stock where there is one, fail with its text (L-005)."""
    wanted = fixture.expected.error
    if isinstance(ours, Rendered):
        yield _Complaint("not-refused", f"it should fail with {excerpt(wanted)}, but rendered")
    elif wanted not in ours.message:
        yield _Complaint("error-text", f"it should fail with {excerpt(wanted)}, but {describe(ours)}")
    if isinstance(stock, Rendered):
        yield _Complaint("stock-error", f"stock should fail with {excerpt(wanted)} too, but rendered")
    elif stock is not None and (wanted not in stock.message or stock.fault in _LIMITS):
        yield _Complaint("stock-error", f"stock should fail with {excerpt(wanted)} too, but {describe(stock)}")


def _judge_text(fixture: Fixture, text: str, stock: Rendered | Failed | None) -> Iterator[_Complaint]:
    expected = fixture.expected
    for wanted in expected.contains:
        if wanted not in text:
            yield _Complaint("contains", f"the prompt lacks {excerpt(wanted)}")
    for unwanted in expected.absent:
        if unwanted in text:
            yield _Complaint("absent", f"the prompt holds {excerpt(unwanted)}")
    for counted, times in expected.counts:
        if (found := text.count(counted)) != times:
            yield _Complaint("counts", f"the prompt holds {excerpt(counted)} {found:,} times, not {times:,}")
    if expected.matches_stock:
        yield from _judge_stock(text, stock)


def _judge_stock(text: str, stock: Rendered | Failed | None) -> Iterator[_Complaint]:
    if stock is None:
        yield _Complaint("no-stock", "it should match stock, but no stock is named to compare with")
    elif isinstance(stock, Failed):
        yield _Complaint("stock-error", f"it should match stock, but of stock {describe(stock)}")
    elif text != stock.text:
        yield _Complaint("matches-stock", difference(text, stock.text, "stock"))


def describe(failed: Failed) -> str:
    """What happened, in one bounded line."""
    words = {
        Fault.SYNTAX: "it cannot be read",
        Fault.RAISED: "the template raised",
        Fault.RUNTIME: "rendering failed",
        Fault.TIMEOUT: "it took too long",
        Fault.MEMORY: "it needed too much memory",
        Fault.CRASH: "the engine stopped",
    }
    message = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(failed.message[:2_000].split()))
    return f"{words[failed.fault]}: {message if len(message) <= 300 else message[:299] + '…'}"


def excerpt(text: str) -> str:
    """The text, or its beginning, between quotes and with nothing in it that a terminal would obey."""
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}… ({len(text):,} characters)"


def difference(ours: str, theirs: str, name: str) -> str:
    """Where two prompts part: the first character that differs, a little of what follows, and both lengths."""
    at = next((n for n, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        at = min(len(ours), len(theirs))
    return (
        f"the prompt differs from {name} from character {at:,} on: {ours[at : at + 24]!r} instead of "
        f"{theirs[at : at + 24]!r} ({len(ours):,} characters against {len(theirs):,})"
    )
