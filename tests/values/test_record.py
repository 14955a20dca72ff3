"""Records: written and read without loss, and never believed beyond what they say."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import RECORD, oid, record
from release.values import Record, RecordedFile, Sha256, TagName
from release.values.record import SCHEMA, read_records

DOCUMENT: dict[str, Any] = json.loads(RECORD.to_json())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**30) | st.floats() | st.text(max_size=5) | st.just("a" * 64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FILES = st.builds(
    RecordedFile,
    st.text(max_size=10),
    st.integers(0, 10**12),
    st.sampled_from([Sha256("0" * 64), Sha256("f" * 64)]),
    st.sampled_from([oid(1), oid("e")]),
    *[st.text(max_size=5)] * 3,
)


def _places(value: object, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, as keys and indices."""
    inside: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(deeper for key, item in inside for deeper in _places(item, (*place, key)))]


def _with(document: Any, place: tuple[Any, ...], value: object) -> Any:
    if not place:
        return value
    changed = document.copy()
    changed[place[0]] = _with(document[place[0]], place[1:], value)
    return changed


def _without(document: Any, place: tuple[Any, ...]) -> Any:
    changed = document.copy()
    if len(place) == 1:
        del changed[place[0]]
    else:
        changed[place[0]] = _without(document[place[0]], place[1:])
    return changed


def _read_or_refused(content: bytes) -> Record | None:
    try:
        return Record.from_json(content)
    except ValueError:
        return None


@given(
    st.lists(FILES, max_size=4, unique_by=lambda file: file.path),
    st.text(max_size=10),
    st.dictionaries(st.text(max_size=4), st.text(max_size=4)).map(lambda items: tuple(sorted(items.items()))),
    st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3), st.integers(0, 99), st.none() | st.text(max_size=3))),
)
def test_a_record_comes_back_as_it_was_written(
    files: list[RecordedFile], text: str, pairs: tuple[tuple[str, str], ...], engines: list[Any]
) -> None:
    made = record(files=tuple(files), adopted=(), message=text, tools=pairs, verified=pairs, engines=tuple(engines))
    assert Record.from_json(made.to_json()) == made


def test_a_record_is_written_in_one_way() -> None:
    """Sorted keys, two spaces, ASCII, one newline: the same record has the same bytes."""
    content = record(message="é\u202e").to_json()
    assert content == (json.dumps(json.loads(content), indent=2, sort_keys=True) + "\n").encode("ascii")


@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=200)
def test_any_bytes_are_refused_with_a_value_error(content: bytes) -> None:
    assert _read_or_refused(content) is None


@given(st.sampled_from(_places(DOCUMENT)), JSON)
@settings(max_examples=400)
def test_one_changed_value_is_refused_or_kept_as_it_is(place: tuple[Any, ...], value: object) -> None:
    """Nothing is bent into shape on the way in: what was read is written again as it stood."""
    changed = _with(DOCUMENT, place, value)
    made = _read_or_refused(json.dumps(changed).encode())
    if made is not None:
        again = json.loads(made.to_json())
        assert {key: changed[key] for key in again} == again


@pytest.mark.parametrize(
    "place", [place for place in _places(DOCUMENT) if place and isinstance(place[-1], str)], ids=str
)
def test_a_missing_key_is_named(place: tuple[Any, ...]) -> None:
    """Where keys are not names of tools or proofs, of which there may be any number."""
    if place[0] in ("tools", "verified") and len(place) == 2:
        return
    with pytest.raises(ValueError, match=r"missing|schema"):
        Record.from_json(json.dumps(_without(DOCUMENT, place)).encode())


@given(st.integers(0, 2**31), st.integers(0, 255))
@settings(max_examples=300)
def test_one_changed_byte_is_refused_or_changes_the_record(at: int, byte: int) -> None:
    content = bytearray(RECORD.to_json())
    at %= len(content)
    if content[at] == byte:
        return
    content[at] = byte
    made = _read_or_refused(bytes(content))
    assert made is None or (made == RECORD) == (json.loads(content) == DOCUMENT)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Expecting value"),
        (b"\xff", "utf-8"),
        (b"[]", "schema"),
        (b"{}", "schema"),
        (b'{"schema": "hf-release/record/v2"}', "schema"),
        (b'{"schema": 1, "schema": 1}', "twice"),
        (b"[" * 200_000, "deep"),
        (b"1" * 5000, "limit"),
        (json.dumps({"schema": SCHEMA, "source": []}).encode(), "'source' has the wrong type"),
    ],
)
def test_why_bytes_are_no_record_is_said(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Record.from_json(content)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("files", 0, "size"), -1, "'size' has the wrong type"),
        (("files", 0, "size"), True, "'size' has the wrong type"),
        (("files", 0, "size"), "4", "'size' has the wrong type"),
        (("engines", 0, "renders"), float("inf"), "'renders' has the wrong type"),
        (("engines", 0, "notRun"), 3, "'notRun' has the wrong type"),
        (("source", "annotated"), "false", "'annotated' has the wrong type"),
        (("source", "tag"), "-v", "tag name"),
        (("hub", "repo"), "x", "NAMESPACE/NAME"),
        (("hub", "repoType"), "table", "table"),
        (("files",), {}, "'files' has the wrong type"),
        (("files",), [1], "'files' has the wrong type"),
        (("files",), DOCUMENT["files"] * 2, "path stands twice"),
        (("adopted",), DOCUMENT["files"], "path stands twice"),
        (("upload", "argv"), ["hf", 1], "'argv' has the wrong type"),
    ],
)
def test_a_wrong_value_is_named(place: tuple[Any, ...], value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Record.from_json(json.dumps(_with(DOCUMENT, place, value)).encode())


def test_managed_files_are_the_published_and_the_adopted() -> None:
    assert set(RECORD.managed) == {"a.txt", "theirs.bin"}


def test_records_are_read_oldest_first() -> None:
    """By the Hub's date of their commits, whatever they are called."""
    newer = record(tag=TagName("v0"), committed_at="2026-02-01T00:00:00.000Z")
    files = [("archive/records/v0.json", newer.to_json()), ("archive/records/v1.json", RECORD.to_json())]
    assert read_records(files) == ((RECORD, newer), ())


def test_a_record_that_cannot_be_read_is_told_apart() -> None:
    records, broken = read_records([("archive/records/v1.json", RECORD.to_json()), ("archive/records/x.json", b"{")])
    assert (records, [path for path, _ in broken]) == ((RECORD,), ["archive/records/x.json"])


def test_a_record_under_another_tags_name_is_not_believed() -> None:
    _, broken = read_records([("archive/records/v9.json", RECORD.to_json())])
    assert broken == (("archive/records/v9.json", "it is the record of v1, under another name"),)


def test_the_record_of_a_tag_with_a_slash_is_found_under_its_file_form() -> None:
    slashed = replace(RECORD, tag=TagName("a/b"))
    assert read_records([("archive/records/a~b.json", slashed.to_json())]) == ((slashed,), ())
