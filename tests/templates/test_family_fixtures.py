"""The families' own fixtures come out as expected, and each row of a family's specification has one."""

import importlib.util
import json

import pytest
from families import FAMILIES, MEDIA_HISTORY, STABLE, each_family, environments, outcome, stock

LAB_NAMES = {
    "native_structured_media",
    "textual_image_exchanges",
    "latest_audio_video",
    "truncated_image_history",
    "incidental_signature_collision",
    "malformed_ordering",
    "ordinary_text_tool_history",
}
# Rows that a conversation can show. X-02 and its like are each a fixture or more.
ROWS = {
    MEDIA_HISTORY: {f"m{n:03}" for n in (1, 2, 3, 4, 6, 7, 8, 9, 11)}
    | {f"x{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21, 23, 25, 26, 27, 31, 34, 35)}
    | {"x46", "x48", "x52", "md1", "md2", "md3", "md4", "md5", "d10"},
    STABLE: {f"s{n:03}" for n in range(1, 23)}
    | {f"x{n:02}" for n in (14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 30, 31, 34, 35, 46, 48, 52)}
    | {"d11"},
}
EXTRA = {MEDIA_HISTORY: LAB_NAMES, STABLE: set()}
EACH = [(family, fixture) for family in FAMILIES for fixture in family.fixtures]

each_fixture = pytest.mark.parametrize(
    ("family", "fixture"), EACH, ids=[f"{family.name}-{fixture.name}" for family, fixture in EACH]
)


def names(family):
    return {fixture.name for fixture in family.fixtures}


def complaints(fixture, kind, text, stock_outcome):
    expected = fixture.expected
    if not expected.renders:
        both = kind == stock_outcome[0] == "error"
        worded = expected.error in text and expected.error in stock_outcome[1]
        return [] if both and worded else [f"{kind}: {text}; stock {stock_outcome}"]
    if kind == "error":
        return [f"error: {text}"]
    found = [f"lacks {wanted}" for wanted in expected.contains if wanted not in text]
    found += [f"holds {unwanted}" for unwanted in expected.absent if unwanted in text]
    found += [f"{counted}: {text.count(counted)}" for counted, n in expected.counts if text.count(counted) != n]
    return found + (["differs from stock"] if expected.matches_stock and stock_outcome != (kind, text) else [])


@each_fixture
@environments
def test_a_fixture_comes_out_as_expected(family, fixture, environment):
    kind, text = outcome(family.built, fixture.variables, environment)
    assert complaints(fixture, kind, text, outcome(stock(), fixture.variables, environment)) == []


@each_fixture
@environments
def test_the_one_line_twin_makes_the_same_of_it(family, fixture, environment):
    assert outcome(family.twin, fixture.variables, environment) == outcome(family.built, fixture.variables, environment)


@each_family
def test_minijinja_makes_the_same_of_every_fixture(family):
    minijinja = pytest.importorskip("minijinja", reason="minijinja is not installed")
    made = minijinja.Environment(
        templates={"t": family.built}, trim_blocks=True, lstrip_blocks=True, auto_escape_callback=lambda name: False
    )
    made.add_function("raise_exception", _refuse)
    made.add_filter("tojson", lambda value: json.dumps(value, ensure_ascii=False))

    def rendered(variables):
        try:
            return "prompt", made.render_template("t", **variables)
        except ValueError as error:
            return "error", str(error)

    differ = [one.name for one in family.fixtures if rendered(one.variables) != outcome(family.built, one.variables)]
    assert differ == []


def _refuse(message):
    raise ValueError(message)


@each_family
@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="transformers is not installed")
def test_transformers_itself_makes_the_same_of_every_fixture(family):
    from transformers.utils.chat_template_utils import render_jinja_template

    differ = []
    for fixture in family.fixtures:
        kind, text = outcome(family.built, fixture.variables)
        if kind == "prompt":
            given = dict(fixture.variables)
            messages, tools = given.pop("messages"), given.pop("tools", None)
            made, _ = render_jinja_template(conversations=[messages], tools=tools, chat_template=family.built, **given)
            if made != [text]:
                differ.append(fixture.name)
    assert differ == []


def test_the_seven_names_of_the_lab_are_there():
    assert names(MEDIA_HISTORY) >= LAB_NAMES


@pytest.mark.parametrize(
    ("family", "row"), [(family, row) for family in FAMILIES for row in sorted(ROWS[family])], ids=str
)
def test_every_row_has_a_fixture(family, row):
    assert [name for name in names(family) if name.startswith(f"{row}_")]


@each_family
def test_every_other_fixture_is_named_after_a_row(family):
    assert {name.split("_")[0] for name in names(family) - EXTRA[family]} == ROWS[family]


@each_family
def test_no_fixture_depends_on_how_an_engine_measures_length(family):
    """Code points, UTF-16 units and bytes are one in ASCII (D-08)."""
    assert json.dumps([dict(fixture.variables) for fixture in family.fixtures], ensure_ascii=False).isascii()
