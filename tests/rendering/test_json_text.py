"""Strict JSON: the same values as Python's reader, fewer texts accepted, and a place for every complaint."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.render.json_text import JsonFault, read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 0, 3]))
def test_a_value_is_read_as_python_reads_it(value: object, indent: int | None) -> None:
    assert read_json(json.dumps(value, indent=indent).encode())[0] == value


@given(st.dictionaries(st.text(), st.dictionaries(st.text(), st.lists(JSON, max_size=2), max_size=3), max_size=3))
def test_every_key_is_found_where_it_stands(value: dict[str, dict[str, object]]) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    _, places = read_json(text.encode())
    lines = text.split("\n")
    for path in [(name,) for name in value] + [(name, key) for name in value for key in value[name]]:
        line, column = places[path]
        assert lines[line - 1][column - 1 :].startswith(json.dumps(path[-1], ensure_ascii=False) + ":")


def test_places_pass_through_arrays() -> None:
    _, places = read_json(b'{"a": [1, "x", {"b": "c"}, [2, {"d": {}}]]}')
    assert list(places) == [("a",), ("a", 2, "b"), ("a", 3, 1, "d")]


@pytest.mark.parametrize(
    ("content", "line", "column", "said"),
    [
        (b"", 1, 1, "Expecting value"),
        (b'{"a": 1,\n "b" 2}', 2, 6, "Expecting ':' delimiter"),
        (b'{"a": 1}\n{}', 2, 1, "Extra data"),
        (b'{"a": 1,}', 1, 9, "Expecting property name"),
        (b"\xef\xbb\xbf{}", 1, 1, "byte order mark"),
        (b'{"a":\n "\xc3\xa9\xff"}', 2, 4, "not UTF-8"),
        (b'{"a": 1,\n  "a": 2}', 2, 3, "'a' stands twice"),
        (b'{"a": {"b": 1, "\\u0062": 1}}', 1, 16, "'b' stands twice"),
        (b'{"a": [1,\nNaN]}', 2, 1, "NaN is no JSON number"),
        (b'{"a": -Infinity}', 1, 7, "-Infinity is no JSON number"),
        (b"[" * 201 + b"]" * 201, 1, 201, "more than 200 levels deep"),
        (b"[" * 100_000, None, None, "nested too deeply"),
        (b"1" * 5_000, None, None, "integer string conversion"),
    ],
)
def test_what_is_refused_has_a_place(content: bytes, line: int | None, column: int | None, said: str) -> None:
    with pytest.raises(JsonFault) as caught:
        read_json(content)
    assert said in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("content", [b'{"a": "NaN", "b": "{\\"a\\": [", "-Infinity": 1}', b'{"a": 1, "b": {"a": 2}}'])
def test_what_only_looks_wrong_is_read(content: bytes) -> None:
    assert read_json(content)[0] == json.loads(content)


@given(st.binary() | st.text(alphabet='{}[],:"\\ a1NIn\n').map(str.encode))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        read_json(content)
    except JsonFault as fault:
        refusal = fault.message
        assert refusal
