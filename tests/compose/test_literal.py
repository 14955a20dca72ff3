"""literal(): what every engine reads back as the same value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from release.compose.literal import literal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_literal_reads_back_as_the_value_that_it_was_made_from(value: object) -> None:
    assert Environment().compile_expression(literal(value), undefined_to_none=False)() == value


@given(st.text())
def test_a_text_holds_no_escape_but_the_portable_ones(text: str) -> None:
    inside = literal(text)[1:-1].replace("\\\\", "")
    escaped = {inside[n + 1] for n, char in enumerate(inside) if char == "\\"}
    assert escaped <= set("ntr'\"")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("plain", "'plain'"),
        ("it's", '"it\'s"'),
        ("a 'b' \"c\"", "'a \\'b\\' \"c\"'"),
        ("'\"'", '"\'\\"\'"'),
        ("a\nb\tc\r\\", "'a\\nb\\tc\\r\\\\'"),
        ("é漢😀\u2028", "'é漢😀\u2028'"),
    ],
)
def test_a_text_stands_in_the_quote_that_it_holds_less_often(text: str, made: str) -> None:
    assert literal(text) == made


def test_words_for_values_are_spelled_as_jinja_spells_them() -> None:
    assert literal([True, False, None, 3, {"a": ("b",)}]) == "[true, false, none, 3, {'a': ['b']}]"


@pytest.mark.parametrize("value", [1.0, {1: "a"}, {"a": object()}, b"bytes"])
def test_a_value_without_a_portable_spelling_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        literal(value)
