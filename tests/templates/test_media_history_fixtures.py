"""The family's own fixtures, and the words of every template decision they are named after."""

import importlib.util
import json

import media_history as mh
import pytest

FIXTURES = {fixture.name: fixture for fixture in mh.fixtures()}
LAB_NAMES = {
    "native_structured_media",
    "textual_image_exchanges",
    "latest_audio_video",
    "truncated_image_history",
    "incidental_signature_collision",
    "malformed_ordering",
    "ordinary_text_tool_history",
}
# Rows of the family's specification that a conversation can show. X-02 and its like are each a fixture or more.
ROWS = {f"x{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21, 23, 25, 26, 27, 31, 34, 35)}
ROWS |= {"x46", "x48", "x52", "md1", "md2", "md3", "md4", "md5", "d10"}
ROWS |= {f"m{n:03}" for n in (1, 2, 3, 4, 6, 7, 8, 9, 11)}

each_fixture = pytest.mark.parametrize("fixture", mh.fixtures(), ids=lambda fixture: fixture.name)
environments = pytest.mark.parametrize("environment", [mh.PLAIN, mh.SANDBOX])


def complaints(fixture, kind, text, stock):
    expected = fixture.expected
    if not expected.renders:
        both = (kind == stock[0] == "error") and expected.error in text and expected.error in stock[1]
        return [] if both else [f"{kind}: {text}; stock {stock}"]
    if kind == "error":
        return [f"error: {text}"]
    found = [f"lacks {wanted}" for wanted in expected.contains if wanted not in text]
    found += [f"holds {unwanted}" for unwanted in expected.absent if unwanted in text]
    found += [f"{counted}: {text.count(counted)}" for counted, n in expected.counts if text.count(counted) != n]
    return found + (["differs from stock"] if expected.matches_stock and stock != (kind, text) else [])


@each_fixture
@environments
def test_a_fixture_comes_out_as_expected(fixture, environment):
    kind, text = mh.outcome(mh.built(), fixture.variables, environment)
    assert complaints(fixture, kind, text, mh.outcome(mh.stock(), fixture.variables, environment)) == []


@each_fixture
@environments
def test_the_one_line_twin_makes_the_same_of_it(fixture, environment):
    assert mh.outcome(mh.twin(), fixture.variables, environment) == mh.outcome(
        mh.built(), fixture.variables, environment
    )


def test_minijinja_makes_the_same_of_every_fixture():
    minijinja = pytest.importorskip("minijinja", reason="minijinja is not installed")
    made = minijinja.Environment(
        templates={"t": mh.built()}, trim_blocks=True, lstrip_blocks=True, auto_escape_callback=lambda name: False
    )
    made.add_function("raise_exception", _refuse)
    made.add_filter("tojson", lambda value: json.dumps(value, ensure_ascii=False))

    def rendered(variables):
        try:
            return "prompt", made.render_template("t", **variables)
        except ValueError as error:
            return "error", str(error)

    differ = [
        name for name, one in FIXTURES.items() if rendered(one.variables) != mh.outcome(mh.built(), one.variables)
    ]
    assert differ == []


def _refuse(message):
    raise ValueError(message)


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="transformers is not installed")
def test_transformers_itself_makes_the_same_of_every_fixture():
    from transformers.utils.chat_template_utils import render_jinja_template

    differ = []
    for name, fixture in FIXTURES.items():
        kind, text = mh.outcome(mh.built(), fixture.variables)
        if kind == "prompt":
            given = dict(fixture.variables)
            messages, tools = given.pop("messages"), given.pop("tools", None)
            made, _ = render_jinja_template(conversations=[messages], tools=tools, chat_template=mh.built(), **given)
            if made != [text]:
                differ.append(name)
    assert differ == []


def test_the_seven_names_of_the_lab_are_there():
    assert set(FIXTURES) >= LAB_NAMES


@pytest.mark.parametrize("row", sorted(ROWS))
def test_every_row_has_a_fixture(row):
    assert [name for name in FIXTURES if name.startswith(f"{row}_")]


def test_every_other_fixture_is_named_after_a_row():
    assert {name.split("_")[0] for name in set(FIXTURES) - LAB_NAMES} == ROWS


def test_no_fixture_depends_on_how_an_engine_measures_length():
    """Code points, UTF-16 units and bytes are one in ASCII (D-08)."""
    assert json.dumps([dict(fixture.variables) for fixture in FIXTURES.values()], ensure_ascii=False).isascii()


def test_python_engines_measure_length_in_characters():
    """3,000 characters of three bytes each are below the threshold here, and above it in llama.cpp."""
    content = '{"images":["iVBORw0KGgo' + "字" * 3000 + '"]}'
    result = {"role": "tool", "content": content}
    messages = [{"role": "user", "content": "q"}, result, {"role": "user", "content": "z"}]
    assert content in mh.render(mh.built(), {"messages": messages})
