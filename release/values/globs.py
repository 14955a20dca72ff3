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
        if any("**" in part and part != "**" for part in parts):
            raise ValueError("'**' stands for whole folders: nothing else stands beside it between two '/'")
        if text.count("[") != text.count("]"):
            raise ValueError("a '[' or ']' has no partner")
        try:
            re.compile(_regex(parts))
        except re.error as wrong:
            raise ValueError(f"the pattern cannot be read: {wrong}") from wrong
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
        if part == "**":
            # Whole folders, none of them hidden; at the end also the file below them.
            regex += r"(?:(?!\.)[^/]+/)*" + (r"(?!\.)[^/]+" if index == last else "")
        else:
            regex += _part(part) + ("" if index == last else "/")
    return regex


def _part(part: str) -> str:
    regex = "" if part.startswith(".") else r"(?!\.)"
    for piece in re.findall(r"\[!?[^]]+\]|\*+|.", part, re.DOTALL):
        if piece[0] == "[" and len(piece) > 2:
            inside = piece[1:-1]
            negated, inside = inside.startswith("!"), inside.removeprefix("!")
            escaped = re.sub(r"([\\^\[&~|])", r"\\\1", inside)
            regex += f"[{'^/' if negated else ''}{escaped}]" if negated else f"(?!/)[{escaped}]"
        elif piece[0] == "*":
            regex += "[^/]*"
        elif piece == "?":
            regex += "[^/]"
        else:
            regex += re.escape(piece)
    return regex
