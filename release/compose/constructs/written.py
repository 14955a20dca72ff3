"""Constructs that show in a template's bytes and tokens, before anything is parsed."""

import re
from collections.abc import Iterator

from release.compose.constructs.places import Read, Token

# Rule, the name in it that matters, and the token where it stands.
Found = tuple[str, str, Token]

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES = frozenset("ntrb\\'\"")
_LARGEST = (1 << 63) - 1
# White space that Jinja2 trims in front of a tag, and others do not.
_ODD_SPACE = re.compile(r"[^\S \t\n\r\v\f]")


def in_bytes(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(rule, name, line, column) of what stands in the file and in no token."""
    if text.startswith("\ufeff"):
        yield "byte-order-mark", "", 1, 1
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        yield "carriage-return", "", line, text.index("\r") - text.rfind("\n", 0, text.index("\r"))


def in_tokens(template: Read) -> Iterator[Found]:
    tokens = template.tokens
    for token in tokens:
        if token.kind == "string":
            yield from _escapes(token)
        elif token.kind in ("integer", "float"):
            yield from _number(token)
        elif token.kind == "raw_begin":
            yield "tag", "raw", token
        elif token.kind in ("block_begin", "variable_begin") and token.text.endswith("+"):
            yield "tag", "+", token
        elif token.kind == "trimmed" and _ODD_SPACE.search(token.text):
            yield "odd-space", "", token
    if [token.kind for token in tokens[:2]] == ["data", "comment_begin"]:
        yield "text-before-comment", "", tokens[0]


def _escapes(token: Token) -> Iterator[Found]:
    for match in _ESCAPE.finditer(token.text):
        if match[1] not in _KNOWN_ESCAPES:
            line = token.line + token.text.count("\n", 0, match.start())
            column = match.start() - token.text.rfind("\n", 0, match.start())
            place = Token(token.kind, match[0], line, column if line > token.line else token.column + match.start())
            yield "escape", match[1] if match[1] in "uxUN" else "other", place


def _number(token: Token) -> Iterator[Found]:
    if re.search(r"[eExXoObB_]", token.text):
        yield "number", "spelling", token
    elif token.kind == "integer" and int(token.text) > _LARGEST:
        yield "number", "size", token
