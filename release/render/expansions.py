"""Markers in a package's texts, and the long texts that they stand for: data, never code (L-002)."""

import re
from collections.abc import Mapping

from release.render.reading import PackageReader, short

EXPANSIONS = "expansions.json"
# All markers of a package together expand to at most this many characters.
MAX_EXPANDED = 32 * 1024 * 1024


class Expansions:
    """Markers and what they stand for. Replaced in one pass: what a marker expands to is never looked at again."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.unused = dict.fromkeys(texts)
        self.left = MAX_EXPANDED
        longest_first = sorted(texts, key=len, reverse=True)
        self.pattern = re.compile("|".join(re.escape(marker) for marker in longest_first) or r"(?!)")

    def __call__(self, value: object) -> object:
        """The value with every marker in its texts expanded. Raises `ValueError` above `MAX_EXPANDED`."""
        if isinstance(value, str):
            return self.pattern.sub(self._expanded, value)
        if isinstance(value, list):
            return [self(item) for item in value]
        if isinstance(value, dict):
            return {key: self(item) for key, item in value.items()}
        return value

    def _expanded(self, match: re.Match[str]) -> str:
        self.unused.pop(match[0], None)
        self.left -= len(self.texts[match[0]])
        if self.left < 0:
            raise ValueError(f"the package's markers expand to more than {MAX_EXPANDED:,} characters")
        return self.texts[match[0]]

    def complain_of_unused(self, reader: PackageReader) -> None:
        for marker in self.unused:
            reader.complain(EXPANSIONS, (marker,), f"the marker {short(marker)} stands in no fixture")


def read_expansions(reader: PackageReader) -> Expansions:
    """The package's markers; complaints go to the reader."""
    texts: dict[str, str] = {}
    for marker, item in reader.table(EXPANSIONS, optional=True).items():
        path = (marker,)
        fields = reader.fields(EXPANSIONS, path, item, ("prefix", "letter", "count", "suffix"))
        letter, count = fields.get("letter"), fields.get("count")
        most = MAX_EXPANDED - sum(map(len, texts.values()))
        if not isinstance(letter, str) or len(letter) != 1:
            reader.complain(EXPANSIONS, (*path, "letter"), "'letter' must be one character")
        elif not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= most:
            reader.complain(EXPANSIONS, (*path, "count"), f"'count' must be an integer from 0 to {most}")
        elif not marker:
            reader.complain(EXPANSIONS, path, "a marker cannot be empty")
        else:
            prefix = reader.text(EXPANSIONS, (*path, "prefix"), fields.get("prefix", ""))
            suffix = reader.text(EXPANSIONS, (*path, "suffix"), fields.get("suffix", ""))
            texts[marker] = prefix + letter * count + suffix
    return Expansions(texts)
