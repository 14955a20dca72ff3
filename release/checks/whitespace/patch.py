"""A patch as git prints it → the lines that it adds, file by file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from release.values import Oid

_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_LINK, _SUBMODULE = b"120000", b"160000"


@dataclass(frozen=True)
class ChangedFile:
    """A file that a patch makes or changes: its new and old blob (None: there was none), and what it adds.

    `lines` are (line number from 1, bytes without the LF). `is_link`: the content is the target of a symbolic link.
    """

    path: str
    oid: Oid
    old: Oid | None
    lines: tuple[tuple[int, bytes], ...]
    is_link: bool


def changed_files(patch: bytes) -> Iterator[ChangedFile]:
    """Every file with changed content, from a patch of `git diff-tree -p --full-index`. Submodules are left out."""
    header: list[bytes] = []
    lines: list[tuple[int, bytes]] = []
    number: int | None = None
    for line in [*patch.split(b"\n"), b"diff --git "]:
        # Below a hunk's header every line begins with its sign, so none of these can be content.
        if line.startswith(b"diff --git "):
            yield from _file(header, lines)
            header, lines, number = [], [], None
        elif line.startswith(b"@@ "):
            number = int(line.split(b" ")[2][1:].split(b",")[0])
        elif number is None:
            header.append(line)
        elif line.startswith(b"+"):
            lines.append((number, line[1:]))
            number += 1
        elif line.startswith(b" "):
            number += 1


def _file(header: list[bytes], lines: list[tuple[int, bytes]]) -> Iterator[ChangedFile]:
    facts = {word: rest for word, _, rest in (line.partition(b" ") for line in header)}
    ids, _, mode = facts.get(b"index", b"").partition(b" ")
    old, _, new = ids.partition(b"..")
    mode = mode or next((line[-6:] for line in header if line.startswith((b"new file mode ", b"new mode "))), b"")
    # Content that did not change has no ids here; content that went away has zeros.
    if new.strip(b"0") and mode != _SUBMODULE and b"+++" in facts:
        before = Oid(old.decode()) if old.strip(b"0") else None
        yield ChangedFile(unquoted(facts[b"+++"]), Oid(new.decode()), before, tuple(lines), mode == _LINK)


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
