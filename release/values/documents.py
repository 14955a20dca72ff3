"""Document: JSON that this tool wrote once, read again without believing that it did."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True)
class Document:
    """One JSON object. Every method raises `ValueError` with the key where its value is missing or of another kind."""

    _values: Mapping[str, object]

    @classmethod
    def read(cls, content: bytes, schema: str) -> Self:
        """The object in these bytes, which must name this schema."""
        try:
            found = json.loads(content.decode("utf-8"), object_pairs_hook=_without_duplicates)
        except RecursionError as deep:
            raise ValueError("it is nested too deeply") from deep
        if not isinstance(found, dict) or found.get("schema") != schema:
            raise ValueError(f"the schema is not {schema!r}")
        return cls(found)

    def text(self, key: str) -> str:
        return self._get(key, str)

    def text_or_none(self, key: str) -> str | None:
        return None if key in self._values and self._values[key] is None else self.text(key)

    def flag(self, key: str) -> bool:
        return self._get(key, bool)

    def count(self, key: str) -> int:
        """A whole number, not below zero."""
        value = self._get(key, int)
        if isinstance(value, bool) or value < 0:
            raise ValueError(f"the value of {key!r} has the wrong type")
        return value

    def count_or_none(self, key: str) -> int | None:
        return None if key in self._values and self._values[key] is None else self.count(key)

    def texts(self, key: str) -> tuple[str, ...]:
        found = self._get(key, list)
        if not all(isinstance(item, str) for item in found):
            raise ValueError(f"the value of {key!r} has the wrong type")
        return tuple(found)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """The keys and texts of an object, sorted."""
        inside = self.table(key)
        return tuple((name, inside.text(name)) for name in sorted(inside._values))

    def table(self, key: str) -> Self:
        return type(self)(self._get(key, dict))

    def tables(self, key: str) -> tuple[Self, ...]:
        found = self._get(key, list)
        if not all(isinstance(item, dict) for item in found):
            raise ValueError(f"the value of {key!r} has the wrong type")
        return tuple(type(self)(item) for item in found)

    def _get(self, key: str, kind: type[_T]) -> _T:
        if key not in self._values:
            raise ValueError(f"the key {key!r} is missing")
        value = self._values[key]
        if not isinstance(value, kind):
            raise ValueError(f"the value of {key!r} has the wrong type")
        return value


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Two readers could take two different values for such a key.
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice in the same object")
    return dict(pairs)
