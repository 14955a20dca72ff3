"""Things that were sent, found again in a text in their order, where some of them may have left."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar


class _MayLeave(Protocol):
    @property
    def may_leave(self) -> bool: ...


_T = TypeVar("_T", bound=_MayLeave)


@dataclass(frozen=True)
class Found:
    """How many of them stand there, and what the template wrote beside them."""

    count: int = 0
    notes: tuple[str, ...] = ()


# From (thing, where it would begin, whether another stands before it) to (where it ends, note) for each way to read it.
Ends = Callable[[_T, int, bool], Iterable[tuple[int, str | None]]]


def find_in_order(things: Sequence[_T], start: int, stop: int, ends: "Ends[_T]") -> Found | int:
    """What of the things stands from `start` to `stop`, with nothing else between; or the index of the first that is
    wrong, their number where something follows the last.

    All ways to read the text are followed at once: one thing that left may look like the next one that did not.
    """
    reached = {start: Found()}
    for index, thing in enumerate(things):
        further: dict[int, Found] = {}
        for at, found in reached.items():
            for end, note in ends(thing, at, found.count > 0):
                notes = found.notes if note is None else (*found.notes, note)
                _keep(further, end, Found(found.count + 1, notes))
            if thing.may_leave:
                _keep(further, at, found)
        if not further:
            return index
        reached = further
    return reached.get(stop, len(things))


def _keep(reached: dict[int, Found], at: int, found: Found) -> None:
    if at not in reached or reached[at].count < found.count:
        reached[at] = found
