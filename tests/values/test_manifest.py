"""The manifest of a prepared tree: it comes back whole, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import config, entry, oid, source, tree
from release.values import Mode, Origin, path_faults
from release.values.manifest import Manifest

TREE = tree(
    [
        entry("a.txt", b"one\n"),
        entry("run.sh", b"#!/bin/sh\n", mode=Mode.EXECUTABLE),
        entry("p", b"", origin=Origin.PINNED),
    ],
    unmatched=("not/published", "odd\udcff"),
)
MANIFEST = Manifest.of(TREE, "0.1")
DOCUMENT: dict[str, Any] = json.loads(MANIFEST.to_json())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**30) | st.floats() | st.text(max_size=5) | st.just("a" * 64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SAFE = st.text(min_size=1, max_size=8).filter(lambda text: not path_faults(text))


def _read_or_refused(content: bytes) -> Manifest | None:
    try:
        return Manifest.from_json(content)
    except ValueError:
        return None


@given(
    st.lists(
        st.builds(entry, SAFE, st.binary(max_size=5), mode=st.sampled_from(list(Mode)), pointer=st.booleans()),
        max_size=4,
        unique_by=lambda one: one.path,
    ),
    st.lists(st.text(max_size=5), max_size=3),
)
def test_a_manifest_comes_back_as_it_was_written(entries: list[Any], unmatched: list[str]) -> None:
    made = Manifest.of(tree(entries, unmatched=tuple(unmatched), config=config(overridden=True)), "0.1")
    assert Manifest.from_json(made.to_json()) == made


@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_refused_with_a_value_error(content: bytes) -> None:
    assert _read_or_refused(content) is None


@given(st.sampled_from(sorted(DOCUMENT)), JSON)
@settings(max_examples=200)
def test_one_changed_value_is_refused_or_kept_as_it_is(key: str, value: object) -> None:
    changed = DOCUMENT | {key: value}
    made = _read_or_refused(json.dumps(changed).encode())
    assert made is None or json.loads(made.to_json()) == changed


@given(st.sampled_from(sorted(DOCUMENT["entries"][0])), JSON)
@settings(max_examples=200)
def test_one_changed_value_of_a_file_is_refused_or_kept_as_it_is(key: str, value: object) -> None:
    changed = DOCUMENT | {"entries": [DOCUMENT["entries"][0] | {key: value}]}
    made = _read_or_refused(json.dumps(changed).encode())
    assert made is None or json.loads(made.to_json()) == changed


@pytest.mark.parametrize("path", ["", "../x", "/etc/passwd", "a/../b", ".git/config", "a\n", "a\udcff"])
def test_a_path_that_no_tree_could_have_is_not_believed(path: str) -> None:
    changed = DOCUMENT | {"entries": [DOCUMENT["entries"][0] | {"path": path}]}
    assert _read_or_refused(json.dumps(changed).encode()) is None


def test_a_path_that_stands_twice_is_not_believed() -> None:
    changed = DOCUMENT | {"entries": DOCUMENT["entries"][:1] * 2}
    with pytest.raises(ValueError, match="stands twice"):
        Manifest.from_json(json.dumps(changed).encode())


@pytest.mark.parametrize("key", sorted(DOCUMENT))
def test_a_missing_key_is_refused(key: str) -> None:
    assert _read_or_refused(json.dumps({k: v for k, v in DOCUMENT.items() if k != key}).encode()) is None


def test_bytes_in_another_encoding_are_refused() -> None:
    """JSON readers guess UTF-16 from the first bytes; nothing of ours writes it."""
    assert _read_or_refused(json.dumps(DOCUMENT).encode("utf-16")) is None


def test_a_tag_that_stayed_has_not_moved() -> None:
    assert MANIFEST.moved(source()) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tag_object": oid(9)}, "; same commit, another tag object"),
        ({"tag_object": oid(9), "commit": oid(8)}, "; same tree, different commit"),
        ({"tag_object": oid(9), "commit": oid(8), "tree": oid(7)}, f"is now {oid(9)} (commit {oid(8)})"),
    ],
)
def test_how_a_tag_moved_is_said(changes: dict[str, Any], said: str) -> None:
    assert (MANIFEST.moved(source(**changes)) or "").endswith(said)
