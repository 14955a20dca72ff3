"""The Hub made to fail: before, after and in the middle, from this process and from another."""

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from hf_command import TOKEN, Command
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError

from release.rehearsal import EmbeddedHub, Fault
from release.rehearsal.faults import Faults, NotAFault

COMMIT = "/api/models/*/commit/*"


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedHub]:
    """A Hub of these tests' own: a fault is for everybody."""
    with EmbeddedHub(tmp_path_factory.mktemp("failing") / "hub") as running:
        yield running


@pytest.fixture(autouse=True)
def _cleared(failing: EmbeddedHub) -> Iterator[None]:
    yield
    failing.faults.clear()


@pytest.fixture
def failing_api(failing: EmbeddedHub) -> HfApi:
    return HfApi(endpoint=failing.url, token=TOKEN)


@pytest.fixture
def failing_repo(failing_api: HfApi, name: str) -> str:
    return failing_api.create_repo(f"me/{name}").repo_id


def commit(api: HfApi, repo: str, path: str = "a.txt", parent: str | None = None) -> str:
    return api.create_commit(
        repo, [CommitOperationAdd(path, b"content")], commit_message=f"Add {path}", parent_commit=parent
    ).oid


def test_a_request_can_be_refused_before_anything_happens(
    failing: EmbeddedHub, failing_api: HfApi, failing_repo: str
) -> None:
    head = failing_api.model_info(failing_repo).sha
    failing.faults.add(Fault("status", method="POST", path=COMMIT, status=503))
    with pytest.raises(HfHubHTTPError) as refused:
        commit(failing_api, failing_repo)
    assert refused.value.response.status_code == 503
    assert failing_api.model_info(failing_repo).sha == head
    # It was to strike once.
    commit(failing_api, failing_repo)


def test_too_many_requests_say_when_to_come_again(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.faults.add(Fault("status", path="/api/models/*", status=429, retry_after=55))
    with pytest.raises(HfHubHTTPError, match="Retry after 55 seconds"):
        failing_api.model_info(failing_repo)


def test_a_commit_can_land_and_be_answered_with_504(
    failing: EmbeddedHub, failing_api: HfApi, failing_repo: str
) -> None:
    head = failing_api.model_info(failing_repo).sha
    failing.faults.add(Fault("status_after", method="POST", path=COMMIT, status=504))
    with pytest.raises(HfHubHTTPError) as answered:
        commit(failing_api, failing_repo)
    assert answered.value.response.status_code == 504
    assert failing_api.model_info(failing_repo).sha != head
    assert failing_api.list_repo_commits(failing_repo)[0].title == "Add a.txt"


@pytest.mark.parametrize(("kind", "landed"), [("drop", False), ("drop_after", True)])
def test_the_connection_can_be_dropped_before_or_after(
    failing: EmbeddedHub, failing_api: HfApi, failing_repo: str, kind: str, landed: bool
) -> None:
    failing.faults.add(Fault.from_json({"kind": kind, "method": "POST", "path": COMMIT}))
    with pytest.raises(httpx2.TransportError):
        commit(failing_api, failing_repo)
    assert (len(failing_api.list_repo_commits(failing_repo)) == 2) is landed


def test_a_request_can_be_kept_waiting(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.faults.add(Fault("delay", path="/api/models/*", seconds=0.3))
    started = time.monotonic()
    failing_api.model_info(failing_repo)
    assert time.monotonic() - started >= 0.3


def test_somebody_else_can_commit_just_before(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    head = failing_api.model_info(failing_repo).sha
    failing.faults.add(Fault("move_before", method="POST", path=COMMIT))
    with pytest.raises(HfHubHTTPError) as refused:
        commit(failing_api, failing_repo, parent=head)
    assert refused.value.response.status_code == 412
    failing.faults.add(Fault("move_before", method="POST", path=COMMIT))
    ours = commit(failing_api, failing_repo)
    titles = [each.title for each in failing_api.list_repo_commits(failing_repo)]
    assert titles == ["Add a.txt", "A commit of somebody else", "A commit of somebody else", "initial commit"]
    assert failing_api.model_info(failing_repo).sha == ours


def test_somebody_else_can_commit_just_after(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.faults.add(Fault("move_after", method="POST", path=COMMIT))
    ours = commit(failing_api, failing_repo)
    theirs, mine, _ = failing_api.list_repo_commits(failing_repo)
    assert (theirs.authors, mine.commit_id) == (["somebody-else"], ours)


@pytest.mark.parametrize("path", ["regular.txt", "large.bin"])
def test_one_byte_of_a_download_can_be_another(
    failing: EmbeddedHub, failing_api: HfApi, failing_repo: str, tmp_path: Path, path: str
) -> None:
    """The client compares sizes only; `hf cache verify` finds it."""
    content = b"content" * 100
    failing.store.seed(failing_repo, {"regular.txt": content, "large.bin": content})
    failing.faults.add(Fault("corrupt", path=f"*/resolve/*/{path}", offset=10))
    hf = Command(failing.url, tmp_path)
    hf.ok("download", failing_repo, path, "--local-dir", "down")
    got = (tmp_path / "down" / path).read_bytes()
    assert [number for number, byte in enumerate(got) if byte != content[number]] == [10]
    assert hf("cache", "verify", failing_repo, "--local-dir", "down").returncode == 1


def test_a_download_can_break_off(failing: EmbeddedHub, failing_repo: str) -> None:
    failing.store.seed(failing_repo, {"a.txt": b"content" * 1000})
    failing.faults.add(Fault("cut", path="*/resolve/*", offset=100))
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{failing.url}/{failing_repo}/resolve/main/a.txt")


def test_a_file_can_be_missing_from_the_tree(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.store.seed(failing_repo, {"a.txt": b"a", "b/c.txt": b"c"})
    failing.faults.add(Fault("hide", file="b/c.txt", times=3))
    assert "b/c.txt" not in failing_api.list_repo_files(failing_repo)
    assert failing_api.get_paths_info(failing_repo, ["b/c.txt"]) == []
    siblings = failing_api.model_info(failing_repo).siblings
    assert siblings is not None
    assert {each.rfilename for each in siblings} == {".gitattributes", "a.txt"}
    assert "b/c.txt" in failing_api.list_repo_files(failing_repo)


def test_a_fault_waits_for_a_list_that_it_can_spoil(
    failing: EmbeddedHub, failing_api: HfApi, failing_repo: str
) -> None:
    failing.faults.add(Fault("hide", path=f"*/{failing_repo}/*", file="late.txt"))
    failing_api.list_repo_files(failing_repo)
    failing.store.seed(failing_repo, {"late.txt": b"late"})
    assert "late.txt" not in failing_api.list_repo_files(failing_repo)
    assert failing.faults.active() == []


def test_a_page_can_end_too_early(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.store.seed(failing_repo, {f"{number:04}.txt": b"x" for number in range(1500)})
    failing.faults.add(Fault("truncate", path="*/tree/*", count=7))
    assert len(failing_api.list_repo_files(failing_repo)) == 7
    assert len(failing_api.list_repo_files(failing_repo)) == 1501


def test_an_entry_can_have_another_hash(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    failing.store.seed(failing_repo, {"a.txt": b"a", "b.bin": b"b"})
    right = {entry.path: entry for entry in failing_api.list_repo_tree(failing_repo)}
    failing.faults.add(Fault("wrong_hash", path="*/tree/*", file="[ab].*"))
    wrong = {entry.path: entry for entry in failing_api.list_repo_tree(failing_repo)}
    assert wrong["a.txt"].blob_id != right["a.txt"].blob_id
    assert wrong["b.bin"].lfs.sha256 != hashlib.sha256(b"b").hexdigest()
    assert wrong[".gitattributes"] == right[".gitattributes"]


def test_faults_are_switched_on_and_off_over_http(failing: EmbeddedHub, failing_api: HfApi, failing_repo: str) -> None:
    control = f"{failing.url}/api/rehearsal/faults"
    body = [{"kind": "status", "path": "*", "times": None, "status": 500}, {"kind": "delay", "seconds": 0.0}]
    assert [fault["kind"] for fault in httpx2.post(control, json=body).json()] == ["status", "delay"]
    for _ in range(3):
        assert httpx2.get(f"{failing.url}/api/models/{failing_repo}").status_code == 500
    assert [fault["left"] for fault in httpx2.get(control).json()] == [None]
    assert httpx2.delete(control).status_code == 200
    failing_api.model_info(failing_repo)


@pytest.mark.parametrize(
    "body",
    [{}, [], {"kind": "explode"}, {"kind": "status", "status": 200}, {"kind": "drop", "times": 0}, {"how": "x"}, 3],
)
def test_what_is_no_fault_is_400(failing: EmbeddedHub, body: object) -> None:
    answer = httpx2.post(f"{failing.url}/api/rehearsal/faults", json=body)
    assert answer.status_code == (200 if body == [] else 400)


def test_a_fault_that_nobody_can_carry_out_cannot_be_made() -> None:
    with pytest.raises(NotAFault, match="unknown kind"):
        Fault("explode")  # type: ignore[arg-type]


def test_faults_strike_in_the_order_in_which_they_were_switched_on() -> None:
    faults = Faults()
    first = faults.add(Fault("status", path="/a*", times=2))
    second = faults.add(Fault("status", method="get"))
    assert faults.take("POST", "/b", ("status",)) is None
    assert faults.take("GET", "/a/b", ("drop",)) is None
    taken = [faults.take("GET", "/a/b", ("status",)) for _ in range(4)]
    assert taken == [first, first, second, None]


def test_the_requests_are_noted_without_query_or_token(failing: EmbeddedHub, failing_repo: str) -> None:
    failing.forget_requests()
    headers = {"authorization": f"Bearer {TOKEN}"}
    httpx2.get(f"{failing.url}/api/models/{failing_repo}/tree/refs%2Fheads%2Fmain?recursive=true", headers=headers)
    failing.faults.add(Fault("drop"))
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{failing.url}/api/models/{failing_repo}", headers=headers)
    assert [str(seen) for seen in failing.requests] == [
        f"GET /api/models/{failing_repo}/tree/refs%2Fheads%2Fmain -> 200",
        f"GET /api/models/{failing_repo} -> None",
    ]
    over_http = httpx2.get(f"{failing.url}/api/rehearsal/requests").json()
    assert over_http[0] == {"method": "GET", "path": failing.requests[0].path, "status": 200}
    httpx2.delete(f"{failing.url}/api/rehearsal/requests")
    assert failing.requests == []
