"""The calls at the end of a reply's block: found from the calls that were sent, and compared byte for byte.

<tool_call>                                     <tool_call>
<function=NAME>                                 {"name": NAME, "arguments": {...}}
<parameter=KEY>                                 </tool_call>
VALUE
</parameter>
</function>
</tool_call>
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from release.render.structure.limits import is_cut, is_stand_in
from release.render.structure.sequence import Found, find_in_order

_OPENING = "<tool_call>\n"
_SEPARATORS = ("\n\n", "\n")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Sent:
    """One call as it was sent. `may_leave`: media rules may have removed it; `limit`: where values are cut, 0 nowhere.

    `may_shrink` are the values for which a line may stand.
    """

    name: str
    arguments: object
    may_leave: bool = False
    limit: int = 0
    may_shrink: frozenset[str] = frozenset()


def sent_calls(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The calls of a message without their envelopes: a list, one call by itself, or the older function_call."""
    calls = message.get("tool_calls")
    if isinstance(calls, Mapping):
        calls = [calls]
    if not isinstance(calls, list) or not calls:
        old = message.get("function_call")
        calls = [old] if isinstance(old, Mapping) else []
    made = []
    for call in calls:
        if isinstance(call, Mapping):
            function = call.get("function")
            made.append(function if isinstance(function, Mapping) else call)
    return made


def split_calls(text: str, calls: Sequence[Sent]) -> tuple[str, int] | None:
    """The reply's text in front of its calls, and how many of them stand there; None where they cannot be found.

    The text comes without the blank line that parts it from the calls.
    """
    if not calls:
        return text, 0

    def ends(call: Sent, at: int, behind_another: bool) -> Iterator[tuple[int, str | None]]:
        for gap in _SEPARATORS if behind_another else ("",):
            if text.startswith(gap + _OPENING, at):
                end = _call(text, at + len(gap), call)
                if end is not None:
                    yield end, None

    at = text.find(_OPENING)
    while at >= 0:
        found = find_in_order(calls, at, len(text), ends)
        if isinstance(found, Found) and found.count:
            return text[:at], found.count
        at = text.find(_OPENING, at + 1)
    return (text, 0) if all(call.may_leave for call in calls) else None


def _call(text: str, at: int, call: Sent) -> int | None:
    """Where this call ends whose tag begins here; None where it is another one."""
    at += len(_OPENING)
    end = _as_xml(text, at, call)
    if end is None:
        end = _as_json(text, at, call)
    return end + len("</tool_call>") if end is not None and text.startswith("</tool_call>", end) else None


def _as_xml(text: str, at: int, call: Sent) -> int | None:
    begin = f"<function={call.name}>\n"
    if not text.startswith(begin, at):
        return None
    at += len(begin)
    if isinstance(call.arguments, Mapping):
        for key, value in call.arguments.items():
            end = _block(text, at, f"<parameter={key}>\n", value, "\n</parameter>\n", call, str(key))
            if end is None:
                return None
            at = end
    elif not _is_empty(call.arguments):
        end = _block(text, at, "<arguments_json>\n", call.arguments, "\n</arguments_json>\n", call, "")
        if end is None:
            return None
        at = end
    return at + len("</function>\n") if text.startswith("</function>\n", at) else None


def _block(text: str, at: int, opening: str, value: object, closing: str, call: Sent, key: str) -> int | None:
    """Where a value's block ends that begins here with this value."""
    if not text.startswith(opening, at):
        return None
    at += len(opening)
    if isinstance(value, str) and text.startswith(value + closing, at):
        return at + len(value) + len(closing)
    end = text.find(closing, at)
    if end < 0:
        return None
    shown = text[at:end]
    right = (
        (not isinstance(value, str) and _is_spelling(shown, value))
        or (key in call.may_shrink and is_stand_in(shown))
        or is_cut(shown, value if isinstance(value, str) else shown_as_json(value), call.limit)
    )
    return end + len(closing) if right else None


def _as_json(text: str, at: int, call: Sent) -> int | None:
    line, newline, _ = text[at:].partition("\n")
    try:
        shown = json.loads(line)
    except ValueError:
        return None
    if not newline or not isinstance(shown, dict) or shown.keys() != {"name", "arguments"}:
        return None
    wanted = call.arguments
    if isinstance(wanted, str):
        # Text that is an object is printed as it is; other text as a text.
        same = wanted.strip() in line if wanted.strip() else shown["arguments"] == {}
        same = same or shown["arguments"] == wanted
    else:
        same = is_same(shown["arguments"], {} if wanted is None else wanted)
    return at + len(line) + 1 if same and shown["name"] == call.name else None


def _is_empty(arguments: object) -> bool:
    return arguments is None or (isinstance(arguments, str) and not arguments.strip())


def _is_spelling(shown: str, value: object) -> bool:
    """Whether a text is a value in JSON or, for the three words and numbers, as Python writes it (D-04)."""
    if shown == str(value) and (value is None or isinstance(value, bool | int | float)):
        return True
    if isinstance(value, float | int) and not isinstance(value, bool):
        return bool(_NUMBER.fullmatch(shown)) and math.isclose(float(shown), value, rel_tol=1e-12)
    try:
        return is_same(json.loads(shown), value)
    except ValueError:
        return False


def is_same(shown: object, value: object) -> bool:
    """Whether two values are the same JSON, numbers by their value: engines write 1.0 in three ways."""
    if isinstance(value, Mapping):
        return (
            isinstance(shown, Mapping)
            and shown.keys() == value.keys()
            and all(is_same(shown[key], item) for key, item in value.items())
        )
    if isinstance(value, list):
        return isinstance(shown, list) and len(shown) == len(value) and all(map(is_same, shown, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return isinstance(shown, int | float) and math.isclose(shown, value, rel_tol=1e-12)
    return type(shown) is type(value) and shown == value


def shown_as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
