"""Expectation: what must come of one conversation, as an entry of `expected-results.json` says it.

The keys of L-003 and more; each but `status` may be left out:

    status         rendered or error
    contains       texts that the prompt holds;  absent: texts that it lacks
    counts         text → how often it stands in the prompt
    starts_with, ends_with   the prompt's beginning and end
    matches_stock  true: the prompt is stock's;  equals: other templates, by name, whose prompts are the same
    prefix_kept    numbers of messages: the prompt of the first n of them, without a generation prompt, is what the
                   whole prompt begins with;  prefix_lost: it is not, and that is known
    error          a part of the message of an expected error

What holds of the fixture and not of its prompt (engines, per_engine, differs, structure, kwargs) is read by
`release.render.allowances`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from release.render.json_text import JsonPath
from release.render.reading import PackageReader, short

EXPECTED = "expected-results.json"
STOCK_NAME = "stock"


@dataclass(frozen=True)
class Expectation:
    """What a prompt must hold and lack, how often, and what it equals; or (`renders` False) how it must fail.

    `counts` pairs a text with how often it stands in the prompt, without overlaps. `error` is part of the message.
    `equals` are names that the suite's caller knows. `prefix_kept` and `prefix_lost` are numbers of messages.
    """

    renders: bool
    contains: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    error: str = ""
    matches_stock: bool = False
    starts_with: str = ""
    ends_with: str = ""
    equals: tuple[str, ...] = ()
    prefix_kept: tuple[int, ...] = ()
    prefix_lost: tuple[int, ...] = ()


def read_expectation(reader: PackageReader, path: JsonPath, fields: Mapping[str, object]) -> Expectation:
    """What the known keys at `path` say, all of them belonging to one expectation; complaints go to the reader."""
    status = fields.get("status")
    if status not in ("rendered", "error"):
        reader.complain(EXPECTED, (*path, "status"), f"{short(path[-1])} needs 'status': rendered or error")
    else:
        _refuse_what_says_nothing(reader, path, fields, status)
    return Expectation(renders=status == "rendered", **read_keys(reader, path, fields))


def read_keys(reader: PackageReader, path: JsonPath, fields: Mapping[str, object]) -> dict[str, Any]:
    """The fields of an Expectation, but `renders`, for those keys that are there."""
    made = {key: read(reader, (*path, key), fields[key]) for key, read in _READERS.items() if key in fields}
    if fields.get("status") == "error" and "error" not in made:
        reader.complain(EXPECTED, path, f"{short(path[-1])} needs 'error', a part of the message")
    return made


def _refuse_what_says_nothing(
    reader: PackageReader, path: JsonPath, fields: Mapping[str, object], status: object
) -> None:
    for key in fields:
        if key in _READERS and (key == "error") != (status == "error"):
            reader.complain(EXPECTED, (*path, key), f"{key!r} says nothing where the status is {status}")


def _text(reader: PackageReader, path: JsonPath, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    reader.complain(EXPECTED, path, f"{path[-1]!r} must be a text, and not an empty one")
    return ""


def _truth(reader: PackageReader, path: JsonPath, value: object) -> bool:
    if not isinstance(value, bool):
        reader.complain(EXPECTED, path, f"{path[-1]!r} must be true or false")
    return value is True


def _texts(reader: PackageReader, path: JsonPath, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    reader.complain(EXPECTED, path, f"{path[-1]!r} must be a list of texts, none of them empty")
    return ()


def _counts(reader: PackageReader, path: JsonPath, value: object) -> tuple[tuple[str, int], ...]:
    if isinstance(value, dict) and all(text and _is_count(count) for text, count in value.items()):
        return tuple(value.items())
    reader.complain(EXPECTED, path, f"{path[-1]!r} must map texts to how often they stand in the prompt")
    return ()


def _numbers(reader: PackageReader, path: JsonPath, value: object) -> tuple[int, ...]:
    if isinstance(value, list) and all(_is_count(item) and item for item in value):
        return tuple(value)
    reader.complain(EXPECTED, path, f"{path[-1]!r} must be a list of numbers of messages, from 1 on")
    return ()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_READERS: dict[str, Callable[[PackageReader, JsonPath, object], Any]] = {
    "contains": _texts,
    "absent": _texts,
    "counts": _counts,
    "error": _text,
    "matches_stock": _truth,
    "starts_with": _text,
    "ends_with": _text,
    "equals": _texts,
    "prefix_kept": _numbers,
    "prefix_lost": _numbers,
}
KEYS = ("status", *_READERS)
