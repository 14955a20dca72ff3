""".gitattributes of the tag → the whitespace rules for a path, by gitattributes(5).

Only what `git diff --check` looks at: `whitespace`, `conflict-marker-size`, `diff` and `binary`, and macros of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True)
class Rules:
    """Which complaints are asked for. `is_binary` None: the content decides."""

    blank_at_eol: bool = True
    blank_at_eof: bool = True
    space_before_tab: bool = True
    indent_with_non_tab: bool = False
    tab_in_indent: bool = False
    cr_at_eol: bool = False
    tab_width: int = 8
    marker_size: int = 7
    is_binary: bool | None = None

    @property
    def enabled(self) -> bool:
        # A leftover conflict marker is looked for even where no white space matters.
        return self.is_binary is not True


_NONE = Rules(blank_at_eol=False, blank_at_eof=False, space_before_tab=False)
_ALL = replace(Rules(), indent_with_non_tab=True)
# In the order in which git looks for a name by its beginning.
_FIELDS = {
    "trailing-space": ("blank_at_eol", "blank_at_eof"),
    "space-before-tab": ("space_before_tab",),
    "indent-with-non-tab": ("indent_with_non_tab",),
    "cr-at-eol": ("cr_at_eol",),
    "blank-at-eol": ("blank_at_eol",),
    "blank-at-eof": ("blank_at_eof",),
    "tab-in-indent": ("tab_in_indent",),
}
# True: set; False: unset; None: unspecified; text: a value.
_Value = bool | str | None


@dataclass(frozen=True)
class _Line:
    pattern: re.Pattern[str]
    settings: tuple[tuple[str, _Value], ...]


class Attributes:
    """All .gitattributes of one tree: path of the file → its bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        # A file nearer to the path comes later and wins.
        self._files = sorted(files.items(), key=lambda item: item[0].count("/"))

    @cached_property
    def _macros(self) -> dict[str, tuple[tuple[str, _Value], ...]]:
        """Only the file at the top may define macros."""
        macros: dict[str, tuple[tuple[str, _Value], ...]] = {
            "binary": (("diff", False), ("merge", False), ("text", False))
        }
        for path, content in self._files:
            if path == ".gitattributes":
                for line in content.decode("utf-8", "surrogateescape").splitlines():
                    if line.startswith("[attr]"):
                        name, *words = line.removeprefix("[attr]").split()
                        macros[name] = _settings(words)
        return macros

    @cached_property
    def _lines(self) -> list[tuple[str, list[_Line]]]:
        found = []
        for path, content in self._files:
            folder = path.rpartition("/")[0]
            found.append((f"{folder}/" if folder else "", _parsed(content)))
        return found

    def rules(self, path: str) -> Rules:
        """The rules for one path of the tree."""
        values: dict[str, _Value] = {}
        for folder, lines in self._lines:
            if not path.startswith(folder):
                continue
            inside = path.removeprefix(folder)
            for line in lines:
                if line.pattern.fullmatch(inside):
                    for name, value in line.settings:
                        if name in self._macros and value is True:
                            values |= dict(self._macros[name])
                        values[name] = value
        return _rules(values)


def _rules(values: Mapping[str, _Value]) -> Rules:
    whitespace = values.get("whitespace")
    if whitespace is True:
        rules = _ALL
    elif whitespace is False:
        rules = _NONE
    else:
        rules = _named(whitespace) if whitespace else Rules()
    size = values.get("conflict-marker-size")
    if isinstance(size, str) and size.isdigit() and int(size) > 0:
        rules = replace(rules, marker_size=int(size))
    diff = values.get("diff")
    return replace(rules, is_binary=None if diff is None or isinstance(diff, str) else not diff)


def _named(text: str) -> Rules:
    """`whitespace=trailing-space,-space-before-tab,tabwidth=4`: the defaults, with these changed."""
    rules = Rules()
    for word in re.split(r"[,\s]+", text):
        name = word.removeprefix("-")
        if name.startswith("tabwidth=") and name[9:].isdigit() and 0 < int(name[9:]) < 64:
            rules = replace(rules, tab_width=int(name[9:]))
        # git takes any beginning of a name for the name.
        for known, fields in _FIELDS.items():
            if name and known.startswith(name):
                rules = replace(rules, **dict.fromkeys(fields, not word.startswith("-")))
                break
    return rules


def _parsed(content: bytes) -> list[_Line]:
    lines = []
    for line in content.decode("utf-8", "surrogateescape").splitlines():
        text = line.strip(" \t\r")
        if not text or text.startswith(("#", "[attr]", "!")):
            continue
        pattern, words = _pattern_and_words(text)
        if pattern.endswith("/"):
            # A folder has no attributes of its own, and passes none on.
            continue
        lines.append(_Line(_translated(pattern), _settings(words)))
    return lines


def _pattern_and_words(text: str) -> tuple[str, list[str]]:
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"\s*(.*)', text)
    if quoted:
        return re.sub(r'\\(["\\])', r"\1", quoted[1]), quoted[2].split()
    pattern, *words = text.split()
    return pattern, words


def _settings(words: list[str]) -> tuple[tuple[str, _Value], ...]:
    found: list[tuple[str, _Value]] = []
    for word in words:
        if word.startswith("-"):
            found.append((word[1:], False))
        elif word.startswith("!"):
            found.append((word[1:], None))
        else:
            name, given, value = word.partition("=")
            found.append((name, value if given else True))
    return tuple(found)


def _translated(pattern: str) -> re.Pattern[str]:
    """A gitattributes pattern over paths below its file: without a `/` it speaks of the last part alone."""
    anchored = "/" in pattern
    regex = _glob(pattern.removeprefix("/"))
    return re.compile(regex if anchored else f"(?:.*/)?{regex}", re.DOTALL)


def _glob(pattern: str) -> str:
    regex = ""
    pieces = re.findall(r"(?:^|(?<=/))\*\*/|/\*\*$|\[[!^]?\]?[^]]*\]|\\.|\*+|.", pattern, re.DOTALL)
    for piece in pieces:
        if piece == "**/":
            regex += "(?:.*/)?"
        elif piece == "/**":
            regex += "/.*"
        elif piece.startswith("*"):
            regex += "[^/]*"
        elif piece == "?":
            regex += "[^/]"
        elif len(piece) > 2 and piece[0] == "[":
            inside = re.sub(r"^[!^]", "", piece[1:-1])
            negated = "^/" if piece[1] in "!^" else ""
            escaped = re.sub(r"([\\[&~|])", r"\\\1", inside)
            regex += f"(?!/)[{negated}{escaped}]"
        elif piece.startswith("\\") and len(piece) == 2:
            regex += re.escape(piece[1])
        else:
            regex += re.escape(piece)
    return regex
