"""The twelve files of the lab, released through the command line, and checked with huggingface_hub alone."""

import hashlib
from pathlib import Path

import pytest
from huggingface_hub import HfApi, hf_hub_download

from release.rehearsal import EmbeddedHub
from support import TOKEN, SourceRepository, fresh_repo_id, hf, release_process


@pytest.fixture
def lab(oracle: Path, source: SourceRepository) -> tuple[SourceRepository, str]:
    """A repository with the lab's files, a release.toml and the tag v1; and where it is released to."""
    repo = fresh_repo_id()
    files = {path.name: path.read_bytes() for path in sorted((oracle / "lab").iterdir()) if path.is_file()}
    source.commit({**files, "release.toml": f'repo = "{repo}"\nfiles = ["*"]\n'})
    source.tag("v1")
    return source, repo


def test_the_lab_is_on_the_hub_as_it_was_tagged(
    lab: tuple[SourceRepository, str], hub: EmbeddedHub, tmp_path: Path
) -> None:
    """Tree, bytes, tag and both ids, by the stock client; no code of ours looks."""
    source, repo = lab
    assert release_process(source.path, "prepare", "v1").code == 0
    assert release_process(source.path, "publish", "v1", hub=hub.url).code == 0
    published = release_process(source.path, "publish", "--confirm", "--create", "--json", hub=hub.url)
    assert published.code == 0, published.err

    api = HfApi(endpoint=hub.url, token=TOKEN)
    wanted = {
        path: source.git("rev-parse", f"v1:{path}") for path in source.git("ls-tree", "--name-only", "v1").splitlines()
    }
    assert len(wanted) == 13
    there = {file.path: file.blob_id for file in api.list_repo_tree(repo, recursive=True) if hasattr(file, "blob_id")}
    assert {path: there[path] for path in wanted} == wanted
    assert set(there) - set(wanted) == {".gitattributes", "SHA256SUMS"}

    head = api.repo_info(repo).sha
    assert published.json["hubCommit"] == head
    assert published.json["sourceCommit"] == source.git("rev-parse", "v1^{commit}")
    assert {tag.name: tag.target_commit for tag in api.list_repo_refs(repo).tags} == {"v1": head}

    for path in wanted:
        copy = hf_hub_download(repo, path, endpoint=hub.url, token=TOKEN, revision="v1", cache_dir=tmp_path / "cache")
        assert Path(copy).read_bytes() == (source.path / path).read_bytes()


def test_the_stock_command_downloads_and_accepts_it(
    lab: tuple[SourceRepository, str], hub: EmbeddedHub, tmp_path: Path
) -> None:
    """`hf download`, `hf cache verify` and `sha256sum --check` agree with what was tagged."""
    source, repo = lab
    release_process(source.path, "prepare", "v1")
    published = release_process(source.path, "publish", "--confirm", "--create", "--json", hub=hub.url).json
    home, copy = tmp_path / "home", tmp_path / "copy"
    got = hf("download", repo, "--revision", published["hubCommit"], "--local-dir", str(copy), hub=hub.url, home=home)
    assert got.code == 0, got.err
    verified = hf(
        "cache", "verify", repo, "--revision", published["hubCommit"], "--local-dir", str(copy),
        "--fail-on-missing-files", "--fail-on-extra-files", hub=hub.url, home=home,
    )  # fmt: skip
    assert verified.code == 0, verified.err
    for line in (copy / "SHA256SUMS").read_text().splitlines():
        digest, _, path = line.partition("  ")
        assert hashlib.sha256((copy / path).read_bytes()).hexdigest() == digest
