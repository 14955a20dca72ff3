"""A patch as git prints it → the lines that it adds, file by file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from release.values import Oid

_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


@dataclass(frozen=True)
class AddedLines:
    """What a patch adds to one file: (line number from 1, bytes without the LF). `oid` is the new blob."""

    path: str
    oid: Oid
    old: Oid | None
    lines: tuple[tuple[int, bytes], ...]


def added_lines(patch: bytes) -> Iterator[AddedLines]:
    """One value a file that gains lines, from a patch without context (`-p -U0 --full-index`)."""
    path, ids, number = "", (b"", b""), 0
    lines: list[tuple[int, bytes]] = []
    for line in [*patch.split(b"\n"), b"diff --git "]:
        start = line[:1]
        if start == b"+" and number:
            lines.append((number, line[1:]))
            number += 1
        elif line.startswith(b"diff --git "):
            if lines:
                old = None if not ids[0].strip(b"0") else Oid(ids[0].decode())
                yield AddedLines(path, Oid(ids[1].decode()), old, tuple(lines))
            lines, number = [], 0
        elif line.startswith(b"index "):
            before, _, after = line.split(b" ")[1].partition(b"..")
            ids = (before, after)
        elif line.startswith(b"+++ "):
            path = unquoted(line[4:])
        elif line.startswith(b"@@ "):
            number = int(line.split(b" ")[2][1:].split(b",")[0])


def unquoted(name: bytes) -> str:
    """The path in a patch header: without git's C quoting, the tab behind a name with spaces, and `b/`."""
    name = name.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = re.sub(
            rb'\\([0-7]{3}|[abtnvfr"\\])',
            lambda m: bytes([int(m[1], 8) if m[1].isdigit() else _ESCAPES[m[1]]]),
            name[1:-1],
        )
    return name.removeprefix(b"b/").decode("utf-8", "surrogateescape")
