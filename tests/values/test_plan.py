"""A plan: what names it, and what its digest depends on."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import config, entry, oid, source, tree
from release.values import Change, CheckedTree, HubCommit, HubFile, HubHead, Kind, Plan, RemoteTag, RepoId, TagName
from release.values.plan import Storage, guessed_storage, release_id

TREE = tree([entry("a.txt", b"one\n")])
HEAD = HubHead(oid(7), (HubFile("a.txt", 4, oid(8)),), private=False)
CHANGES = (
    Change(Kind.ADDED, "a", 4, None, Storage.REGULAR),
    Change(Kind.CHANGED, "b", 5, 6, Storage.LFS),
    Change(Kind.DELETED, "c", None, 7),
    Change(Kind.FOREIGN, "d", 8, 8),
    Change(Kind.UNCHANGED, "e", 9, 9),
)
PLAN = Plan(CheckedTree(TREE, (), (), ()), "https://huggingface.co", HEAD, CHANGES, RemoteTag(None, "no remote"))


def plan(**changes: Any) -> Plan:
    """The plan with changes to itself, or to the tree under it."""
    inside = {key: changes.pop(key) for key in ("source", "config") if key in changes}
    checked = replace(PLAN.checked, tree=replace(TREE, **inside))
    return replace(PLAN, checked=checked, **changes)


def test_a_release_id_is_one_digest_of_five_facts_a_line_each() -> None:
    said = f"model\nacme/model\nv2\n{oid(1)}\n{TREE.dir_hash}\n"
    assert PLAN.release_id == hashlib.sha256(said.encode()).hexdigest()


@given(st.lists(st.lists(st.sampled_from("ab\r/"), max_size=3).map("".join), min_size=5, max_size=5))
def test_no_two_releases_share_an_id_by_moving_letters_between_facts(facts: list[str]) -> None:
    shifted = ["a", *facts[:-1]]
    assert (release_id(*facts) == release_id(*shifted)) == (facts == shifted)


@pytest.mark.parametrize(
    "changes",
    [
        {"source": source(tag=TagName("v3"))},
        {"source": source(tag_object=oid(9))},
        {"config": config(repo=RepoId("acme/other"))},
    ],
)
def test_another_tag_or_repository_is_another_release(changes: dict[str, Any]) -> None:
    assert plan(**changes).release_id != PLAN.release_id


@pytest.mark.parametrize("changes", [{"head": None}, {"head": replace(HEAD, commit=oid(6))}, {"changes": ()}])
def test_the_state_of_the_hub_changes_the_plan_but_not_the_release(changes: dict[str, Any]) -> None:
    changed = plan(**changes)
    assert (changed.release_id == PLAN.release_id, changed.digest == PLAN.digest) == (True, False)


@pytest.mark.parametrize("changes", [{"path": "z"}, {"size": 1}, {"was": 1}, {"kind": Kind.CHANGED}, {"storage": None}])
def test_each_shown_fact_of_a_change_is_part_of_what_is_approved(changes: dict[str, Any]) -> None:
    assert plan(changes=(replace(CHANGES[0], **changes), *CHANGES[1:])).digest != PLAN.digest


def test_the_message_is_part_of_what_is_approved() -> None:
    changed = plan(config=config(message="Another {tag} of {tag}"))
    assert (changed.message, changed.digest == PLAN.digest) == ("Another v2 of v2", False)


def test_a_remark_that_changes_nothing_is_not_part_of_what_is_approved() -> None:
    assert plan(drift=("x",), duplicates=(oid(1),), storage_asked=True).digest == PLAN.digest


def test_the_description_is_five_trailers_that_are_read_again() -> None:
    trailers = HubCommit(oid(1), PLAN.message, PLAN.description, "").trailers
    assert trailers == {
        "Release-Id": PLAN.release_id,
        "Source-Tag": "refs/tags/v2",
        "Source-Tag-Object": oid(1),
        "Source-Commit": oid(2),
        "Payload-DirHash": TREE.dir_hash,
    }


def test_only_deleted_paths_are_gone() -> None:
    assert PLAN.gone == {"c"}


@pytest.mark.parametrize(
    ("kinds", "empty"), [([Kind.FOREIGN, Kind.UNCHANGED], True), ([Kind.DELETED], False), ([], True)]
)
def test_a_plan_is_empty_where_nothing_would_be_written(kinds: list[Kind], empty: bool) -> None:
    assert plan(changes=PLAN.of_kind(*kinds)).is_empty is empty


def test_a_plan_for_programs_tells_all() -> None:
    document = json.loads(PLAN.to_json())
    assert document["releaseId"] == PLAN.release_id
    assert [change["kind"] for change in document["changes"]] == [kind.value for kind in Kind]


def test_a_plan_for_a_missing_repository_says_so() -> None:
    document = json.loads(plan(head=None).to_json())
    assert (document["repositoryExists"], document["head"]) == (False, None)


def test_a_plan_that_landed_names_its_commit() -> None:
    landed = HubCommit(oid(5), "Release v2", PLAN.description, "2026-01-02T03:04:05.000Z")
    assert plan(landed=landed).to_document()["landed"] == oid(5)


@pytest.mark.parametrize(
    ("path", "size", "storage"),
    [
        ("a.txt", 10 << 20, Storage.REGULAR),
        ("a.txt", (10 << 20) + 1, Storage.LFS),
        ("a.safetensors", 1, Storage.LFS),
        ("a.safetensors", 0, Storage.REGULAR),
        ("a/b.bin", 1, Storage.LFS),
        ("bin", 1, Storage.REGULAR),
        ("a.bin.txt", 1, Storage.REGULAR),
        ("a.pth", 1, Storage.LFS),
        ("a.npz", 1, Storage.LFS),
    ],
)
def test_how_the_hub_would_store_a_file_is_guessed_by_name_and_size(path: str, size: int, storage: Storage) -> None:
    assert guessed_storage(path, size) is storage
