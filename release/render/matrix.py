"""What is rendered where, and all of it: one process an engine, two engines at a time.

Every fixture of every template in the engines that take less than a millisecond. Elsewhere every fixture of the
current templates, and a sample of each family for twins and archived versions (Case.kind).
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

from release.ports import CompiledTemplate, Engine
from release.render.cases import Case, Kind
from release.render.fixtures import Fixture
from release.render.hosts import FAST, Variables, handed_over, is_alike, is_left_open, seen
from release.render.structure.growth import growing
from release.render.structure.harmless import harmless
from release.render.wording import describe, difference, excerpt
from release.values.rendering import Failed, Fault, Rendered

AT_ONCE = 2
# Our limits stopped the render, or the engine's process ended.
LIMITS = (Fault.TIMEOUT, Fault.MEMORY, Fault.CRASH)


@dataclass(frozen=True)
class Made:
    """What an engine made of one fixture.

    `original` is what it made of it with the template whose twin this is, `harmless` what of the conversation without
    control tokens (structure.harmless), `others` what with other templates, by name, and `handed` what of the
    conversation as another engine's host hands it over, by engine. `unlike` tells of numbers of first messages how the
    prompt of these is no beginning of the whole; None: it is one.
    """

    ours: Rendered | Failed
    stock: Rendered | Failed | None = None
    original: Rendered | Failed | None = None
    harmless: Rendered | Failed | None = None
    others: Mapping[str, Rendered | Failed] = field(default_factory=dict)
    unlike: Mapping[int, str | None] = field(default_factory=dict)
    handed: Mapping[str, Rendered | Failed] = field(default_factory=dict)


@dataclass(frozen=True)
class Ran:
    """What one engine did: for each case, in their order, why it cannot be read, or what came of its fixtures."""

    version: str
    unavailable: str | None
    cases: tuple[Failed | Mapping[str, Made], ...]


def planned(case: Case, engine: str) -> tuple[Fixture, ...]:
    """The case's fixtures that this engine is given, those included that it must not be asked."""
    return tuple(fixture for fixture in case.fixtures if _is_planned(case, fixture, engine))


def _is_planned(case: Case, fixture: Fixture, engine: str) -> bool:
    return case.kind is Kind.CURRENT or engine in FAST or fixture.name in case.family.sample


def _hit_a_limit(made: Rendered | Failed) -> bool:
    return isinstance(made, Failed) and made.fault in LIMITS


def left_out(case: Case, fixture: Fixture, engine: str) -> str | None:
    """Why the fixture, or its whole family, must not be given to this engine; None: it may be."""
    return fixture.allowances.without.get(engine) or case.family.without.get(engine)


def reference(engines: Sequence[str]) -> str:
    """The engine that the others are compared with."""
    return "transformers" if "transformers" in engines else engines[0]


@contextmanager
def rendering(cases: Sequence[Case], engines: Sequence[Engine]) -> Iterator[Mapping[str, "Future[Ran]"]]:
    """What each engine made, by name, as it becomes known. Leaving the block ends what is still running."""
    names = [engine.name for engine in engines]
    stop = Event()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            yield {engine.name: pool.submit(_run, engine, cases, names, stop) for engine in engines}
        finally:
            stop.set()


def _run(engine: Engine, cases: Sequence[Case], names: Sequence[str], stop: Event) -> Ran:
    if stop.is_set():
        return Ran("", "it was not needed any more", ())
    with engine:
        if engine.unavailable is not None:
            return Ran(engine.version, engine.unavailable, ())
        room = _Room(engine, names, stop)
        made = tuple(room.run(case) for case in cases)
        return Ran(engine.version, None, made)


class _Room:
    """One engine while it works: its compiled templates, and the prompts that twins are compared with."""

    def __init__(self, engine: Engine, names: Sequence[str], stop: Event) -> None:
        self.engine = engine
        self.names = names
        self.stop = stop
        self.compiled: dict[str, CompiledTemplate | Failed] = {}
        self.prompts: dict[tuple[str, int], Rendered | Failed] = {}

    def run(self, case: Case) -> Failed | Mapping[str, Made]:
        asked = {fixture.name: left_out(case, fixture, self.engine.name) for fixture in planned(case, self.engine.name)}
        made = {name: Made(Failed(Fault.UNASKED, reason)) for name, reason in asked.items() if reason is not None}
        if asked and len(made) == len(asked):
            return made
        template = self._template(case.text)
        if isinstance(template, Failed):
            # Where a template cannot be read, its own case says so, and its twin need not.
            known = case.twin_of is not None and isinstance(self._template(case.twin_of), Failed)
            return {} if known else template
        stopped: str | None = None
        for fixture in planned(case, self.engine.name):
            if self.stop.is_set():
                break
            if fixture.name in made:
                continue
            if stopped is not None:
                made[fixture.name] = Made(Failed(Fault.UNASKED, stopped))
                continue
            made[fixture.name] = self._made(case, template, fixture)
            if _hit_a_limit(made[fixture.name].ours):
                # An endless loop is endless in every fixture: one is told, and the rest would only take their time.
                stopped = f"left out: {excerpt(fixture.name)} before it hit a limit"
        return made

    def _made(self, case: Case, template: CompiledTemplate, fixture: Fixture) -> Made:
        ours = template.render(fixture.variables)
        if _hit_a_limit(ours):
            return Made(ours)
        if case.kind is Kind.TWIN and case.twin_of is not None:
            return Made(ours, original=self._prompt(case.twin_of, fixture))
        self.prompts[case.text, id(fixture)] = ours
        if case.kind is Kind.ARCHIVED:
            return Made(ours, handed=self._handed(template, case, fixture))
        tame = harmless(fixture.variables) if case.family.structure.holds else None
        return Made(
            ours,
            stock=None if case.stock is None else self._prompt(case.stock, fixture),
            harmless=None if tame is None else template.render(tame),
            others={
                name: self._prompt(case.others[name], fixture)
                for name in fixture.expected_in(self.engine.name).equals
                if name in case.others
            },
            unlike=dict(self._unlike(case, template, fixture, ours)),
            handed=self._handed(template, case, fixture),
        )

    def _unlike(
        self, case: Case, template: CompiledTemplate, fixture: Fixture, ours: Rendered | Failed
    ) -> Iterator[tuple[int, str | None]]:
        if isinstance(ours, Failed):
            return
        expected = fixture.expected_in(self.engine.name)
        numbers = {*expected.prefix_kept, *expected.prefix_lost}
        if (
            self.engine.name in FAST
            and not {"append-only", "append-only-if-asked"} & fixture.allowances.exceptions.keys()
        ):
            numbers |= {*growing(fixture.variables, case.family.structure.holds)}
        messages = fixture.variables.get("messages")
        for number in sorted(numbers):
            first = messages[:number] if isinstance(messages, list) else []
            begun = {**fixture.variables, "messages": first, "add_generation_prompt": False}
            if is_left_open(self.engine.name, begun):
                continue  # its host would print the last of these by itself
            made = template.render(begun)
            if isinstance(made, Failed):
                yield number, f"of the first {number} messages {describe(made)}"
            elif ours.text.startswith(made.text):
                yield number, None
            else:
                whole = difference(ours.text[: len(made.text)], made.text, f"that of its first {number} messages")
                yield number, whole

    def _handed(self, template: CompiledTemplate, case: Case, fixture: Fixture) -> dict[str, Rendered | Failed]:
        """What this engine makes of what other hosts hand over, where it is the one that they are compared with."""
        if self.engine.name != reference(self.names):
            return {}
        own = seen(self.engine.name, fixture.variables)
        made: list[tuple[Variables, Rendered | Failed]] = []
        handed = {}
        for name in self.names:
            given = handed_over(name, fixture.variables)
            if is_alike(given, own) or not is_alike(seen(self.engine.name, given), given):
                continue
            if not _is_planned(case, fixture, name) or left_out(case, fixture, name) is not None:
                continue
            known = next((prompt for before, prompt in made if before == given), None)
            handed[name] = known or template.render(given)
            made.append((given, handed[name]))
        return handed

    def _prompt(self, text: str, fixture: Fixture) -> Rendered | Failed:
        if (text, id(fixture)) not in self.prompts:
            template = self._template(text)
            made = template if isinstance(template, Failed) else template.render(fixture.variables)
            self.prompts[text, id(fixture)] = made
        return self.prompts[text, id(fixture)]

    def _template(self, text: str) -> CompiledTemplate | Failed:
        if text not in self.compiled:
            self.compiled[text] = self.engine.compile(text)
        return self.compiled[text]
