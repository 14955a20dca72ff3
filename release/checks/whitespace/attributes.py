""".gitattributes of the tag → the whitespace rules for a path, by gitattributes(5).

Only what `git diff --check` looks at: `whitespace`, `conflict-marker-size`, `diff` and `binary`, and macros of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from release.checks.whitespace.patterns import compiled


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
    def contradict(self) -> bool:
        """Whether no indent could satisfy them: git ends with an error where it meets such rules."""
        return self.tab_in_indent and self.indent_with_non_tab


_NONE = Rules(blank_at_eol=False, blank_at_eof=False, space_before_tab=False)
_ALL = replace(Rules(), indent_with_non_tab=True)
# In the order in which git looks for a name by its beginning.
_FIELDS = {
    b"trailing-space": ("blank_at_eol", "blank_at_eof"),
    b"space-before-tab": ("space_before_tab",),
    b"indent-with-non-tab": ("indent_with_non_tab",),
    b"cr-at-eol": ("cr_at_eol",),
    b"blank-at-eol": ("blank_at_eol",),
    b"blank-at-eof": ("blank_at_eof",),
    b"tab-in-indent": ("tab_in_indent",),
}
_BLANK = b" \t\r\n"
_NAME = re.compile(rb"[A-Za-z0-9_.][A-Za-z0-9_.-]*")
# Git ignores longer lines.
_LONGEST = 2047
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\[abfnrtv"\\]|\\[0-3][0-7]{2})*)"')
# True: set; False: unset; None: unspecified; bytes: a value.
_Value = bool | bytes | None
_Settings = tuple[tuple[bytes, _Value], ...]


@dataclass(frozen=True)
class _Line:
    """One line: the settings for what matches `pattern` (None: nothing does), or of the macro called `macro`."""

    pattern: re.Pattern[bytes] | None
    macro: bytes | None
    settings: _Settings


class Attributes:
    """All .gitattributes of one tree: path of the file → its bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        # A file nearer to the path wins, and within a file a later line.
        ordered = sorted(files.items(), key=lambda item: -item[0].count("/"))
        self._lines = [
            (_bytes(path).rpartition(b".gitattributes")[0], [*_parsed(text)][::-1]) for path, text in ordered
        ]

    @cached_property
    def _macros(self) -> dict[bytes, _Settings]:
        """Only the file at the top may define macros; its last word on one counts."""
        macros: dict[bytes, _Settings] = {}
        for line in (line for folder, lines in self._lines if not folder for line in lines):
            if line.macro is not None:
                macros.setdefault(line.macro, line.settings)
        return {b"binary": ((b"diff", False), (b"merge", False), (b"text", False))} | macros

    def rules(self, path: str) -> Rules:
        """The rules for one path of the tree."""
        values: dict[bytes, _Value] = {}
        whole = _bytes(path)
        for folder, lines in self._lines:
            if whole.startswith(folder):
                inside = whole.removeprefix(folder)
                for line in lines:
                    if line.pattern is not None and line.pattern.fullmatch(inside):
                        self._fill(values, line.settings)
        return _rules(values)

    def _fill(self, values: dict[bytes, _Value], settings: _Settings) -> None:
        """From the last to the first, each attribute once; a macro that is set brings its own in at its place."""
        waiting = [iter(settings[::-1])]
        while waiting:
            for name, value in waiting[-1]:
                if name not in values:
                    values[name] = value
                    if value is True and name in self._macros:
                        waiting.append(iter(self._macros[name][::-1]))
                        break
            else:
                waiting.pop()


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _rules(values: Mapping[bytes, _Value]) -> Rules:
    whitespace = values.get(b"whitespace")
    if whitespace is True:
        rules = _ALL
    elif whitespace is False:
        rules = _NONE
    else:
        rules = _named(whitespace) if whitespace else Rules()
    size = values.get(b"conflict-marker-size")
    if isinstance(size, bytes) and (number := _number(size)) > 0:
        rules = replace(rules, marker_size=number)
    diff = values.get(b"diff")
    return replace(rules, is_binary=None if diff is None or isinstance(diff, bytes) else not diff)


def _named(text: bytes) -> Rules:
    """`whitespace=trailing-space,-space-before-tab,tabwidth=4`: the defaults, with these changed."""
    rules = Rules()
    while True:
        word, _, text = text.lstrip(b", \t\r\n").partition(b",")
        name = word.removeprefix(b"-")
        if not name:
            # Nothing is left, or a lone dash: git reads no further.
            return rules
        if name.startswith(b"tabwidth=") and 0 < (width := _number(name[9:])) < 64:
            rules = replace(rules, tab_width=width)
        # Any beginning of a name is taken for the name.
        known = next((known for known in _FIELDS if known.startswith(name)), None)
        if known is not None:
            rules = replace(rules, **dict.fromkeys(_FIELDS[known], not word.startswith(b"-")))


def _number(text: bytes) -> int:
    """As C's atoi reads it on the machines that git runs on."""
    digits = re.match(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)", text)
    value = min(int(digits[1]), 2**63 - 1) if digits else 0
    return (value + 2**31) % 2**32 - 2**31


def _parsed(content: bytes) -> Iterator[_Line]:
    for raw in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = raw.removesuffix(b"\r").partition(b"\0")[0]
        text = line.lstrip(_BLANK)
        if not text or text.startswith(b"#") or len(line) > _LONGEST:
            continue
        pattern, words = _pattern_and_words(text)
        settings = _settings(words)
        if settings is None:
            # One name that is none, and git passes over the whole line.
            continue
        if pattern.startswith(b"[attr]") and len(pattern) > 6:
            name = (_words(pattern[6:]) or [b""])[0]
            if _NAME.fullmatch(name):
                yield _Line(None, name, settings)
        elif not pattern.startswith(b"!"):
            yield _Line(compiled(pattern), None, settings)


def _pattern_and_words(text: bytes) -> tuple[bytes, list[bytes]]:
    quoted = _QUOTED.match(text)
    if quoted:
        return re.sub(rb'\\([abfnrtv"\\]|[0-7]{3})', _unescaped, quoted[1]), _words(text[quoted.end() :])
    pattern, *words = _words(text)
    return pattern, words


def _words(text: bytes) -> list[bytes]:
    return [word for word in re.split(rb"[ \t\r\n]+", text) if word]


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 8)]) if escape[1].isdigit() else _ESCAPES.get(escape[1], escape[1])


def _settings(words: list[bytes]) -> _Settings | None:
    found: list[tuple[bytes, _Value]] = []
    for word in words:
        name, given, value = word.partition(b"=")
        state: _Value = value if given else True
        if name.startswith((b"-", b"!")):
            name, state = name[1:], (False if name.startswith(b"-") else None)
        if not _NAME.fullmatch(name):
            return None
        found.append((name, state))
    return tuple(found)
