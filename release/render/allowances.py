"""Where and how far an expectation holds: the keys of an entry of `expected-results.json` that are not about a prompt.

engines      {"only": [...], "reason": ...} or {"except": [...], "reason": ...}: where the fixture is rendered
per_engine   engine → what is expected there instead, key by key, and the reason for it
differs      kinds of difference between engines that the fixture shows (release.render.differences)
structure    structural check → why the fixture is an exception from it (release.render.structure)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from release.render.differences import KINDS
from release.render.expectations import EXPECTED, KEYS, Expectation, read_expectation, read_keys
from release.render.hosts import ENGINES
from release.render.json_text import JsonPath
from release.render.reading import PackageReader
from release.render.structure.rules import CHECKS

ALLOWANCES = ("engines", "per_engine", "differs", "structure")


@dataclass(frozen=True)
class Allowances:
    """`without` maps engines in which the fixture is not rendered to the reason; `per_engine` holds whole expectations
    with their reasons, `exceptions` structural checks with theirs.
    """

    without: Mapping[str, str] = field(default_factory=dict)
    per_engine: Mapping[str, tuple[Expectation, str]] = field(default_factory=dict)
    differs: tuple[str, ...] = ()
    exceptions: Mapping[str, str] = field(default_factory=dict)


def read_allowances(
    reader: PackageReader, path: JsonPath, fields: Mapping[str, object], expected: Expectation
) -> Allowances:
    """What the keys at `path` allow; complaints go to the reader."""
    return Allowances(
        without=_without(reader, (*path, "engines"), fields.get("engines")),
        per_engine=_per_engine(reader, (*path, "per_engine"), fields.get("per_engine", {}), expected),
        differs=_kinds(reader, (*path, "differs"), fields.get("differs", [])),
        exceptions=reader.reasons(EXPECTED, (*path, "structure"), fields.get("structure", {}), CHECKS),
    )


def _kinds(reader: PackageReader, path: JsonPath, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) and item in KINDS for item in value):
        return tuple(value)
    reader.complain(EXPECTED, path, f"'differs' must be a list of kinds: {', '.join(KINDS)}")
    return ()


def _without(reader: PackageReader, path: JsonPath, value: object) -> dict[str, str]:
    if value is None:
        return {}
    fields = reader.fields(EXPECTED, path, value, ("only", "except", "reason"))
    reason = fields.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        reader.complain(EXPECTED, path, "'engines' needs a 'reason', as a text")
        return {}
    if ("only" in fields) == ("except" in fields):
        reader.complain(EXPECTED, path, "'engines' needs one of 'only' and 'except'")
        return {}
    key = "only" if "only" in fields else "except"
    named = _engines(reader, (*path, key), fields[key])
    left_out = [engine for engine in ENGINES if engine not in named] if key == "only" else named
    return dict.fromkeys(left_out, reason)


def _engines(reader: PackageReader, path: JsonPath, value: object) -> list[str]:
    if isinstance(value, list) and value and all(isinstance(item, str) and item in ENGINES for item in value):
        return value
    reader.complain(EXPECTED, path, f"{path[-1]!r} must be a list of engines: {', '.join(ENGINES)}")
    return []


def _per_engine(
    reader: PackageReader, path: JsonPath, value: object, expected: Expectation
) -> dict[str, tuple[Expectation, str]]:
    made: dict[str, tuple[Expectation, str]] = {}
    for engine, item in reader.fields(EXPECTED, path, value, ENGINES).items():
        here = (*path, engine)
        fields = reader.fields(EXPECTED, here, item, (*KEYS, "reason"))
        reason = fields.pop("reason", None)
        if not isinstance(reason, str) or not reason.strip():
            reader.complain(EXPECTED, here, f"{engine} needs a 'reason', as a text: why is it another there?")
            reason = ""
        same_kind = fields.get("status") in (None, "rendered" if expected.renders else "error")
        if same_kind:
            # What the entry does not speak of holds as everywhere.
            made[engine] = replace(expected, **read_keys(reader, here, fields)), reason
        else:
            made[engine] = read_expectation(reader, here, fields), reason
    return made
