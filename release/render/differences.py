"""Kinds of difference between engines that are known and cannot be written around (ENGINES.md §2, D-08).

A fixture, or its whole family, declares the kinds that it shows. A declaration is believed as far as it goes: where
the kind is about how something is spelled, two prompts must be the same once both are spelled alike.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_LLAMA = frozenset({"llama.cpp", "llama.cpp-bare", "llama.cpp-raw", "minja"})
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SPACE = re.compile(r"[\s\ufeff\x1c-\x1f\x85]+")
# White space that all engines trim.
_PLAIN_SPACE = frozenset(" \t\n\r\v\f")


@dataclass(frozen=True)
class Kind:
    """One kind: what it is about, the engines that go their own way, and which conversations can show it.

    `spelled_alike` brings two prompts to one spelling; None: no such spelling exists, the kind covers any difference.
    """

    about: str
    engines: frozenset[str]
    is_shown_by: Callable[[Mapping[str, object]], bool]
    spelled_alike: Callable[[str], str] | None


def explained(ours: str, theirs: str, engines: tuple[str, str], kinds: Sequence[str]) -> bool:
    """Whether two prompts of these two engines differ only as these kinds say."""
    concerned = [KINDS[name] for name in kinds if KINDS[name].engines & set(engines)]
    if any(kind.spelled_alike is None for kind in concerned):
        return True
    for spelled_alike in (kind.spelled_alike for kind in concerned if kind.spelled_alike is not None):
        ours, theirs = spelled_alike(ours), spelled_alike(theirs)
    return bool(concerned) and ours == theirs


def texts(value: object) -> Iterator[str]:
    """Every text in a value, keys of mappings too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def _has_json(variables: Mapping[str, object]) -> bool:
    """Tools or calls: what templates print as JSON."""
    messages = variables.get("messages")
    said = messages if isinstance(messages, list) else []
    return bool(variables.get("tools")) or any(isinstance(one, Mapping) and one.get("tool_calls") for one in said)


def _has_number(value: object) -> bool:
    if isinstance(value, float):
        return True
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) >= 1 << 53
    if isinstance(value, Mapping):
        return any(map(_has_number, value.values()))
    return isinstance(value, list) and any(map(_has_number, value))


def _has_odd_space(value: object) -> bool:
    return any(char not in _PLAIN_SPACE and _SPACE.match(char) for text in texts(value) for char in text)


def _is_beyond_ascii(value: object) -> bool:
    return any(not text.isascii() for text in texts(value))


def _json_alike(text: str) -> str:
    return "\n".join(map(_line_alike, text.split("\n")))


def _line_alike(line: str) -> str:
    """A line that is JSON, with its keys in order and nothing escaped that need not be."""
    try:
        value = json.loads(line) if line[:1] in ("{", "[", '"') else None
    except ValueError:
        return line
    return line if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _numbers_alike(text: str) -> str:
    return _NUMBER.sub(lambda match: repr(float(match[0])), text)


def _spaces_alike(text: str) -> str:
    return _SPACE.sub("", text)


KINDS = {
    "json": Kind("how JSON is written: order of keys, escapes", frozenset({"jinja2"}), _has_json, _json_alike),
    "numbers": Kind(
        "how numbers are written: 1.0, 1 or 1.000000; 1e22",
        _LLAMA | {"minijinja", "hf-jinja"},
        _has_number,
        _numbers_alike,
    ),
    "white-space": Kind(
        "which white space beyond ASCII is trimmed", _LLAMA | {"hf-jinja"}, _has_odd_space, _spaces_alike
    ),
    "length": Kind(
        "in what a length is measured: characters, UTF-16 units or bytes (D-08)",
        _LLAMA | {"hf-jinja"},
        _is_beyond_ascii,
        None,
    ),
    "case": Kind("how letters beyond ASCII are lowered", _LLAMA, _is_beyond_ascii, None),
    "clock": Kind(
        "what the time is: engines without a clock, and one of the machine's",
        _LLAMA | {"jinja2", "hf-jinja"},
        lambda variables: "current_date" not in variables,
        None,
    ),
}
