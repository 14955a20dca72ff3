"""Whatever is sent, the answer is one that the client understands."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationCopy, HfApi
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route

from release.rehearsal import EmbeddedHub
from release.rehearsal.routes import all_routes

Citizen = Callable[[str], HfApi]
ROUTES = [
    (method, route.path)
    for route in all_routes()
    if isinstance(route, Route)
    for method in sorted((route.methods or set()) - {"HEAD"})
    if not route.path.startswith("/api/rehearsal/") and not route.path.endswith("/delete")
]
KEYS = ("name", "organization", "type", "files", "tag", "message", "title", "status", "user", "deletions", "objects")
MORE_KEYS = (
    "content",
    "operation",
    "target",
    "paths",
    "startingPoint",
    "visibility",
    "gated",
    "comment",
    "sdk",
    "parts",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS + MORE_KEYS), inner, max_size=4),
    max_leaves=6,
)
WORDS = st.one_of(
    st.sampled_from(["main", "refs/pr/1", "0" * 40, "..", "%", "\0", "é"]), st.text(min_size=1, max_size=5)
)


@pytest.fixture(scope="module")
def strange_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedHub]:
    """A Hub that only this test has to live with."""
    with EmbeddedHub(tmp_path_factory.mktemp("strange") / "hub") as running:
        running.store.seed("me/model", {"a.txt": b"a", "m.bin": b"m"})
        HfApi(endpoint=running.url, token="hf_any").create_pull_request("me/model", "A draft")
        yield running


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    route=st.sampled_from(ROUTES), words=st.lists(WORDS, min_size=2, max_size=2), body=JSON, query=st.text(max_size=5)
)
def test_nothing_that_can_be_sent_is_a_bug(
    strange_hub: EmbeddedHub, route: tuple[str, str], words: list[str], body: object, query: str
) -> None:
    """Every route, with odd values in its path, its query and its body: never a 500."""
    method, path = route
    left = list(words)
    filled = "/".join(_segment(segment, left) for segment in path.split("/"))
    answer = httpx2.request(
        method,
        f"{strange_hub.url}{filled}?cursor={quote(query)}",
        json=body,
        headers={"authorization": "Bearer hf_any"},
        timeout=30,
    )
    assert answer.status_code < 500


def _segment(segment: str, words: list[str]) -> str:
    """One part of an address: the repository that there is, and odd values for the rest."""
    known = {"{kind:kinds}": "models", "{namespace}": "me", "{name}": "model", "{num:int}": "1", "{number:int}": "1"}
    if segment in known:
        return known[segment]
    if segment.startswith("{name}"):
        return segment.replace("{name}", "model")
    if segment.startswith("{"):
        return quote(words.pop() if words else "x", safe="")
    return segment


def test_an_address_below_a_repository_that_there_is_not_means_that_it_is_not_there(hub: EmbeddedHub) -> None:
    with_token = httpx2.get(f"{hub.url}/api/models/me/nothing/what", headers={"authorization": "Bearer hf_any"})
    assert (with_token.status_code, with_token.headers["x-error-code"]) == (404, "RepoNotFound")
    without = httpx2.request("PATCH", f"{hub.url}/api/models/me/nothing")
    assert (without.status_code, without.headers["x-error-code"]) == (401, "RepoNotFound")
    wrong = httpx2.get(f"{hub.url}/api/models/me/nothing/what", headers={"authorization": "Bearer wrong"})
    assert (wrong.status_code, wrong.json()["error"]) == (401, "Invalid credentials in Authorization header")
    assert httpx2.get(f"{hub.url}/elsewhere").status_code == 404


def test_git_lfs_may_send_the_token_as_a_password(town: EmbeddedHub, citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}", private=True)
    address = f"{town.url}/alice/{name}.git/info/lfs/objects/batch"
    body = {"operation": "download", "objects": [{"oid": "0" * 64, "size": 1}]}
    answer = httpx2.post(address, json=body, auth=("alice", "hf_alice"))
    assert answer.json()["objects"][0]["error"]["code"] == 404
    assert httpx2.post(address, json=body, auth=("bob", "hf_bob")).status_code == 404
    garbage = {"authorization": "Basic " + base64.b64encode(b"\xff\xfe").decode()}
    assert httpx2.post(address, json=body, headers=garbage).status_code == 401


def test_git_lfs_may_fetch_what_the_repository_has(hub: EmbeddedHub, api: HfApi, name: str) -> None:
    hub.store.seed(f"me/{name}", {"m.bin": b"large"})
    (file,) = api.list_lfs_files(f"me/{name}")
    body = {"operation": "download", "objects": [{"oid": file.oid, "size": 5}]}
    answer = httpx2.post(f"{hub.url}/me/{name}.git/info/lfs/objects/batch", json=body)
    href = answer.json()["objects"][0]["actions"]["download"]["href"]
    assert httpx2.get(href).content == b"large"


def test_a_file_is_copied_from_another_repository(api: HfApi, repo: str, tmp_path: Path) -> None:
    """Regular files by their bytes, large ones by giving the other repository a share in them."""
    api.create_repo(repo, repo_type="dataset")
    operations = [CommitOperationAdd("a.txt", b"regular"), CommitOperationAdd("m.bin", b"large" * 100)]
    api.create_commit(repo, operations, commit_message="Add", repo_type="dataset")
    copies = [
        CommitOperationCopy(path, f"copied/{path}", src_repo_id=repo, src_repo_type="dataset")
        for path in ("a.txt", "m.bin")
    ]
    api.create_commit(repo, copies, commit_message="Copy")
    for path, content in (("copied/a.txt", b"regular"), ("copied/m.bin", b"large" * 100)):
        assert Path(api.hf_hub_download(repo, path, cache_dir=tmp_path)).read_bytes() == content


def test_what_the_source_does_not_have_cannot_be_copied(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    api.create_repo(f"{repo}-2")
    answer = httpx2.post(
        f"{hub.url}/api/models/{repo}/lfs-files/duplicate",
        json={"target": {"type": "model", "name": f"{repo}-2"}, "files": [{"sha256": "0" * 64}, "x"]},
        headers={"authorization": "Bearer hf_any"},
    )
    assert [each["sha256"] for each in answer.json()["failed"]] == ["0" * 64, ""]


@pytest.mark.parametrize("kind", ["dataset", "space", "kernel"])
def test_the_other_kinds_have_their_own_addresses(hub: EmbeddedHub, name: str, kind: str) -> None:
    hub.store.seed(f"me/{name}", {"a.txt": b"a"}, kind=kind)  # type: ignore[arg-type]
    assert httpx2.get(f"{hub.url}/{kind}s/me/{name}/resolve/main/a.txt").content == b"a"
    assert httpx2.get(f"{hub.url}/api/{kind}s/me/{name}").json()["id"] == f"me/{name}"
    assert httpx2.get(f"{hub.url}/me/{name}/resolve/main/a.txt").status_code == 401
