"""A package of fixtures: invented conversations, and what must come of each (L-001 to L-003).

A package is a folder of JSON files:

    fixtures.json           name → description, payload (messages, tools, add_generation_prompt, other variables)
    expected-results.json   the same names → status, contains, absent, counts, error, matches_stock
    expansions.json         optional: marker in a payload's text → prefix, letter, count, suffix
    stock.json              optional: {"upstream": ...}, the [[upstream]] that `matches_stock` compares with
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from release.render.expansions import Expansions, read_expansions
from release.render.expectations import EXPECTED, Expectation, read_expectation
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


@dataclass(frozen=True)
class Package:
    """Fixtures in the file's order. `stock` is the path or published name of an upstream file."""

    fixtures: tuple[Fixture, ...]
    stock: str | None = None


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
    expectations = {name: read_expectation(reader, name, item) for name, item in expected.items()}
    fixtures = [
        _fixture(reader, name, item, expectations.get(name, Expectation(renders=True)), expand)
        for name, item in payloads.items()
    ]
    if reader.was_read(FIXTURES):
        expand.complain_of_unused(reader)
    reader.stop_if_wrong()
    return Package(tuple(fixtures), stock)


def _stock(reader: PackageReader) -> str | None:
    item = reader.table(STOCK, optional=True)
    if not reader.was_read(STOCK):
        return None
    fields = reader.fields(STOCK, (), item, ("upstream",))
    return reader.text(STOCK, ("upstream",), fields.get("upstream"))


def _fixture(reader: PackageReader, name: str, item: object, expected: Expectation, expand: Expansions) -> Fixture:
    fields = reader.fields(FIXTURES, (name,), item, ("description", "payload"))
    for key in ("description", "payload"):
        if isinstance(item, dict) and key not in item:
            reader.complain(FIXTURES, (name,), f"{short(name)} lacks {key!r}")
    description = reader.text(FIXTURES, (name, "description"), fields.get("description", ""))
    payload = fields.get("payload", {"messages": []})
    if not isinstance(payload, dict):
        reader.complain(FIXTURES, (name, "payload"), "'payload' must be an object")
        payload = {"messages": []}
    path = (name, "payload")
    if not isinstance(payload.get("messages"), list):
        reader.complain(FIXTURES, (*path, "messages"), f"{short(name)} needs 'messages', a list")
    if not isinstance(payload.get("tools"), list | None):
        reader.complain(FIXTURES, (*path, "tools"), "'tools' must be a list or null")
    if not isinstance(payload.get("add_generation_prompt", True), bool):
        reader.complain(FIXTURES, (*path, "add_generation_prompt"), "'add_generation_prompt' must be true or false")
    try:
        variables = {"add_generation_prompt": True} | {key: expand(value) for key, value in payload.items()}
    except ValueError as error:
        reader.complain(FIXTURES, path, str(error))
        variables = {}
    return Fixture(name, description, variables, expected)
