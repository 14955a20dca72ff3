"""Templates, fixtures and engines → what came of each, and a finding for all that should have come out otherwise.

Nothing here prints a prompt: a finding shows at most a few dozen characters of any text (L-007).
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future

from release.ports import Engine
from release.render.agreement import Agreement, compare
from release.render.cases import Case, Kind, Outcome
from release.render.fixtures import Fixture
from release.render.hosts import SERVERS
from release.render.matrix import Made, Ran, left_out, reference, rendering
from release.render.verdicts import Complaint, verdict
from release.render.wording import describe, difference, excerpt
from release.values import EngineRun, Finding
from release.values.rendering import Failed

__all__ = ["Case", "Kind", "Outcome", "describe", "difference", "excerpt", "run_suite"]


def run_suite(cases: Sequence[Case], engines: Sequence[Engine]) -> Iterator[Finding | Outcome | EngineRun]:
    """Engine by engine: a Finding for a template that cannot be read, an Outcome a fixture, last an EngineRun.

    The order is that of engines, cases and fixtures, whichever was done first. `EngineRun.renders` counts the fixtures
    that the engine was given and answered. An engine that is not installed is no error: its EngineRun says why it did
    not run. Closing the iterator ends all engines.
    """
    if engines:
        with rendering(cases, engines) as running:
            yield from _Judge(cases, running).heard()


class _Judge:
    """Hears what the engines made, each beside the one that all are compared with."""

    def __init__(self, cases: Sequence[Case], running: Mapping[str, "Future[Ran]"]) -> None:
        self.cases = cases
        self.running = running
        self.engines = list(running)
        self.first = reference(self.engines)

    def heard(self) -> Iterator[Finding | Outcome | EngineRun]:
        for engine, future in self.running.items():
            ran = future.result()
            if ran.unavailable is not None:
                yield EngineRun(engine, ran.version, 0, ran.unavailable)
                continue
            renders = planned = 0
            for number, made in enumerate(ran.cases):
                for one in self._case(number, engine, made):
                    planned += isinstance(one, Outcome) and left_out(one.case, one.fixture, engine) is None
                    renders += isinstance(one, Outcome) and one.not_asked is None
                    yield one
            if planned and not renders:
                yield Finding(
                    "render/nothing-asked", f"{engine} was given none of {planned} fixtures that it could take"
                )
            yield EngineRun(engine, ran.version, renders)

    def _case(self, number: int, engine: str, made: Failed | Mapping[str, Made]) -> Iterator[Finding | Outcome]:
        case = self.cases[number]
        if isinstance(made, Failed):
            what = f"{engine} cannot read the template: {describe(made)}"
            yield Finding("render/compile", what, path=case.path, line=made.line, column=made.column)
            return
        for fixture in case.fixtures:
            if fixture.name in made:
                others = self._others(number, engine, fixture) if case.kind is not Kind.TWIN else {}
                yield _outcome(case, engine, fixture, made[fixture.name], others)

    def _others(self, number: int, engine: str, fixture: Fixture) -> dict[str, Made]:
        """What the engines before this one made of the fixture, the one first that all are compared with."""
        if engine == self.first:
            return {}
        before = self.engines[: self.engines.index(engine)]
        others = {}
        for name in [self.first, *(name for name in before if name != self.first)]:
            ran = self.running[name].result()
            made = ran.cases[number] if ran.cases else {}
            if isinstance(made, Mapping) and fixture.name in made:
                others[name] = made[fixture.name]
        return others


def _outcome(case: Case, engine: str, fixture: Fixture, made: Made, others: Mapping[str, Made]) -> Outcome:
    line, column = (made.ours.line, made.ours.column) if isinstance(made.ours, Failed) else (None, None)
    findings = tuple(
        Finding(
            f"render/{complaint.rule}",
            f"{engine}, fixture {excerpt(fixture.name)}: {complaint.text}",
            path=case.path,
            line=line,
            column=column,
        )
        for complaint in _complaints(case, engine, fixture, made, others)
    )
    return Outcome(case, engine, fixture, made.ours, made.stock, findings)


def _complaints(
    case: Case, engine: str, fixture: Fixture, made: Made, others: Mapping[str, Made]
) -> Iterator[Complaint]:
    compared = compare(case, fixture, engine, made, others)
    # What a server changed is expected of nobody; the prompt of the changed conversation is the right one.
    changed = engine in SERVERS and compared.agreement is Agreement.HOST
    own = engine in fixture.allowances.per_engine
    yield from verdict(case, fixture, engine, made, as_expected=own or not changed)
    if compared.agreement is Agreement.DIFFERENT:
        yield Complaint("engines-differ", compared.unlike)
