"""A package of fixtures: invented conversations, and what must come of each (L-001 to L-003).

A package is a folder of JSON files:

    fixtures.json           name → description, payload (messages, tools, add_generation_prompt, other variables) and
                            optionally kwargs: name of a set → variables that take the place of the payload's
    expected-results.json   the same names → what is expected (release.render.expectations), how far it holds
                            (release.render.allowances) and optionally kwargs: name of a set → an entry of its own
    expansions.json         optional: marker in a payload's text → prefix, letter, count, suffix
    stock.json              optional: {"upstream": ...}, the [[upstream]] that `matches_stock` compares with
    structure.json          optional: what holds of every prompt of the family (release.render.family)

A fixture with sets of kwargs is one fixture and, with each set, one more, named NAME[SET]. What is expected of the
fixture is expected with a set too, unless the set has an entry of its own.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from release.render.allowances import ALLOWANCES, Allowances, read_allowances
from release.render.expansions import Expansions, read_expansions
from release.render.expectations import EXPECTED, KEYS, Expectation, read_expectation
from release.render.family import Family, read_family
from release.render.json_text import JsonPath
from release.render.reading import BadFixtures, PackageReader, short
from release.values import Finding, TemplateRule

FIXTURES = "fixtures.json"
STOCK = "stock.json"


@dataclass(frozen=True)
class Fixture:
    """One conversation. `variables` are the template's: `messages` and the other keywords."""

    name: str
    description: str
    variables: Mapping[str, object]
    expected: Expectation
    allowances: Allowances = field(default_factory=Allowances)

    def expected_in(self, engine: str) -> Expectation:
        """What is expected in this engine: its own entry where it has one."""
        return self.allowances.per_engine[engine][0] if engine in self.allowances.per_engine else self.expected


@dataclass(frozen=True)
class Package:
    """Fixtures in the file's order. `stock` is the path or published name of an upstream file."""

    fixtures: tuple[Fixture, ...]
    stock: str | None = None
    family: Family = field(default_factory=Family)


def find_package(rule: TemplateRule, paths: Collection[str]) -> str | None:
    """The folder of a template's fixture package among these paths of the tag; None where it has none.

    The package lies in `rule.fixtures`, else in the source folder, or in a folder `fixtures` there. Raises
    `BadFixtures` for two packages, and for none where the rule names one.
    """
    folder = rule.fixtures or rule.source
    found = [place for place in (folder, f"{folder}/fixtures") if f"{place}/{FIXTURES}" in paths]
    if len(found) == 2:
        other = f"there is another package in {found[1]!r}; one of them is used by nobody"
        raise BadFixtures((Finding("render/fixtures", other, path=f"{folder}/{FIXTURES}"),))
    if rule.fixtures and not found:
        raise BadFixtures((Finding("render/fixtures", "there is no such file", path=f"{folder}/{FIXTURES}"),))
    return found[0] if found else None


def read_package(files: Mapping[str, bytes], folder: str = "") -> Package:
    """The package in `folder` of `files` (path → bytes). Raises `BadFixtures` with every complaint and its place."""
    reader = PackageReader(files, f"{folder}/" if folder else "")
    payloads = reader.table(FIXTURES)
    expected = reader.table(EXPECTED)
    expand = read_expansions(reader)
    stock = _stock(reader)
    if reader.was_read(FIXTURES) and reader.was_read(EXPECTED):
        for name in payloads.keys() - expected.keys():
            reader.complain(FIXTURES, (name,), f"{short(name)} has no expectation in {EXPECTED}")
        for name in expected.keys() - payloads.keys():
            reader.complain(EXPECTED, (name,), f"{short(name)} is no fixture of {FIXTURES}")
    fixtures: dict[str, Fixture] = {}
    for name, item in payloads.items():
        for made in _fixtures(reader, name, item, expected.get(name, {"status": "rendered"}), expand):
            if made.name in fixtures:
                reader.complain(FIXTURES, (name,), f"{short(made.name)} would be the name of two fixtures")
            fixtures[made.name] = made
    if reader.was_read(FIXTURES):
        expand.complain_of_unused(reader)
    family = read_family(reader, fixtures.keys())
    reader.stop_if_wrong()
    return Package(tuple(fixtures.values()), stock, family)


def _stock(reader: PackageReader) -> str | None:
    item = reader.table(STOCK, optional=True)
    if not reader.was_read(STOCK):
        return None
    fields = reader.fields(STOCK, (), item, ("upstream",))
    return reader.text(STOCK, ("upstream",), fields.get("upstream"))


def _fixtures(reader: PackageReader, name: str, item: object, entry: object, expand: Expansions) -> tuple[Fixture, ...]:
    """The fixture, and one more for each of its sets of kwargs."""
    fields = reader.fields(FIXTURES, (name,), item, ("description", "payload", "kwargs"))
    for key in ("description", "payload"):
        if isinstance(item, dict) and key not in item:
            reader.complain(FIXTURES, (name,), f"{short(name)} lacks {key!r}")
    description = reader.text(FIXTURES, (name, "description"), fields.get("description", ""))
    variables = _variables(reader, (name, "payload"), fields.get("payload", {"messages": []}), expand)
    sets = _object(reader, FIXTURES, (name, "kwargs"), fields.get("kwargs", {}))
    known = (*KEYS, *ALLOWANCES, "kwargs")
    keys = reader.fields(EXPECTED, (name,), entry, known)
    own = _object(reader, EXPECTED, (name, "kwargs"), keys.pop("kwargs", {}))
    for extra in own.keys() - sets.keys():
        reader.complain(EXPECTED, (name, "kwargs", extra), f"{short(extra)} is no set of kwargs of {short(name)}")
    made = [_fixture(reader, name, description, variables, (name,), keys)]
    for label, value in sets.items():
        given = _object(reader, FIXTURES, (name, "kwargs", label), value)
        if "messages" in given:
            reader.complain(FIXTURES, (name, "kwargs", label, "messages"), "a set of kwargs cannot change the messages")
        changed = variables | _expanded(reader, (name, "kwargs", label), given, expand)
        variant = replace(made[0], name=f"{name}[{label}]", variables=changed)
        if label in own:
            path: JsonPath = (name, "kwargs", label)
            entry_keys = reader.fields(EXPECTED, path, own[label], known[:-1])
            variant = _fixture(reader, variant.name, description, changed, path, entry_keys)
        made.append(variant)
    return tuple(made)


def _fixture(
    reader: PackageReader,
    name: str,
    description: str,
    variables: Mapping[str, object],
    path: JsonPath,
    keys: Mapping[str, object],
) -> Fixture:
    expected = read_expectation(reader, path, keys)
    messages = variables.get("messages")
    most = len(messages) if isinstance(messages, list) else 0
    for key in ("prefix_kept", "prefix_lost"):
        if any(number > most for number in getattr(expected, key)):
            reader.complain(EXPECTED, (*path, key), f"{short(name)} has {most} messages, not as many as {key!r} says")
    return Fixture(name, description, variables, expected, read_allowances(reader, path, keys, expected))


def _variables(reader: PackageReader, path: JsonPath, value: object, expand: Expansions) -> dict[str, object]:
    payload = _object(reader, FIXTURES, path, value)
    if not isinstance(payload.get("messages"), list) and isinstance(value, dict):
        reader.complain(FIXTURES, (*path, "messages"), f"{short(path[0])} needs 'messages', a list")
    return {"add_generation_prompt": True} | _expanded(reader, path, payload, expand)


def _expanded(
    reader: PackageReader, path: JsonPath, given: Mapping[str, object], expand: Expansions
) -> dict[str, object]:
    """The variables with their markers expanded; complaints about those that have a form of their own."""
    if not isinstance(given.get("tools"), list | None):
        reader.complain(FIXTURES, (*path, "tools"), "'tools' must be a list or null")
    if not isinstance(given.get("add_generation_prompt", True), bool):
        reader.complain(FIXTURES, (*path, "add_generation_prompt"), "'add_generation_prompt' must be true or false")
    try:
        return {key: expand(value) for key, value in given.items()}
    except ValueError as error:
        reader.complain(FIXTURES, path, str(error))
        return {}


def _object(reader: PackageReader, name: str, path: JsonPath, value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    reader.complain(name, path, f"{short(path[-1])} must be an object")
    return {}
