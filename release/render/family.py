"""Family: what holds of every prompt of a family of templates, as `structure.json` of its package says.

    {
     "holds":   ["turns", ...],            structural checks (release.render.structure.rules, CHECKS)
     "modulo":  {"media": REASON, ...},    what they leave out of account (MODULO), each with a reason
     "differs": {"json": REASON, ...},     kinds of difference between engines that all its fixtures may show, where
                                           their conversations can (release.render.differences)
     "without": {"minja": REASON, ...},    engines in which nothing is promised: the family is not given to them
     "sample":  [NAME, ...]                the fixtures that stand for all where everything would take too long
    }

Every key may be left out; without a sample the first `SAMPLE_SIZE` fixtures are it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from release.render.differences import KINDS
from release.render.hosts import ENGINES
from release.render.json_text import JsonPath
from release.render.reading import PackageReader, short
from release.render.structure.rules import CHECKS, MODULO, Structure

STRUCTURE = "structure.json"
SAMPLE_SIZE = 20


@dataclass(frozen=True)
class Family:
    """`differs` are kinds of difference and `without` engines, both with reasons, `sample` names of fixtures."""

    structure: Structure = field(default_factory=Structure)
    differs: Mapping[str, str] = field(default_factory=dict)
    sample: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)


def read_family(reader: PackageReader, names: Collection[str]) -> Family:
    """What the package's structure.json says; `names` are its fixtures. Complaints go to the reader."""
    known = ("holds", "modulo", "differs", "without", "sample")
    fields = reader.fields(STRUCTURE, (), reader.table(STRUCTURE, optional=True), known)
    holds = _names(reader, ("holds",), fields.get("holds", []), CHECKS, "checks")
    modulo = reader.reasons(STRUCTURE, ("modulo",), fields.get("modulo", {}), MODULO)
    differs = reader.reasons(STRUCTURE, ("differs",), fields.get("differs", {}), KINDS)
    without = reader.reasons(STRUCTURE, ("without",), fields.get("without", {}), ENGINES)
    sample = _names(reader, ("sample",), fields.get("sample", []), names, "fixtures")
    return Family(Structure(frozenset(holds), modulo), differs, sample or tuple(names)[:SAMPLE_SIZE], without)


def _names(reader: PackageReader, path: JsonPath, value: object, known: Collection[str], what: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        reader.complain(STRUCTURE, path, f"{path[-1]!r} must be a list of {what}")
        return ()
    for item in value:
        if not isinstance(item, str) or item not in known:
            reader.complain(STRUCTURE, path, f"{short(item)} is none of the {what}")
    return tuple(item for item in value if isinstance(item, str) and item in known)
