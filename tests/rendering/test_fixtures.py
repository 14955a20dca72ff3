"""A fixture package is read whole, or refused with every complaint and its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.render.expansions import MAX_EXPANDED
from release.render.expectations import Expectation
from release.render.fixtures import Package, read_package
from release.render.reading import BadFixtures

PAYLOAD = {"messages": [{"role": "user", "content": "hi"}]}


def package(**files: object) -> dict[str, bytes]:
    """A package in folder `f` from its files' values; `fixtures` and `expected` have their names spelled out."""
    names = {"fixtures": "fixtures.json", "expected": "expected-results.json"}
    return {
        f"f/{names.get(name, name + '.json')}": value
        if isinstance(value, bytes)
        else json.dumps(value, indent=1).encode()
        for name, value in files.items()
    }


def one(payload: object = PAYLOAD, expected: object = None, **more: object) -> dict[str, bytes]:
    return package(
        fixtures={"a": {"description": "d", "payload": payload}},
        expected={"a": {"status": "rendered"} if expected is None else expected},
        **more,
    )


def complaints(files: dict[str, bytes]) -> list[str]:
    with pytest.raises(BadFixtures) as caught:
        read_package(files, "f")
    assert len(caught.value.findings) == len(caught.value.complaints)
    return list(caught.value.complaints)


def test_a_payload_becomes_the_templates_variables() -> None:
    files = one({**PAYLOAD, "tools": [], "enable_thinking": False, "bos_token": "<s>", "add_generation_prompt": False})
    (fixture,) = read_package(files, "f").fixtures
    assert fixture.name == "a"
    assert fixture.description == "d"
    assert fixture.variables == {
        **PAYLOAD,
        "tools": [],
        "enable_thinking": False,
        "bos_token": "<s>",
        "add_generation_prompt": False,
    }


def test_the_generation_prompt_is_asked_for_unless_a_payload_says_otherwise() -> None:
    (fixture,) = read_package(one(), "f").fixtures
    assert fixture.variables["add_generation_prompt"] is True


def test_an_expectation_is_read_as_it_stands() -> None:
    expected = {
        "status": "rendered",
        "contains": ["x"],
        "absent": ["y", "z"],
        "counts": {"x": 2},
        "matches_stock": True,
    }
    (fixture,) = read_package(one(expected=expected), "f").fixtures
    assert fixture.expected == Expectation(True, ("x",), ("y", "z"), (("x", 2),), "", True)


def test_an_expected_error_is_a_part_of_its_message() -> None:
    (fixture,) = read_package(one(expected={"status": "error", "error": "must be"}), "f").fixtures
    assert fixture.expected == Expectation(renders=False, error="must be")


def test_a_package_may_lie_at_the_top_and_name_its_stock() -> None:
    files = {path.removeprefix("f/"): content for path, content in one(stock={"upstream": "stock.jinja"}).items()}
    read = read_package(files)
    assert isinstance(read, Package)
    assert read.stock == "stock.jinja"


def test_markers_expand_wherever_a_text_holds_them() -> None:
    payload = {"messages": [{"role": "tool", "content": ["{{A}}-{{AB}}", {"t": "{{A}}"}], "{{A}}": 1}], "n": 3}
    expansions = {
        "{{A}}": {"prefix": "<{{AB}}", "letter": "x", "count": 2},
        "{{AB}}": {"letter": "y", "count": 1, "suffix": ">"},
    }
    (fixture,) = read_package(one(payload, expansions=expansions), "f").fixtures
    assert fixture.variables["messages"] == [
        {"role": "tool", "content": ["<{{AB}}xx-y>", {"t": "<{{AB}}xx"}], "{{A}}": 1}
    ]
    assert fixture.variables["n"] == 3


@given(st.dictionaries(st.sampled_from("abc"), st.integers(0, 50), min_size=1), st.text(alphabet="abcx"))
def test_an_expansion_replaces_every_marker_once(counts: dict[str, int], text: str) -> None:
    expansions = {marker: {"letter": "z", "count": count} for marker, count in counts.items()}
    payload = {"messages": ["".join(counts) + text]}
    (fixture,) = read_package(one(payload, expansions=expansions), "f").fixtures
    wanted = "".join("z" * counts[char] if char in counts else char for char in "".join(counts) + text)
    assert fixture.variables["messages"] == [wanted]


def test_missing_and_extra_names_are_named() -> None:
    files = package(
        fixtures={"a": {"description": "", "payload": PAYLOAD}, "b": {"description": "", "payload": PAYLOAD}},
        expected={"b": {"status": "rendered"}, "c": {"status": "rendered"}},
    )
    assert complaints(files) == [
        "f/expected-results.json:5:2: 'c' is no fixture of fixtures.json",
        "f/fixtures.json:2:2: 'a' has no expectation in expected-results.json",
    ]


def test_a_missing_file_is_named() -> None:
    assert complaints({}) == [
        "f/expected-results.json: there is no such file",
        "f/fixtures.json: there is no such file",
    ]


def test_json_that_cannot_be_read_is_told_with_file_line_and_column() -> None:
    files = one() | {"f/fixtures.json": b'{\n "a" 1}'}
    assert complaints(files) == ["f/fixtures.json:2:6: Expecting ':' delimiter"]


def test_all_complaints_are_told_at_once_in_their_order() -> None:
    files = package(
        fixtures={"a": {"payload": {"messages": 1, "tools": {}}, "notes": 1}},
        expected={"a": {"status": "rendered", "equal": "x", "counts": {"x": -1}}},
    )
    assert complaints(files) == [
        "f/expected-results.json:4:3: unknown key 'equal' (known: status, contains, absent, counts, error, "
        "matches_stock, starts_with, ends_with, equals, prefix_kept, prefix_lost, engines, per_engine, differs, "
        "structure, kwargs)",
        "f/expected-results.json:5:3: 'counts' must map texts to how often they stand in the prompt",
        "f/fixtures.json:2:2: 'a' lacks 'description'",
        "f/fixtures.json:4:4: 'a' needs 'messages', a list",
        "f/fixtures.json:5:4: 'tools' must be a list or null",
        "f/fixtures.json:7:3: unknown key 'notes' (known: description, payload, kwargs)",
    ]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (package(fixtures=[], expected={}), "fixtures.json: it must be one object"),
        (package(fixtures={"a": 1}, expected={"a": {"status": "rendered"}}), "2:2: 'a' must be an object"),
        (
            package(fixtures={"a": {"description": 1, "payload": PAYLOAD}}, expected={"a": {"status": "rendered"}}),
            "text",
        ),
        (one([]), "'payload' must be an object"),
        (one({}), "fixtures.json:4:3: 'a' needs 'messages', a list"),
        (one({**PAYLOAD, "add_generation_prompt": 1}), "'add_generation_prompt' must be true or false"),
        (one(expected={}), "2:2: 'a' needs 'status': rendered or error"),
        (one(expected={"status": "maybe"}), "3:3: 'a' needs 'status'"),
        (one(expected={"status": "error"}), "'a' needs 'error', a part of the message"),
        (one(expected={"status": "error", "error": 1}), "'error' must be a text, and not an empty one"),
        (
            one(expected={"status": "error", "error": "x", "absent": ["y"]}),
            "'absent' says nothing where the status is err",
        ),
        (one(expected={"status": "rendered", "error": "x"}), "'error' says nothing where the status is rendered"),
        (one(expected={"status": "rendered", "contains": "x"}), "'contains' must be a list of texts"),
        (one(expected={"status": "rendered", "absent": [""]}), "'absent' must be a list of texts, none of them empty"),
        (one(expected={"status": "rendered", "counts": {"": 1}}), "'counts' must map"),
        (one(expected={"status": "rendered", "counts": {"x": True}}), "'counts' must map"),
        (one(expected={"status": "rendered", "counts": ["x"]}), "'counts' must map"),
        (one(expected={"status": "rendered", "matches_stock": "yes"}), "'matches_stock' must be true or false"),
        (one(stock={"file": "x"}), "stock.json:2:2: unknown key 'file' (known: upstream)"),
        (one(stock={}), "stock.json: 'upstream' must be a text"),
        (one(expansions={"{{A}}": 1}), "'{{A}}' must be an object"),
        (one(expansions={"{{A}}": {"letter": "xy", "count": 1}}), "3:3: 'letter' must be one character"),
        (one(expansions={"{{A}}": {"letter": "x", "count": -1}}), "4:3: 'count' must be an integer from 0"),
        (one(expansions={"{{A}}": {"letter": "x", "count": True}}), "'count' must be an integer from 0"),
        (one(expansions={"{{A}}": {"letter": "x", "count": MAX_EXPANDED + 1}}), "'count' must be an integer from 0"),
        (one(expansions={"": {"letter": "x", "count": 1}}), "a marker cannot be empty"),
        (one(expansions={"{{A}}": {"letter": "x", "count": 1}}), "2:2: the marker '{{A}}' stands in no fixture"),
        (one(expansions={"hi": {"letter": "x", "count": 1, "prefix": 2}}), "'prefix' must be a text"),
        (
            one({"messages": ["hihihi"]}, expansions={"hi": {"letter": "x", "count": MAX_EXPANDED // 2}}),
            "markers expand to more than",
        ),
    ],
)
def test_each_mistake_has_its_complaint(files: dict[str, bytes], said: str) -> None:
    assert said in "\n".join(complaints(files))


def test_a_long_name_is_cut_in_a_complaint() -> None:
    files = package(fixtures={"n" * 5_000: {"description": "", "payload": PAYLOAD}}, expected={})
    (complaint,) = complaints(files)
    assert len(complaint) < 200
