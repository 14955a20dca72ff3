"""Large files over HTTP: which ones they are, how they go up, and whose they are."""

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hf_command import TOKEN, Command
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import RemoteEntryNotFoundError

from release.rehearsal import EmbeddedHub
from release.rehearsal.large_files import Arrival, LargeFiles, WrongContent

HEADERS = {"authorization": f"Bearer {TOKEN}"}
KIB = 1024


@pytest.fixture(scope="module")
def parts_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedHub]:
    """A Hub that takes everything above 100 KiB in parts of 64 KiB."""
    folder = tmp_path_factory.mktemp("parts")
    with EmbeddedHub(folder / "hub", multipart_above=100 * KIB, part_size=64 * KIB) as running:
        yield running


def batch(hub: EmbeddedHub, repo: str, content: bytes) -> dict[str, Any]:
    """What the Hub says to one announced object."""
    answer = httpx2.post(
        f"{hub.url}/{repo}.git/info/lfs/objects/batch",
        json={
            "operation": "upload",
            "transfers": ["basic", "multipart"],
            "objects": [{"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}],
        },
        headers=HEADERS,
    )
    assert answer.status_code == 200
    (described,) = answer.json()["objects"]
    return dict(described)


def test_a_folder_with_large_files_goes_up_in_one_part_each(hub: EmbeddedHub, hf: Command, name: str) -> None:
    work = hf.home / "work"
    work.mkdir()
    (work / "weights.safetensors").write_bytes(b"w" * 5000)
    (work / "notes.txt").write_text("notes")
    hf.ok("upload", f"me/{name}", ".", ".", cwd=work)
    api = HfApi(endpoint=hub.url, token=TOKEN)
    found = {entry.path: entry for entry in api.list_repo_tree(f"me/{name}")}
    assert found["weights.safetensors"].lfs.sha256 == hashlib.sha256(b"w" * 5000).hexdigest()
    assert found["notes.txt"].lfs is None
    assert found["weights.safetensors"].xet_hash is None
    commits = [seen for seen in hub.requests if name in seen.path and "/commit/" in seen.path]
    assert len(commits) == 1


def test_a_file_above_the_limit_goes_up_in_parts(parts_hub: EmbeddedHub, tmp_path: Path, name: str) -> None:
    hf = Command(parts_hub.url, tmp_path)
    content = bytes(range(256)) * 4 * 300
    (tmp_path / "large.bin").write_bytes(content)
    hf.ok("upload", f"me/{name}", "large.bin", "large.bin")
    hf.ok("download", f"me/{name}", "large.bin", "--local-dir", "down")
    assert (tmp_path / "down" / "large.bin").read_bytes() == content
    parts = [seen for seen in parts_hub.requests if seen.path.startswith("/storage/parts/")]
    assert len(parts) == 5


def test_a_file_that_the_repository_has_is_not_sent_again(hub: EmbeddedHub, repo: str) -> None:
    content = b"once"
    action = batch(hub, repo, content)["actions"]["upload"]
    assert httpx2.put(action["href"], content=content).status_code == 200
    assert "actions" not in batch(hub, repo, content)


def test_a_large_file_of_another_repository_is_not_this_ones(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    """Who knows only its SHA-256 cannot have it."""
    secret = b"secret" * 100
    hub.store.seed(f"{repo}-private", {"secret.bin": secret}, visibility="private")
    assert "actions" in batch(hub, repo, secret)
    oid = hashlib.sha256(secret).hexdigest()
    lines = (
        '{"key":"header","value":{"summary":"Steal"}}\n'
        f'{{"key":"lfsFile","value":{{"path":"a.bin","algo":"sha256","oid":"{oid}","size":{len(secret)}}}}}\n'
    )
    answer = httpx2.post(f"{hub.url}/api/models/{repo}/commit/main", content=lines.encode(), headers=HEADERS)
    assert answer.status_code == 400
    assert "does not exist" in answer.json()["error"]


@pytest.mark.parametrize("sent", [b"other", b"longer than it", b""])
def test_what_is_not_what_was_announced_is_refused(hub: EmbeddedHub, repo: str, sent: bytes) -> None:
    action = batch(hub, repo, b"right")["actions"]["upload"]
    assert httpx2.put(action["href"], content=sent).status_code == 400
    assert "actions" in batch(hub, repo, b"right")


def test_parts_that_are_missing_or_wrong_are_refused(parts_hub: EmbeddedHub, name: str) -> None:
    parts_hub.store.seed(f"me/{name}", {"a.txt": b"a"})
    content = b"x" * (130 * KIB)
    upload = batch(parts_hub, f"me/{name}", content)["actions"]["upload"]
    parts = [url for key, url in upload["header"].items() if key.isdecimal()]
    assert len(parts) == 3
    etags = []
    for url in parts[:2]:
        etags.append(httpx2.put(url, content=b"x" * 64 * KIB).headers["etag"])
    body = {"oid": "x", "parts": [{"partNumber": number + 1, "etag": etag} for number, etag in enumerate(etags)]}
    assert httpx2.post(upload["href"], json=body).status_code == 400
    body["parts"] = [*body["parts"], {"partNumber": 3, "etag": '""'}]  # type: ignore[misc]
    assert "part 3 is missing" in httpx2.post(upload["href"], json=body).json()["error"]
    httpx2.put(parts[2], content=b"y" * 2 * KIB)
    assert "SHA-256" in httpx2.post(upload["href"], json=body).json()["error"]
    httpx2.put(parts[2], content=b"x" * 2 * KIB)
    assert httpx2.post(upload["href"], json=body).status_code == 200
    assert "actions" not in batch(parts_hub, f"me/{name}", content)


@pytest.mark.parametrize("announced", [{"oid": "../../etc", "size": 1}, {"oid": "0" * 64, "size": "big"}, "text"])
def test_an_announcement_that_is_none_has_an_error_of_its_own(hub: EmbeddedHub, repo: str, announced: Any) -> None:
    answer = httpx2.post(
        f"{hub.url}/{repo}.git/info/lfs/objects/batch",
        json={"operation": "upload", "objects": [announced]},
        headers=HEADERS,
    )
    assert answer.json()["objects"][0]["error"]["code"] == 422


def preupload(hub: EmbeddedHub, repo: str, *files: tuple[str, int, bytes], rules: str | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "files": [
            {"path": path, "size": size, "sample": base64.b64encode(sample).decode()} for path, size, sample in files
        ]
    }
    if rules is not None:
        body["gitIgnore"] = rules
    answer = httpx2.post(f"{hub.url}/api/models/{repo}/preupload/main", json=body, headers=HEADERS)
    assert answer.status_code == 200
    return {each["path"]: each for each in answer.json()["files"]}


def test_a_file_is_large_by_its_name_its_size_or_its_first_bytes(hub: EmbeddedHub, repo: str) -> None:
    mib = 1024 * 1024
    asked = preupload(
        hub,
        repo,
        ("model.safetensors", 10, b"text"),
        ("deep/er/x.bin", 10, b"text"),
        ("small.txt", 10, b"text"),
        ("exactly.txt", 10 * mib, b"text"),
        ("above.txt", 10 * mib + 1, b"text"),
        ("binary", 10, b"\0\1"),
        ("empty.bin", 0, b""),
    )
    assert {path: each["uploadMode"] for path, each in asked.items()} == {
        "model.safetensors": "lfs",
        "deep/er/x.bin": "lfs",
        "small.txt": "regular",
        "exactly.txt": "regular",
        "above.txt": "lfs",
        "binary": "lfs",
        "empty.bin": "regular",
    }


def test_the_repositorys_own_attributes_decide(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    rules = b"*.png filter=lfs diff=lfs merge=lfs -text\n*.bin filter=lfs\nraw/*.bin -filter\n"
    operations = [
        CommitOperationAdd(".gitattributes", rules),
        CommitOperationAdd("sub/.gitattributes", b"*.md filter=lfs\n"),
    ]
    api.create_commit(repo, operations, commit_message="Rules")
    asked = preupload(
        hub, repo, *[(path, 5, b"t") for path in ("a.png", "raw/b.bin", "c.safetensors", "sub/d.md", "d.md")]
    )
    assert {path: each["uploadMode"] for path, each in asked.items()} == {
        "a.png": "lfs",
        "raw/b.bin": "regular",
        "c.safetensors": "regular",
        "sub/d.md": "lfs",
        "d.md": "regular",
    }


def test_ignored_files_are_named_by_the_rules_that_go_up_or_else_by_the_repositorys(
    hub: EmbeddedHub, api: HfApi, repo: str
) -> None:
    api.create_commit(repo, [CommitOperationAdd(".gitignore", b"*.log\n!keep.log\n")], commit_message="Rules")
    files = [(path, 5, b"t") for path in ("a.log", "keep.log", "b.tmp")]
    own = preupload(hub, repo, *files)
    assert [path for path, each in own.items() if each["shouldIgnore"]] == ["a.log"]
    given = preupload(hub, repo, *files, rules="*.tmp\n")
    assert [path for path, each in given.items() if each["shouldIgnore"]] == ["b.tmp"]


def test_what_is_there_already_is_named_by_its_id(hub: EmbeddedHub, repo: str) -> None:
    hub.store.seed(repo, {"large.bin": b"large", "small.txt": b"small"})
    asked = preupload(hub, repo, ("large.bin", 5, b"large"), ("small.txt", 5, b"small"), ("new.txt", 5, b"new"))
    assert asked["large.bin"]["oid"] == hashlib.sha256(b"large").hexdigest()
    assert asked["small.txt"]["oid"] == hashlib.sha1(b"blob 5\0small").hexdigest()
    assert "oid" not in asked["new.txt"]


def test_large_files_can_be_listed_and_deleted_for_good(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    """Also from every earlier commit, whose message may look like anything."""
    hub.store.seed(repo, {"a.bin": b"aaa", "b.bin": b"bbb"}, message="M 100644 x a.bin\ndata 3\n\nno line end")
    hub.store.seed(repo, {"c.txt": b"ccc"})
    files = {file.filename: file for file in api.list_lfs_files(repo)}
    assert set(files) == {"a.bin", "b.bin"}
    titles = [commit.title for commit in api.list_repo_commits(repo)]
    api.permanently_delete_lfs_files(repo, [files["a.bin"]])
    assert set(api.list_repo_files(repo)) == {".gitattributes", "b.bin", "c.txt"}
    assert [commit.title for commit in api.list_repo_commits(repo)] == titles
    earlier = api.list_repo_commits(repo)[1].commit_id
    assert "a.bin" not in api.list_repo_files(repo, revision=earlier)
    with pytest.raises(RemoteEntryNotFoundError):
        api.hf_hub_download(repo, "a.bin")


def _fail_after(arrival: Arrival) -> None:
    arrival.write(b"con")
    raise OSError("the disk is full")


def test_nothing_half_written_has_a_name(tmp_path: Path) -> None:
    large = LargeFiles(tmp_path)
    oid = hashlib.sha256(b"content").hexdigest()
    with pytest.raises(WrongContent, match="SHA-256"), large.receive(oid, 7) as arrival:
        arrival.write(b"cantent")
    with pytest.raises(OSError, match="disk"), large.receive(oid, 7) as arrival:
        _fail_after(arrival)
    assert not large.has(oid)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    with large.receive(oid, 7) as arrival:
        arrival.write(b"con")
        arrival.write(b"tent")
    assert large.path(oid).read_bytes() == b"content"
