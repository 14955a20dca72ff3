"""One fixture in several engines: what differs, and whether a host or a known kind of difference explains it.

Each engine is compared with one (matrix.reference), and where its host changes the conversation with what that one
makes of the changed conversation. An engine for which the fixture has expectations of its own is explained by these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from release.render.cases import Case
from release.render.differences import KINDS, explained
from release.render.fixtures import Fixture
from release.render.hosts import handed_over, is_alike, own_part, seen
from release.render.matrix import LIMITS, Made
from release.render.wording import describe, difference
from release.values.rendering import Failed, Fault, Rendered


class Agreement(Enum):
    """SAME as the engine that it is compared with. HOST: another prompt, of another conversation. KNOWN: a known
    difference, or nothing to compare with. DIFFERENT: nothing explains it.
    """

    SAME = auto()
    HOST = auto()
    KNOWN = auto()
    DIFFERENT = auto()


@dataclass(frozen=True)
class Comparison:
    """`unlike` says how it differs, where it does."""

    agreement: Agreement
    unlike: str = ""


def compare(case: Case, fixture: Fixture, engine: str, made: Made, others: Mapping[str, Made]) -> Comparison:
    """This engine beside the `others`, whose first is the one to compare with."""
    if engine in fixture.allowances.per_engine or not _is_an_answer(made.ours):
        return Comparison(Agreement.KNOWN)
    beside = {
        name: other
        for name, other in others.items()
        if name not in fixture.allowances.per_engine and _is_an_answer(other.ours)
    }
    if not beside:
        return Comparison(Agreement.KNOWN)
    base = next(iter(beside))
    if _is_same(made.ours, beside[base].ours):
        return Comparison(Agreement.SAME)
    given = handed_over(engine, fixture.variables)
    if is_alike(given, seen(base, fixture.variables)):
        return _with_kinds(case, fixture, (engine, base), made.ours, beside[base].ours)
    ours = _own(made.ours, engine, fixture)
    handed = beside[base].handed.get(engine)
    witnesses = [(base, handed)] if handed is not None else []
    witnesses += [
        (name, _own(other.ours, name, fixture))
        for name, other in beside.items()
        if is_alike(given, handed_over(name, fixture.variables))
    ]
    for name, theirs in witnesses:
        compared = _with_kinds(case, fixture, (engine, name), ours, theirs)
        return compared if compared.agreement is Agreement.DIFFERENT else Comparison(Agreement.HOST)
    return Comparison(Agreement.HOST)


def kinds_of(case: Case, fixture: Fixture) -> Sequence[str]:
    """The kinds of difference that the fixture declares, and those of its family that its conversation can show."""
    of_the_family = [kind for kind in case.family.differs if KINDS[kind].is_shown_by(fixture.variables)]
    return tuple(dict.fromkeys((*fixture.allowances.differs, *of_the_family)))


def _with_kinds(
    case: Case, fixture: Fixture, engines: tuple[str, str], ours: Rendered | Failed, theirs: Rendered | Failed
) -> Comparison:
    if _is_same(ours, theirs):
        return Comparison(Agreement.SAME)
    known = kinds_of(case, fixture)
    if isinstance(ours, Rendered) and isinstance(theirs, Rendered):
        if explained(ours.text, theirs.text, engines, known):
            return Comparison(Agreement.KNOWN)
        return Comparison(Agreement.DIFFERENT, difference(ours.text, theirs.text, f"{engines[1]}'s"))
    if isinstance(ours, Failed) and isinstance(theirs, Failed):
        return Comparison(Agreement.DIFFERENT, f"{describe(ours)}; in {engines[1]} {describe(theirs)}")
    if isinstance(ours, Failed):
        return Comparison(Agreement.DIFFERENT, f"{engines[1]} renders it, but here {describe(ours)}")
    assert isinstance(theirs, Failed)
    return Comparison(Agreement.DIFFERENT, f"it renders here, but in {engines[1]} {describe(theirs)}")


def _own(made: Rendered | Failed, engine: str, fixture: Fixture) -> Rendered | Failed:
    """What of a prompt the template made."""
    return Rendered(own_part(engine, fixture.variables, made.text)) if isinstance(made, Rendered) else made


def _is_same(ours: Rendered | Failed, theirs: Rendered | Failed) -> bool:
    """Equal prompts, the same refusal, or both stopped by their engines, each in words of its own."""
    if isinstance(ours, Failed) and isinstance(theirs, Failed):
        return ours.fault is theirs.fault and (ours.fault is not Fault.RAISED or ours.message == theirs.message)
    return ours == theirs


def _is_an_answer(made: Rendered | Failed) -> bool:
    return isinstance(made, Rendered) or made.fault not in (*LIMITS, Fault.UNASKED)
