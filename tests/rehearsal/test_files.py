"""The bytes of a file, whole or in part, and what its headers promise."""

import hashlib
from pathlib import Path

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import RemoteEntryNotFoundError
from huggingface_hub.file_download import get_hf_file_metadata
from hypothesis import given
from hypothesis import strategies as st

from release.rehearsal import EmbeddedHub
from release.rehearsal.answers import HubError
from release.rehearsal.ranges import read_range

CONTENT = bytes(range(256)) * 4


@pytest.fixture(params=["regular.txt", "large.bin"])
def file_url(request: pytest.FixtureRequest, hub: EmbeddedHub, name: str) -> str:
    """The address of a file with CONTENT: once a regular one, once a large one."""
    hub.store.seed(f"me/{name}", {"large.bin": CONTENT, "regular.txt": CONTENT.replace(b"\0", b"0")})
    return f"{hub.url}/me/{name}/resolve/main/{request.param}"


def content_of(url: str) -> bytes:
    return CONTENT if url.endswith(".bin") else CONTENT.replace(b"\0", b"0")


def test_a_file_comes_whole(file_url: str) -> None:
    answer = httpx2.get(file_url, follow_redirects=True)
    assert answer.content == content_of(file_url)
    assert answer.headers["content-length"] == "1024"


def test_head_says_commit_id_and_size(hub: EmbeddedHub, file_url: str) -> None:
    repo_id = "/".join(file_url.removeprefix(f"{hub.url}/").split("/")[:2])
    content = content_of(file_url)
    metadata = get_hf_file_metadata(file_url, token=False)
    assert metadata.commit_hash == HfApi(endpoint=hub.url, token=False).model_info(repo_id).sha
    assert metadata.size == 1024
    is_large = file_url.endswith(".bin")
    sha1 = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    assert metadata.etag == (hashlib.sha256(content).hexdigest() if is_large else sha1)


def test_a_large_file_is_behind_a_redirect_to_an_address_that_needs_no_token(hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"large.bin": CONTENT}, visibility="private")
    url = f"{hub.url}/me/{name}/resolve/main/large.bin"
    assert httpx2.get(url).status_code == 401
    redirect = httpx2.get(url, headers={"authorization": "Bearer hf_any"})
    assert redirect.status_code == 302
    location = redirect.headers["location"]
    assert not location.startswith(hub.url)
    assert httpx2.get(location).content == CONTENT
    # Neither another file nor another time can be had with it.
    assert httpx2.get(location.replace("expires=1", "expires=2")).status_code == 403
    assert httpx2.get(location.split("?")[0]).status_code == 403


@pytest.mark.parametrize(
    ("asked", "start", "stop"), [("bytes=0-9", 0, 10), ("bytes=1000-", 1000, 1024), ("bytes=-24", 1000, 1024)]
)
def test_a_range_is_a_part(file_url: str, asked: str, start: int, stop: int) -> None:
    answer = httpx2.get(file_url, headers={"range": asked}, follow_redirects=True)
    assert answer.status_code == 206
    assert answer.content == content_of(file_url)[start:stop]
    assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/1024"


def test_a_range_beyond_the_end_is_416(file_url: str) -> None:
    answer = httpx2.get(file_url, headers={"range": "bytes=1024-"}, follow_redirects=True)
    assert answer.status_code == 416
    assert answer.headers["content-range"] == "bytes */1024"


@given(size=st.integers(0, 50), first=st.integers(0, 60), last=st.integers(0, 60))
def test_a_range_is_never_more_than_there_is(size: int, first: int, last: int) -> None:
    for header in (f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last}"):
        start, stop = asked(header, size)
        assert 0 <= start <= stop <= size


def asked(header: str, size: int) -> tuple[int, int]:
    """What a Range header is answered with: a part, everything, or 416, which is nothing."""
    try:
        return read_range(header, size) or (0, size)
    except HubError:
        return 0, 0


@given(header=st.one_of(st.none(), st.text(max_size=20), st.sampled_from(["bytes=-", "bytes=0-1,3-4", "lines=1-2"])))
def test_a_range_that_is_not_understood_is_ignored(header: str | None) -> None:
    assert read_range(header, 10) is None


def test_a_missing_file_names_the_commit_it_is_missing_from(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    """So that the client can remember it."""
    answer = httpx2.get(f"{hub.url}/{repo}/resolve/main/absent.txt")
    assert (answer.status_code, answer.headers["x-error-code"]) == (404, "EntryNotFound")
    assert answer.headers["x-repo-commit"] == api.model_info(repo).sha
    with pytest.raises(RemoteEntryNotFoundError):
        api.hf_hub_download(repo, "absent.txt")


AWFUL = ["space d.txt", "#hash.txt", "?q.txt", "%41.txt", "+ & ;.txt", "[a].txt", "new\nline.txt", "é/ü/日本.txt"]


def test_awful_names_go_up_and_come_down(api: HfApi, repo: str, tmp_path: Path) -> None:
    operations = [CommitOperationAdd(path, path.encode()) for path in AWFUL]
    api.create_commit(repo, operations, commit_message="Awful")
    for path in AWFUL:
        assert Path(api.hf_hub_download(repo, path, cache_dir=tmp_path)).read_bytes() == path.encode()
    assert set(api.list_repo_files(repo)) == {".gitattributes", *AWFUL}


def test_the_raw_address_gives_the_pointer_of_a_large_file(hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"large.bin": CONTENT})
    raw = httpx2.get(f"{hub.url}/me/{name}/raw/main/large.bin").text
    assert raw.startswith("version https://git-lfs.github.com/spec/v1\n")
    assert f"oid sha256:{hashlib.sha256(CONTENT).hexdigest()}\nsize 1024\n" in raw


def test_a_pull_requests_files_are_under_its_quoted_ref(api: HfApi, repo: str, tmp_path: Path) -> None:
    operations = [CommitOperationAdd("a.txt", b"on the pull request")]
    opened = api.create_commit(repo, operations, commit_message="Open", create_pr=True)
    path = api.hf_hub_download(repo, "a.txt", revision=opened.pr_revision, cache_dir=tmp_path)
    assert Path(path).read_bytes() == b"on the pull request"


def test_every_answer_has_the_request_id_that_the_client_gave(hub: EmbeddedHub) -> None:
    answer = httpx2.get(f"{hub.url}/api/whoami-v2", headers={"x-request-id": "mine"})
    assert (answer.status_code, answer.headers["x-request-id"]) == (401, "mine")
    assert httpx2.get(f"{hub.url}/nothing").headers["x-request-id"]
