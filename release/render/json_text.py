"""Strict JSON: what `json` reads, less what it lets pass, with the place of every key."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

# Keys of nested objects and indices of arrays, from the outside in.
JsonPath = tuple[str | int, ...]
# Engines walk values by recursion; nothing that a chat holds comes near this.
_DEEPEST = 200
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|-?(?:Infinity|NaN)')


class JsonFault(ValueError):
    """JSON that is refused: the complaint, with line and column from 1 where they are known."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass
class _Level:
    """An object (`keys` seen so far) or an array (`keys` None, at element `at`) that is being read."""

    keys: set[str] | None
    at: str | int = 0
    expects_key: bool = field(default=True)


def read_json(content: bytes) -> tuple[object, Mapping[JsonPath, tuple[int, int]]]:
    """The value, and (line, column) from 1 of each object's key by its path.

    Raises `JsonFault` for what is no JSON (RFC 8259), a byte order mark, a key that stands twice in one object, and
    the numbers NaN and Infinity, which Python would let pass.
    """
    text = _decoded(content)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise JsonFault(error.msg, error.lineno, error.colno) from error
    except RecursionError as error:
        raise JsonFault("it is nested too deeply") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise JsonFault(str(error)) from error
    return value, _places(text)


def _decoded(content: bytes) -> str:
    if content.startswith(b"\xef\xbb\xbf"):
        raise JsonFault("it begins with a byte order mark", 1, 1)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        raise JsonFault("it is not UTF-8", line, column) from error


def _places(text: str) -> dict[JsonPath, tuple[int, int]]:
    places: dict[JsonPath, tuple[int, int]] = {}
    levels: list[_Level] = []
    line, begin = 1, 0
    for match in _TOKEN.finditer(text):
        token, start = match[0], match.start()
        line += text.count("\n", begin, start)
        begin = start
        place = (line, start - text.rfind("\n", 0, start))
        if token in "{[":
            if len(levels) == _DEEPEST:
                raise JsonFault(f"it is nested more than {_DEEPEST} levels deep", *place)
            levels.append(_Level(set() if token == "{" else None))
        elif token in "}]":
            levels.pop()
        elif token == ",":
            level = levels[-1]
            level.expects_key = True
            if isinstance(level.at, int):
                level.at += 1
        elif not token.startswith('"'):
            raise JsonFault(f"{token} is no JSON number", *place)
        elif levels and levels[-1].keys is not None and levels[-1].expects_key:
            _take_key(levels, token, place, places)
    return places


def _take_key(
    levels: list[_Level], token: str, place: tuple[int, int], places: dict[JsonPath, tuple[int, int]]
) -> None:
    level, key = levels[-1], json.loads(token)
    assert level.keys is not None
    if key in level.keys:
        raise JsonFault(f"the key {key[:80]!r} stands twice in the same object", *place)
    level.keys.add(key)
    level.at, level.expects_key = key, False
    places[tuple(one.at for one in levels)] = place
