"""Xet: the default `hf upload` and `hf download`, and parts of a file."""

import hashlib
import os
import random
from pathlib import Path

import httpx2
import pytest
from hf_command import TOKEN, Command
from huggingface_hub import HfApi

from release.rehearsal import EmbeddedHub
from release.rehearsal.shards import NotAShard, read_chunks, read_shard

XET = {"HF_HUB_DISABLE_XET": "0"}
HEADERS = {"authorization": f"Bearer {TOKEN}"}


def content(seed: int) -> bytes:
    """Three hundred kilobytes that compress, that repeat, and that do neither."""
    noise = random.Random(seed)
    return b"same" * 30_000 + noise.randbytes(60_000) + b"same" * 30_000


@pytest.fixture
def uploaded(hf: Command, name: str) -> str:
    """A repository with one file that came by Xet."""
    (hf.home / "model.bin").write_bytes(content(1))
    hf.ok("upload", f"me/{name}", "model.bin", "model.bin", **XET)
    return f"me/{name}"


def test_the_default_upload_and_download_work(hub: EmbeddedHub, hf: Command, name: str) -> None:
    work = hf.home / "work"
    (work / "deep").mkdir(parents=True)
    (work / "a.safetensors").write_bytes(content(2))
    (work / "deep" / "b.bin").write_bytes(content(3))
    (work / "tiny.bin").write_bytes(b"tiny")
    (work / "notes.txt").write_text("notes")
    hf.ok("upload", f"me/{name}", ".", ".", cwd=work, **XET)
    hf.ok("download", f"me/{name}", "--local-dir", "down", **XET)
    hf.ok("cache", "verify", f"me/{name}", "--local-dir", "down", "--fail-on-missing-files", "--fail-on-extra-files")
    for path in ("a.safetensors", "deep/b.bin", "tiny.bin", "notes.txt"):
        assert (hf.home / "down" / path).read_bytes() == (work / path).read_bytes()
    assert any(seen.path.startswith("/xet/v1/reconstructions/") for seen in hub.requests)


def test_a_file_that_came_by_xet_can_be_had_without(hub: EmbeddedHub, hf: Command, uploaded: str) -> None:
    hf.ok("download", uploaded, "--local-dir", "plain")
    assert (hf.home / "plain" / "model.bin").read_bytes() == content(1)
    (entry,) = HfApi(endpoint=hub.url, token=TOKEN).get_paths_info(uploaded, ["model.bin"])
    assert entry.lfs.sha256 == hashlib.sha256(content(1)).hexdigest()
    assert len(entry.xet_hash) == 64


def test_a_client_can_upload_while_another_holds_the_store_open(hub: EmbeddedHub, hf: Command, name: str) -> None:
    """The client in this process keeps its Xet session for as long as the process lives."""
    api = HfApi(endpoint=hub.url, token=TOKEN)
    api.create_repo(f"me/{name}")
    api.upload_file(repo_id=f"me/{name}", path_in_repo="a.bin", path_or_fileobj=content(4))
    (hf.home / "b.bin").write_bytes(content(5))
    hf.ok("upload", f"me/{name}", "b.bin", "b.bin", **XET)
    for path, seed in (("a.bin", 4), ("b.bin", 5)):
        assert Path(api.hf_hub_download(f"me/{name}", path)).read_bytes() == content(seed)


def test_a_part_of_a_file_needs_only_the_chunks_that_hold_it(hub: EmbeddedHub, uploaded: str) -> None:
    """Any part, whether it begins inside a chunk, in a repeated one, or ends with the file."""
    hf_xet = pytest.importorskip("hf_xet")
    token = httpx2.get(f"{hub.url}/api/models/{uploaded}/xet-read-token/main").headers
    (entry,) = HfApi(endpoint=hub.url, token=TOKEN).get_paths_info(uploaded, ["model.bin"])
    group = hf_xet.XetSession().new_download_stream_group(
        endpoint=token["x-xet-cas-url"],
        token=token["x-xet-access-token"],
        token_expiry_unix_secs=int(token["x-xet-token-expiration"]),
    )
    info = hf_xet.XetFileInfo(entry.xet_hash, entry.size)
    for start, stop in ((0, 1), (100, 70_000), (119_999, 120_001), (130_000, 299_999), (299_000, 300_000)):
        assert b"".join(group.download_stream(info, start, stop)) == content(1)[start:stop]


def test_a_token_for_reading_does_not_open_the_store_for_writing(hub: EmbeddedHub, uploaded: str) -> None:
    token = httpx2.get(f"{hub.url}/api/models/{uploaded}/xet-read-token/main").headers["x-xet-access-token"]
    for headers, status in (({"authorization": f"Bearer {token}"}, 403), (HEADERS, 401), ({}, 401)):
        answer = httpx2.post(f"{hub.url}/xet/v1/xorbs/default/{'0' * 64}", content=b"x", headers=headers)
        assert answer.status_code == status


def test_a_write_token_needs_the_right_to_write(hub: EmbeddedHub, town: EmbeddedHub, name: str) -> None:
    town.store.seed(f"alice/{name}", {"a.txt": b"a"})
    address = f"{town.url}/api/models/alice/{name}/xet-write-token/main"
    assert httpx2.get(address, headers={"authorization": "Bearer hf_alice"}).json()["casUrl"].startswith(town.url)
    assert httpx2.get(address, headers={"authorization": "Bearer hf_bob"}).status_code == 403
    assert httpx2.get(f"{address}?create_pr=1", headers={"authorization": "Bearer hf_bob"}).status_code == 200


def test_what_is_no_shard_and_no_xorb_is_refused(hub: EmbeddedHub, repo: str) -> None:
    grant = httpx2.get(f"{hub.url}/api/models/{repo}/xet-write-token/main", headers=HEADERS).json()
    headers = {"authorization": f"Bearer {grant['accessToken']}"}
    for path, body in ((f"xorbs/default/{'1' * 64}", b""), ("shards", b"nonsense"), ("xorbs/default/short", b"x")):
        assert httpx2.post(f"{grant['casUrl']}/v1/{path}", content=body, headers=headers).status_code == 400
    assert httpx2.get(f"{grant['casUrl']}/v1/reconstructions/{'1' * 64}", headers=headers).status_code == 404


@pytest.mark.parametrize("length", [0, 10, 48, 100])
def test_a_shard_or_xorb_that_ends_too_early_is_not_one(length: int) -> None:
    with pytest.raises(NotAShard):
        read_shard((b"HFRepoMetaData" + bytes(34) + os.urandom(60))[:length])
    with pytest.raises(NotAShard):
        read_chunks(bytes([0, 255, 255, 0, 0, 1, 0, 0]) + bytes(length))
