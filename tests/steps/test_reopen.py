"""Source → Tree: the one that `prepare` built, or nothing."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from examples import record
from release.errors import Conflict, Refused
from release.values import Sha256, TagName, git_blob_id
from release.values.tree import sums_of
from steps.built import build, reopen
from support import SourceRepository

FILES: dict[str, str | bytes] = {
    "release.toml": 'repo = "acme/model"\nfiles = ["**"]\n',
    "a": "1\n",
    "d/b": "2\n",
    "archive/records/v0.json": record(tag=TagName("v0")).to_json(),
}


@pytest.fixture
def prepared(source: SourceRepository) -> SourceRepository:
    source.commit(FILES)
    source.tag("v1")
    build(source.path)
    return source


def folder(prepared: SourceRepository) -> Path:
    return prepared.path / ".release/v1"


def conflict(prepared: SourceRepository) -> Conflict:
    with pytest.raises(Conflict) as caught:
        reopen(prepared.path)
    return caught.value


def test_a_prepared_tree_comes_back_as_it_was_built(prepared: SourceRepository) -> None:
    assert reopen(prepared.path) == build(prepared.path)[0]


def test_a_tag_that_was_not_prepared_is_refused(prepared: SourceRepository) -> None:
    prepared.tag("v2")
    with pytest.raises(Refused, match="v2 is not prepared") as caught:
        reopen(prepared.path, "v2")
    assert caught.value.hint == "release prepare v2"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_refused(prepared: SourceRepository, content: bytes) -> None:
    (folder(prepared) / "manifest.json").write_bytes(content)
    with pytest.raises(Refused, match="cannot be read"):
        reopen(prepared.path)


@pytest.mark.parametrize(
    ("files", "message", "said"),
    [
        (None, "again", "; same commit, another tag object"),
        (None, None, "; same commit, another tag object"),
        ({}, "A release", "; same tree, different commit"),
        ({"later": "1\n"}, "A release", ")"),
    ],
)
def test_a_tag_that_moved_is_a_conflict_with_both_ids(
    prepared: SourceRepository, files: dict[str, str | bytes] | None, message: str | None, said: str
) -> None:
    before = prepared.git("rev-parse", "refs/tags/v1")
    if files is not None:
        prepared.commit(files)
    prepared.git("tag", "--delete", "v1")
    now = prepared.tag("v1", message=message)
    error = conflict(prepared)
    assert (error.facts, error.message.endswith(said)) == ({"prepared": before, "now": now}, True)
    assert (before in error.message, now in error.message) == (True, True)


def test_another_configuration_is_a_conflict(prepared: SourceRepository) -> None:
    with (folder(prepared) / "config.toml").open("a") as config:
        config.write("# changed\n")
    assert conflict(prepared).complaints == ("config.toml: it is not the configuration that was prepared",)


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (lambda tree: (tree / "a").write_bytes(b"3\n"), "a: its bytes are not those that were built"),
        (lambda tree: (tree / "a").unlink(), "a: it is gone"),
        (lambda tree: (tree / "new").write_bytes(b""), "new: it was not built"),
        (lambda tree: (tree / "SHA256SUMS").write_bytes(b""), "SHA256SUMS: its bytes are not those that were built"),
        (lambda tree: (tree / "d/link").symlink_to("/etc"), "d/link: it was not built"),
    ],
)
def test_each_change_of_the_tree_is_a_conflict(prepared: SourceRepository, tamper: Any, said: str) -> None:
    tamper(folder(prepared) / "tree")
    assert conflict(prepared).complaints == (said,)


def test_all_changes_are_told_together(prepared: SourceRepository) -> None:
    tree = folder(prepared) / "tree"
    (tree / "a").write_bytes(b"3\n")
    shutil.rmtree(tree / "d")
    (tree / "new").write_bytes(b"")
    assert conflict(prepared).complaints == (
        "d/b: it is gone",
        "new: it was not built",
        "a: its bytes are not those that were built",
    )


def _rewrite(prepared: SourceRepository, change: Any) -> None:
    path = folder(prepared) / "manifest.json"
    document = json.loads(path.read_bytes())
    change(document, {entry["path"]: entry for entry in document["entries"]})
    path.write_text(json.dumps(document))


def test_a_manifest_that_was_changed_with_the_tree_does_not_add_up(prepared: SourceRepository) -> None:
    def change(document: Any, entries: Any) -> None:
        entries["a"] |= {"sha256": Sha256.of(b"3\n"), "blob": git_blob_id(b"3\n")}

    (folder(prepared) / "tree/a").write_bytes(b"3\n")
    _rewrite(prepared, change)
    assert conflict(prepared).complaints == (
        "a: the tag holds other bytes under 'a'",
        "manifest.json: its digests do not add up",
    )


@pytest.mark.parametrize("origin", ["d/b", "nowhere"])
def test_a_copy_that_everything_in_the_workspace_vouches_for_is_still_compared_with_the_tag(
    prepared: SourceRepository, origin: str
) -> None:
    """Whoever can write there can make all digests add up."""

    def change(document: Any, entries: Any) -> None:
        entries["a"] |= {"sha256": Sha256.of(b"3\n"), "blob": git_blob_id(b"3\n"), "source": origin}
        sums = sums_of((path, entry["sha256"]) for path, entry in entries.items() if path != "SHA256SUMS")
        entries["SHA256SUMS"] |= {"sha256": Sha256.of(sums), "blob": git_blob_id(sums), "size": len(sums)}
        document["dir_hash"] = Sha256.of(sums)
        (folder(prepared) / "tree/SHA256SUMS").write_bytes(sums)

    (folder(prepared) / "tree/a").write_bytes(b"3\n")
    _rewrite(prepared, change)
    assert conflict(prepared).complaints == (f"a: the tag holds other bytes under {origin!r}",)


def test_checksums_that_were_changed_with_the_manifest_do_not_add_up(prepared: SourceRepository) -> None:
    """They would be published, and say what is not so."""

    def change(document: Any, entries: Any) -> None:
        entries["SHA256SUMS"] |= {"sha256": Sha256.of(b"lies\n"), "size": 5}

    (folder(prepared) / "tree/SHA256SUMS").write_bytes(b"lies\n")
    _rewrite(prepared, change)
    assert conflict(prepared).complaints == ("manifest.json: its digests do not add up",)


def test_a_manifest_without_checksums_does_not_add_up(prepared: SourceRepository) -> None:
    def change(document: Any, entries: Any) -> None:
        document["entries"].remove(entries["SHA256SUMS"])

    (folder(prepared) / "tree/SHA256SUMS").unlink()
    _rewrite(prepared, change)
    assert conflict(prepared).complaints == ("manifest.json: its digests do not add up",)


@pytest.mark.parametrize("path", ["../../../etc/passwd", "/etc/passwd", "d/../a"])
def test_a_manifest_that_names_a_path_outside_is_refused(prepared: SourceRepository, path: str) -> None:
    def change(document: Any, entries: Any) -> None:
        entries["a"]["path"] = path

    _rewrite(prepared, change)
    with pytest.raises(Refused, match="cannot be read"):
        reopen(prepared.path)
