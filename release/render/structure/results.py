"""The results in one user block, found from the results that were sent, and compared byte for byte.

<tool_response>
RESULT
</tool_response>
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from release.render.structure.limits import is_cut, is_stand_in
from release.render.structure.sequence import Found, find_in_order

OPENING = "<tool_response>\n"
_CLOSING = "\n</tool_response>"


@dataclass(frozen=True)
class Result:
    """One result as it was sent: the forms that are right. `noted`: a note may follow, after a blank line.

    `may_leave`: media rules may have removed it; `may_shrink`: or put a line in its place. `limit`: where it is cut, 0
    nowhere.
    """

    forms: tuple[str, ...]
    noted: bool = False
    may_leave: bool = False
    may_shrink: bool = False
    limit: int = 0


def find_results(text: str, results: Sequence[Result]) -> Found | int:
    """What of these results a block holds, in their order and nothing else; or the index of the first that is wrong."""

    sent = {form for result in results for form in result.forms}

    def ends(result: Result, at: int, behind_another: bool) -> Iterator[tuple[int, str | None]]:
        if behind_another:
            if not text.startswith("\n", at):
                return
            at += 1
        if text.startswith(OPENING, at):
            yield from _ends(text, at + len(OPENING), result, sent)

    return find_in_order(results, 0, len(text), ends)


def _ends(text: str, at: int, result: Result, sent: Collection[str]) -> Iterator[tuple[int, str | None]]:
    """Where the result may end whose text begins here, each with the note in it."""
    found = False
    for form in result.forms:
        if text.startswith(form, at):
            behind = at + len(form)
            end = text.find(_CLOSING, behind)
            if end == behind:
                found = True
                yield end + len(_CLOSING), None
            elif result.noted and text.startswith("\n\n", behind) and end >= 0:
                found = True
                yield end + len(_CLOSING), text[behind + 2 : end]
    if not found:
        yield from _changed(text, at, result, sent)


def _changed(text: str, at: int, result: Result, sent: Collection[str]) -> Iterator[tuple[int, str | None]]:
    """The same for a result that was cut, or for which a line stands."""
    end = text.find(_CLOSING, at)
    while end >= 0:
        shown = text[at:end]
        whole, _, note = shown.rpartition("\n\n")
        if result.may_shrink and shown not in sent and is_stand_in(shown):
            yield end + len(_CLOSING), shown
        elif any(is_cut(shown, form, result.limit) for form in result.forms):
            yield end + len(_CLOSING), None
        elif result.noted and any(is_cut(whole, form, result.limit) for form in result.forms):
            yield end + len(_CLOSING), note
        end = text.find(_CLOSING, end + 1) if result.limit else -1
