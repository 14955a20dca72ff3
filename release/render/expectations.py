"""Expectation: what must come of one conversation, as `expected-results.json` says it (L-003)."""

from dataclasses import dataclass

from release.render.json_text import JsonPath
from release.render.reading import PackageReader, short

EXPECTED = "expected-results.json"


@dataclass(frozen=True)
class Expectation:
    """What a prompt must hold and lack, how often, and whether it is stock's; or (`renders` False) how it must fail.

    `counts` pairs a text with how often it stands in the prompt, without overlaps. `error` is part of the message.
    """

    renders: bool
    contains: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    error: str = ""
    matches_stock: bool = False


def read_expectation(reader: PackageReader, name: str, item: object) -> Expectation:
    """One entry of the file; complaints go to the reader."""
    known = ("status", "contains", "absent", "counts", "error", "matches_stock")
    fields = reader.fields(EXPECTED, (name,), item, known)
    status = fields.get("status")
    if status not in ("rendered", "error"):
        reader.complain(EXPECTED, (name, "status"), f"{short(name)} needs 'status': rendered or error")
    only = ("status", "error") if status == "error" else tuple(key for key in known if key != "error")
    for key in fields:
        if key not in only and status in ("rendered", "error"):
            reader.complain(EXPECTED, (name, key), f"{key!r} says nothing where the status is {status}")
    error = reader.text(EXPECTED, (name, "error"), fields.get("error", ""))
    if status == "error" and not error:
        reader.complain(EXPECTED, (name,), f"{short(name)} needs 'error', a part of the message")
    if not isinstance(fields.get("matches_stock", False), bool):
        reader.complain(EXPECTED, (name, "matches_stock"), "'matches_stock' must be true or false")
    return Expectation(
        renders=status == "rendered",
        contains=_texts(reader, (name, "contains"), fields.get("contains", [])),
        absent=_texts(reader, (name, "absent"), fields.get("absent", [])),
        counts=_counts(reader, (name, "counts"), fields.get("counts", {})),
        error=error,
        matches_stock=fields.get("matches_stock") is True,
    )


def _texts(reader: PackageReader, path: JsonPath, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    reader.complain(EXPECTED, path, f"{path[-1]!r} must be a list of texts, none of them empty")
    return ()


def _counts(reader: PackageReader, path: JsonPath, value: object) -> tuple[tuple[str, int], ...]:
    if isinstance(value, dict) and all(
        text and isinstance(count, int) and not isinstance(count, bool) and count >= 0 for text, count in value.items()
    ):
        return tuple(value.items())
    reader.complain(EXPECTED, path, f"{path[-1]!r} must map texts to how often they stand in the prompt")
    return ()
