"""Glob: one pattern of the allow-list `files`."""

import re
from functools import cached_property
from typing import Self


class Glob(str):
    """A pattern over the paths of a tree.

    `*` and `?` stop at `/`; `**` as a whole part spans any number of folders, none included; `[ab]`, `[a-z]` and
    `[!ab]` are one character. As in a shell, no wildcard matches the dot that a part begins with: what is hidden
    leaves only when a pattern names it. Raises `ValueError` for a pattern that could never match inside a tree.
    """

    def __new__(cls, text: str) -> Self:
        if not text:
            raise ValueError("the pattern is empty")
        if text.startswith("/") or re.match(r"[A-Za-z]:", text):
            raise ValueError("the pattern is absolute: paths are relative to the top of the tagged tree")
        if "\\" in text:
            raise ValueError("write '/' between folders; a backslash has no meaning here")
        parts = text.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ValueError("no part of a pattern is empty, '.' or '..': it could only match outside the tree")
        if "\0" in text:
            raise ValueError("no path holds a NUL")
        if any("**" in part and part != "**" for part in parts):
            raise ValueError("'**' stands for whole folders: nothing else stands beside it between two '/'")
        for part in parts:
            _pieces(part)
        return super().__new__(cls, text)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(_regex(self.split("/")), re.DOTALL)

    def matches(self, path: str) -> bool:
        return self._compiled.fullmatch(path) is not None


def _regex(parts: list[str]) -> str:
    last = len(parts) - 1
    regex = ""
    for index, part in enumerate(parts):
        if part != "**":
            regex += _part(part) + ("" if index == last else "/")
        elif index == last:
            # Whole folders, none of them hidden, and the file below them.
            regex += r"(?:(?!\.)[^/]+/)*(?!\.)[^/]+"
        elif parts[index + 1] != "**":
            # Of several in a row one is enough, and saves the expression from trying all divisions among them.
            regex += r"(?:(?!\.)[^/]+/)*"
    return regex


def _part(part: str) -> str:
    """One part between two `/`, which begins with a dot only where the pattern does."""
    fixed = "".join("\0" if piece == "*" else _one(piece) for piece in _pieces(part)).split("\0")
    # What stands between two stars is taken where it first fits, once and for all: trying further places could not
    # help what follows, and would take as long as there are ways to divide the text among the stars.
    between = "".join(f"(?>[^/]*?{text})" for text in fixed[1:-1])
    rest = between + "[^/]*" + fixed[-1] if len(fixed) > 1 else ""
    return ("" if part.startswith(".") else r"(?!\.)") + fixed[0] + rest


def _pieces(part: str) -> list[str]:
    """A part as `*`, `?`, `[…]` and single characters. Raises `ValueError` for a set that cannot be read."""
    pieces = re.findall(r"\[!?[^]]*\]|\*+|.", part, re.DOTALL)
    for piece in pieces:
        if piece in ("[", "]", "[]", "[!]"):
            raise ValueError("a '[' or ']' has no partner, or nothing between them")
        if len(piece) > 1 and piece[0] == "[":
            _one(piece)
    return ["*" if piece.startswith("*") else piece for piece in pieces]


def _one(piece: str) -> str:
    """The expression for one character: any, one of a set, or itself."""
    if piece == "?":
        return "[^/]"
    if len(piece) == 1:
        return re.escape(piece)
    inside = piece[1:-1]
    negated, inside = inside.startswith("!"), inside.removeprefix("!")
    members = ""
    for low, high in re.findall(r"(.)(?:-(.))?", inside, re.DOTALL):
        if high and low > high:
            raise ValueError(f"the range {low}-{high} is upside down")
        members += re.escape(low) + (f"-{re.escape(high)}" if high else "")
    return f"[^/{members}]" if negated else f"(?!/)[{members}]"
