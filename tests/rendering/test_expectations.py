"""What an entry of expected-results.json can say beside L-003, and a family's structure.json."""

import json

import pytest

from release.render.expectations import Expectation
from release.render.family import Family
from release.render.fixtures import Fixture, Package, read_package
from release.render.hosts import ENGINES
from release.render.reading import BadFixtures
from release.render.structure import Structure

PAYLOAD = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "tools": []}


def files(entry: object, fixture: object = None, structure: object = None) -> dict[str, bytes]:
    values = {
        "fixtures.json": {"a": {"description": "", "payload": PAYLOAD} | (fixture or {})},  # type: ignore[operator]
        "expected-results.json": {"a": entry},
        "structure.json": structure,
    }
    return {name: json.dumps(value, indent=1).encode() for name, value in values.items() if value is not None}


def package(entry: object, **more: object) -> Package:
    return read_package(files(entry, **more))


def read(**keys: object) -> Fixture:
    """The one fixture whose entry holds these keys."""
    (fixture,) = package({"status": "rendered", **keys}).fixtures
    return fixture


def complaints(entry: object, **more: object) -> str:
    with pytest.raises(BadFixtures) as caught:
        package(entry, **more)
    return "\n".join(caught.value.complaints)


def test_beginnings_ends_other_templates_and_prefixes_are_read() -> None:
    keys = {"starts_with": "x", "ends_with": "y", "equals": ["stock", "v13"], "prefix_kept": [1], "prefix_lost": [2]}
    assert read(**keys).expected == Expectation(
        True, starts_with="x", ends_with="y", equals=("stock", "v13"), prefix_kept=(1,), prefix_lost=(2,)
    )


def test_an_engines_own_entry_takes_the_place_of_the_keys_that_it_names() -> None:
    own = {"contains": ["z"], "reason": "bytes, not characters"}
    fixture = read(contains=["x"], absent=["y"], per_engine={"llama.cpp": own})
    assert fixture.expected_in("llama.cpp") == Expectation(True, contains=("z",), absent=("y",))
    assert fixture.expected_in("minijinja") == fixture.expected == Expectation(True, contains=("x",), absent=("y",))


def test_an_engines_own_error_is_an_expectation_by_itself() -> None:
    own = {"status": "error", "error": "no", "reason": "it has no such method"}
    fixture = read(contains=["x"], per_engine={"minja": own})
    assert fixture.expected_in("minja") == Expectation(renders=False, error="no")


@pytest.mark.parametrize(
    ("engines", "without"),
    [
        ({"only": ["jinja2", "minja"]}, set(ENGINES) - {"jinja2", "minja"}),
        ({"except": ["llama.cpp"]}, {"llama.cpp"}),
    ],
)
def test_engines_are_named_or_left_out_for_a_reason(engines: dict[str, object], without: set[str]) -> None:
    fixture = read(engines={**engines, "reason": "media are refused"})
    assert fixture.allowances.without == dict.fromkeys(without, "media are refused")


def test_kinds_and_exceptions_are_read() -> None:
    allowances = read(differs=["length", "numbers"], structure={"texts": "it is cut"}).allowances
    assert (allowances.differs, allowances.exceptions) == (("length", "numbers"), {"texts": "it is cut"})


def test_a_fixture_with_sets_of_kwargs_is_one_more_with_each() -> None:
    fixture = {"kwargs": {"off": {"enable_thinking": False}, "plain": {"tools": None}}}
    entry = {"status": "rendered", "contains": ["x"], "kwargs": {"off": {"status": "error", "error": "no"}}}
    one, off, plain = package(entry, fixture=fixture).fixtures
    assert [made.name for made in (one, off, plain)] == ["a", "a[off]", "a[plain]"]
    assert off.variables == one.variables | {"enable_thinking": False}
    assert plain.variables == one.variables | {"tools": None}
    assert (off.expected, plain.expected) == (Expectation(renders=False, error="no"), one.expected)


def test_a_set_without_an_entry_shares_what_the_fixture_allows() -> None:
    fixture = {"kwargs": {"off": {"enable_thinking": False}}}
    _, off = package({"status": "rendered", "differs": ["length"]}, fixture=fixture).fixtures
    assert off.allowances.differs == ("length",)


def test_a_structure_is_read_with_its_reasons() -> None:
    reasons = {"modulo": {"media": "D-10"}, "differs": {"json": "plain Jinja2"}, "without": {"minja": "old"}}
    family = package({"status": "rendered"}, structure={"holds": ["turns"], "sample": ["a"], **reasons}).family
    structure = Structure(frozenset({"turns"}), {"media": "D-10"})
    assert family == Family(structure, {"json": "plain Jinja2"}, ("a",), {"minja": "old"})


def test_without_a_structure_nothing_holds_and_the_first_fixtures_are_the_sample() -> None:
    family = package({"status": "rendered"}).family
    assert family == Family(Structure(), {}, ("a",))


def test_a_sample_names_fixtures_with_their_sets() -> None:
    fixture = {"kwargs": {"off": {"enable_thinking": False}}}
    made = package({"status": "rendered"}, fixture=fixture, structure={"sample": ["a[off]"]})
    assert made.family.sample == ("a[off]",)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"starts_with": ""}, "'starts_with' must be a text, and not an empty one"),
        ({"ends_with": 1}, "'ends_with' must be a text, and not an empty one"),
        ({"equals": "stock"}, "'equals' must be a list of texts"),
        ({"prefix_kept": 1}, "'prefix_kept' must be a list of numbers of messages, from 1 on"),
        ({"prefix_kept": [0]}, "'prefix_kept' must be a list of numbers"),
        ({"prefix_lost": [True]}, "'prefix_lost' must be a list of numbers"),
        ({"prefix_kept": [3]}, "'a' has 2 messages, not as many as 'prefix_kept' says"),
        ({"engines": ["jinja2"]}, "'engines' must be an object"),
        ({"engines": {"only": ["jinja2"]}}, "'engines' needs a 'reason'"),
        ({"engines": {"only": ["jinja2"], "reason": " "}}, "'engines' needs a 'reason'"),
        ({"engines": {"reason": "r"}}, "'engines' needs one of 'only' and 'except'"),
        ({"engines": {"only": ["jinja2"], "except": ["minja"], "reason": "r"}}, "needs one of 'only' and 'except'"),
        ({"engines": {"only": ["jinja"], "reason": "r"}}, "'only' must be a list of engines: transformers, jinja2"),
        ({"engines": {"except": [], "reason": "r"}}, "'except' must be a list of engines"),
        ({"per_engine": {"jinja": {"reason": "r"}}}, "unknown key 'jinja' (known: transformers, jinja2"),
        ({"per_engine": {"minja": {"contains": ["x"]}}}, "5:4: minja needs a 'reason', as a text: why is it another"),
        ({"per_engine": {"minja": {"reason": ""}}}, "minja needs a 'reason'"),
        ({"per_engine": {"minja": {"reason": "r", "holds": 1}}}, "unknown key 'holds'"),
        ({"per_engine": {"minja": {"reason": "r", "status": "error"}}}, "'minja' needs 'error', a part of the message"),
        ({"per_engine": {"minja": {"reason": "r", "counts": 1}}}, "'counts' must map texts"),
        ({"differs": "length"}, "'differs' must be a list of kinds: json, numbers, white-space, length"),
        ({"differs": ["size"]}, "'differs' must be a list of kinds"),
        ({"structure": {"turn": "r"}}, "unknown key 'turn' (known: turns, order"),
        ({"structure": {"turns": ""}}, "'turns' needs a reason, as a text"),
        ({"kwargs": {"off": {"status": "rendered"}}}, "'off' is no set of kwargs of 'a'"),
    ],
)
def test_each_mistake_in_an_entry_has_its_complaint(keys: dict[str, object], said: str) -> None:
    assert said in complaints({"status": "rendered", **keys})


@pytest.mark.parametrize(
    ("fixture", "said"),
    [
        ({"kwargs": []}, "'kwargs' must be an object"),
        ({"kwargs": {"off": 1}}, "'off' must be an object"),
        ({"kwargs": {"off": {"messages": []}}}, "a set of kwargs cannot change the messages"),
        ({"kwargs": {"off": {"tools": {}}}}, "'tools' must be a list or null"),
        ({"kwargs": {"off": {"add_generation_prompt": 1}}}, "'add_generation_prompt' must be true or false"),
    ],
)
def test_each_mistake_in_a_set_of_kwargs_has_its_complaint(fixture: dict[str, object], said: str) -> None:
    assert said in complaints({"status": "rendered"}, fixture=fixture)


def test_two_fixtures_of_one_name_are_one_too_many() -> None:
    values = files({"status": "rendered"}, {"kwargs": {"b": {}}})
    fixtures = json.loads(values["fixtures.json"]) | {"a[b]": {"description": "", "payload": PAYLOAD}}
    entries = {"a": {"status": "rendered"}, "a[b]": {"status": "rendered"}}
    values |= {"fixtures.json": json.dumps(fixtures).encode(), "expected-results.json": json.dumps(entries).encode()}
    with pytest.raises(BadFixtures) as caught:
        read_package(values)
    assert "'a[b]' would be the name of two fixtures" in str(caught.value.complaints)


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ([], "structure.json: it must be one object"),
        ({"hold": []}, "unknown key 'hold' (known: holds, modulo, differs, without, sample)"),
        ({"holds": "turns"}, "'holds' must be a list of checks"),
        ({"holds": ["turn"]}, "'turn' is none of the checks"),
        ({"modulo": {"media": ""}}, "'media' needs a reason, as a text"),
        ({"modulo": {"medium": "r"}}, "unknown key 'medium'"),
        ({"differs": {"length": 1}}, "'length' needs a reason"),
        ({"without": {"jinja": "r"}}, "unknown key 'jinja'"),
        ({"without": {"minja": " "}}, "'minja' needs a reason"),
        ({"sample": ["b"]}, "'b' is none of the fixtures"),
    ],
)
def test_each_mistake_in_a_structure_has_its_complaint(structure: object, said: str) -> None:
    assert said in complaints({"status": "rendered"}, structure=structure)
