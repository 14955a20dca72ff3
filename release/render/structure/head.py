"""The system's texts: the head of the prompt, with the tools and the leading texts, and later ones by themselves."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from release.render.structure.blocks import Block
from release.render.structure.calls import is_same
from release.render.structure.forms import SENTINEL_TOKENS, flattened, trimmed, without
from release.render.structure.rules import Complaint

_TOOLS, _END_OF_TOOLS = "<tools>\n", "</tools>"
_TAGS = ("tool_call", "tool_response", "think", "tools", "function", "parameter", "IMPORTANT")


@dataclass(frozen=True)
class System:
    """How texts of the system and the user may differ from what was sent: notes, sentinels, the media marker."""

    notes: bool = False
    switches: bool = False
    marker: str = ""

    def forms(self, message: Mapping[str, object], *, marked: bool = True) -> tuple[str, ...]:
        """What the message's text may look like; `marked`: the media marker leaves it."""
        text = flattened(message.get("content"))
        if marked:
            text = without(text, self.marker)
        if self.switches:
            # A text that stands in a result's tags keeps its sentinels; either is a right form then.
            cut = without(text, *SENTINEL_TOKENS)
            return tuple(dict.fromkeys((*trimmed(cut), *(trimmed(text) if "<tool_response>" in text else ()))))
        return trimmed(text)

    def fits(self, shown: str, forms: Sequence[str]) -> bool:
        return shown in forms or (self.notes and any(shown.startswith(f"{form}\n\n") or not form for form in forms))


def is_system(message: Mapping[str, object]) -> bool:
    return message.get("role") in ("system", "developer")


def read_head(
    blocks: Sequence[Block], messages: Sequence[Mapping[str, object]], tools: object, system: System
) -> tuple[int, int, tuple[Complaint, ...]]:
    """(messages whose texts stand in the head, blocks that it takes, what is wrong with it).

    How many leading texts are joined is the family's own business: as many as stand in the first block.
    """
    leading = next((n for n, one in enumerate(messages) if not is_system(one)), len(messages))
    given = [tool for tool in tools if tool is not None] if isinstance(tools, list) else []
    block = blocks[0] if blocks and blocks[0].role == "system" else None
    if given:
        if block is None or not block.text.startswith("# Tools"):
            return 0, 0, (Complaint("tools", f"the prompt does not begin with the list of {len(given)} tools"),)
        return _with_tools(block.text, messages[:leading], given, system)
    for size in range(leading, 0, -1):
        joined = _joined(messages[:size], system)
        if block is not None and any(joined) and system.fits(block.text, joined):
            return size, 1, ()
    # Without a text nothing is printed; what does not fit is a message of its own, and is complained of there.
    return 0, 0, ()


def _with_tools(
    text: str, leading: Sequence[Mapping[str, object]], tools: Sequence[object], system: System
) -> tuple[int, int, tuple[Complaint, ...]]:
    _, _, listed = text.partition(_TOOLS)
    lines = listed.split("\n")
    wrong = [*_tools(lines, tools)]
    written = "\n".join(lines[len(tools) + 1 :])
    # Without any text the instructions end where the head does: there is a size that fits.
    places = ((size, _place(written, _joined(leading[:size], system), system)) for size in range(len(leading), -1, -1))
    size, written = next((size, written[:at]) for size, at in places if at is not None)
    for tag in _TAGS:
        if len(re.findall(rf"<{tag}[=>]", written)) != written.count(f"</{tag}>"):
            wrong.append(Complaint("tokens", f"the template writes <{tag}> and </{tag}> not equally often"))
    return size, 1, tuple(wrong)


def _tools(lines: Sequence[str], tools: Sequence[object]) -> Iterator[Complaint]:
    """One tool a line, whole or without its envelope (T-032)."""
    for number, tool in enumerate(tools):
        shown = _value(lines[number]) if number < len(lines) else None
        bare = tool.get("function") if isinstance(tool, Mapping) else None
        if not is_same(shown, tool) and (bare is None or not is_same(shown, bare)):
            yield Complaint("tools", f"tools[{number}] does not stand in its line as it was sent")
    if lines[len(tools) : len(tools) + 1] != [_END_OF_TOOLS]:
        yield Complaint("tools", "the list of tools does not end after the last of them")


def _value(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _joined(messages: Sequence[Mapping[str, object]], system: System) -> tuple[str, ...]:
    """The texts of some leading messages as one, blank ones left out."""
    joined: tuple[str, ...] = ("",)
    for message in messages:
        forms = system.forms(message)
        joined = tuple("\n".join(filter(None, (text, form))) for text in joined for form in forms)
    return tuple(dict.fromkeys(joined))


def _place(written: str, forms: Sequence[str], system: System) -> int | None:
    """Where the instructions end and the system's text begins; None where it does not stand there."""
    for form in forms:
        if not form:
            return len(written)
        if written.endswith(f"\n\n{form}"):
            return len(written) - len(form)
        at = written.find(f"\n\n{form}\n\n")
        if system.notes and at >= 0:
            return at
    return None
