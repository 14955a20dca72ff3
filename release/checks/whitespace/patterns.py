"""A pattern of .gitattributes → an expression over paths, as gitattributes(5) and gitignore(5) describe it.

On bytes, as git matches. What a pattern means where the manual is silent was asked of git itself, in the tests.
"""

import re
import string
from collections.abc import Iterator

# Under these names in `[[:name:]]`; git knows no locale.
_CLASSES = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, [*range(32), 127])),
    b"digit": string.digits,
    b"graph": "".join(map(chr, range(33, 127))),
    b"lower": string.ascii_lowercase,
    b"print": "".join(map(chr, range(32, 127))),
    b"punct": string.punctuation,
    b"space": " \t\n\r",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}
# Pieces of an expression that stand for any number of characters: within a folder, across folders, whole folders.
_STAR, _ANY, _FOLDERS = b"[^/]*", b".*", b"(?:.*/)?"


def compiled(pattern: bytes) -> re.Pattern[bytes] | None:
    """Matches the whole of a path below the file's folder; None: no file can match."""
    if pattern.endswith(b"/"):
        # A folder has no attributes of its own, and passes none on.
        return None
    if b"/" not in pattern:
        expression = _expression(pattern, whole_path=False)
        return None if expression is None else re.compile(rb"(?:.*/)?" + expression, re.DOTALL)
    pattern = pattern.removeprefix(b"/")
    # What comes before the first special character is compared first, and `**` then stands at a beginning.
    literal = re.match(rb"[^*?\[\\]*", pattern)
    start = literal.end() if literal else 0
    expression = _expression(pattern[start:], whole_path=True)
    return None if expression is None else re.compile(re.escape(pattern[:start]) + expression, re.DOTALL)


def _expression(pattern: bytes, *, whole_path: bool) -> bytes | None:
    try:
        pieces = list(_pieces(pattern, whole_path))
    except ValueError:
        return None
    expression = b""
    after_star = False
    for index, piece in enumerate(pieces):
        if piece in (_STAR, _ANY, _FOLDERS):
            expression += b")" if after_star else b""
            # What stands between two stars is taken where it first fits: another place could not help what follows.
            after_star = piece == _STAR and any(p in (_STAR, _ANY, _FOLDERS) for p in pieces[index + 1 :])
            expression += b"(?>[^/]*?" if after_star else piece
        else:
            expression += piece
    return expression


def _pieces(pattern: bytes, whole_path: bool) -> Iterator[bytes]:
    """Expressions for one character each, or one of the three above. Raises `ValueError` for what cannot match."""
    at = 0
    while at < len(pattern):
        char = pattern[at : at + 1]
        if char == b"*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip(b"*"))
            apart = (at == 0 or pattern[at - 1 : at] == b"/") and re.match(rb"\Z|\\?/", pattern[end:])
            if not whole_path or end - at == 1 or not apart:
                yield _STAR
            elif pattern[end : end + 1] == b"/":
                yield _FOLDERS
                end += 1
            else:
                yield _ANY
            at = end
        elif char == b"[":
            members, at = _set(pattern, at + 1)
            escaped = b"".join(rb"\x%02x" % byte for byte in sorted(members - {ord("/")}))
            yield b"[%b]" % escaped if escaped else b"(?!)"
        else:
            at += char == b"\\"
            if at == len(pattern):
                raise ValueError("nothing follows the backslash")
            yield b"[^/]" if char == b"?" else re.escape(pattern[at : at + 1])
            at += 1


def _set(pattern: bytes, at: int) -> tuple[frozenset[int], int]:
    """The bytes that the set after a `[` stands for, and where it ends."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    # The first character of a range, where one may begin; a range or a class cannot begin another.
    low: int | None = None
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if pattern.startswith(b"[:", at) and (name := re.match(rb"\[:([^]]*):\]", pattern[at:])):
            if name[1] not in _CLASSES:
                raise ValueError("no such class")
            members |= set(_CLASSES[name[1]].encode())
            low, at = None, at + name.end()
        elif pattern[at : at + 1] == b"-" and low and pattern[at + 1 : at + 2] not in (b"", b"]"):
            high, at = _member(pattern, at + 1)
            members |= set(range(low, high + 1))
            low = None
        else:
            low, at = _member(pattern, at)
            members.add(low)
    return frozenset(set(range(256)) - members if negated else members), at + 1


def _member(pattern: bytes, at: int) -> tuple[int, int]:
    at += pattern[at : at + 1] == b"\\"
    if at >= len(pattern):
        raise ValueError("the set is not closed")
    return pattern[at], at + 1
