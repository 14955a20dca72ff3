"""The stock `hf` command, as a user types it."""

import hashlib
import json
from pathlib import Path

import pytest
from hf_command import TOKEN, Command
from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from release.rehearsal import EmbeddedHub

STRICT = ("--fail-on-missing-files", "--fail-on-extra-files")
SIMPLE = st.text("abcxyz", min_size=1, max_size=3)
TREES = st.dictionaries(
    st.tuples(st.lists(SIMPLE, max_size=2), SIMPLE, st.sampled_from([".txt", ".bin", ".json", ""])).map(
        lambda path: "/".join([*(f"d-{each}" for each in path[0]), path[1] + path[2]])
    ),
    st.binary(max_size=30),
    min_size=1,
    max_size=10,
)


def test_whoami_names_the_one_user(hf: Command, hub: EmbeddedHub) -> None:
    assert json.loads(hf.ok("auth", "whoami", "--format", "json")) == {
        "user": "rehearsal",
        "orgs": None,
        "endpoint": hub.url,
    }
    assert Command(hub.url, hf.home, token="nonsense")("auth", "whoami").returncode == 1


def test_upload_prints_the_commit_and_download_gives_it_back(hf: Command, hub: EmbeddedHub, name: str) -> None:
    work = hf.home / "work"
    (work / "deep" / "er").mkdir(parents=True)
    files = {"README.md": b"---\nlicense: mit\n---\n# x\n", "deep/er/a.txt": b"a\n", "m.bin": b"\0" * 100, "empty": b""}
    for path, content in files.items():
        (work / path).write_bytes(content)
    message = ("--commit-message", "A title", "--commit-description", "Trailer: yes")
    url = json.loads(hf.ok("upload", f"me/{name}", ".", ".", *message, "--format", "json", cwd=work))["url"]
    head = HfApi(endpoint=hub.url, token=TOKEN).list_repo_commits(f"me/{name}")[0]
    assert url == f"{hub.url}/me/{name}/commit/{head.commit_id}"
    assert (head.title, head.message) == ("A title", "Trailer: yes")
    hf.ok("download", f"me/{name}", "--revision", head.commit_id, "--local-dir", "down")
    for path, content in files.items():
        assert (hf.home / "down" / path).read_bytes() == content
    hf.ok("cache", "verify", f"me/{name}", "--local-dir", "down", *STRICT)


def test_uploading_the_same_again_makes_no_commit(hf: Command, hub: EmbeddedHub, name: str) -> None:
    (hf.home / "a.txt").write_text("a")
    urls = [hf.ok("upload", f"me/{name}", "a.txt", "a.txt", "--format", "json") for _ in range(2)]
    assert urls[0] == urls[1]
    assert len(HfApi(endpoint=hub.url, token=TOKEN).list_repo_commits(f"me/{name}")) == 2


def test_an_upload_can_delete_and_go_to_a_branch_of_its_own(hf: Command, hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"old.txt": b"old", "keep.txt": b"keep"})
    work = hf.home / "work"
    work.mkdir()
    (work / "new.txt").write_text("new")
    hf.ok("upload", f"me/{name}", ".", ".", "--delete", "old.txt", "--revision", "next", cwd=work)
    api = HfApi(endpoint=hub.url, token=TOKEN)
    assert set(api.list_repo_files(f"me/{name}", revision="next")) == {".gitattributes", "keep.txt", "new.txt"}
    assert "old.txt" in api.list_repo_files(f"me/{name}")


def test_an_upload_can_become_a_pull_request(hf: Command, hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"a.txt": b"a"})
    (hf.home / "b.txt").write_text("b")
    hf.ok("upload", f"me/{name}", "b.txt", "b.txt", "--create-pr", "--commit-message", "Propose b")
    listed = json.loads(hf.ok("discussions", "list", f"me/{name}", "--format", "json"))
    assert [(each["num"], each["title"], each["status"]) for each in listed] == [(1, "Propose b", "open")]
    hf.ok("discussions", "merge", f"me/{name}", "1", "--yes")
    hf.ok("download", f"me/{name}", "b.txt", "--local-dir", "down")
    assert (hf.home / "down" / "b.txt").read_text() == "b"


def test_repositories_are_managed_by_command(hf: Command, hub: EmbeddedHub, name: str) -> None:
    repo = f"rehearsal/{name}"
    hf.ok("repos", "create", name, "--private")
    assert json.loads(hf.ok("models", "info", repo, "--format", "json"))["private"] is True
    hf.ok("repos", "settings", repo, "--public")
    hf.ok("repos", "branch", "create", repo, "side")
    hf.ok("repos", "tag", "create", repo, "v1", "-m", "The first")
    tags = json.loads(hf.ok("repos", "tag", "list", repo, "--format", "json"))
    assert tags[0]["name"] == "v1"
    hf.ok("repos", "tag", "delete", repo, "v1", "--yes")
    hf.ok("repos", "branch", "delete", repo, "side")
    hf.ok("repos", "move", repo, f"{repo}-moved")
    hf.ok("repos", "delete", f"{repo}-moved", "--yes")
    assert hub.store.find("model", f"{repo}-moved") is None


def test_a_listing_for_machines_has_ids_and_sizes(hf: Command, hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"a.txt": b"a", "deep/m.bin": b"large"})
    listed = {each["path"]: each for each in json.loads(hf.ok("models", "ls", f"me/{name}", "-R", "--format", "json"))}
    assert listed["a.txt"]["blob_id"] == hashlib.sha1(b"blob 1\0a").hexdigest()
    assert listed["deep/m.bin"]["lfs"]["sha256"] == hashlib.sha256(b"large").hexdigest()
    assert listed["deep/m.bin"]["size"] == 5


def test_cache_verify_finds_what_was_changed_on_disk(hf: Command, hub: EmbeddedHub, name: str) -> None:
    hub.store.seed(f"me/{name}", {"a.txt": b"a", "m.bin": b"large"})
    hf.ok("download", f"me/{name}", "--local-dir", "down")
    hf.ok("cache", "verify", f"me/{name}", "--local-dir", "down", *STRICT)
    for path in ("a.txt", "m.bin"):
        before = (hf.home / "down" / path).read_bytes()
        (hf.home / "down" / path).write_bytes(b"X" * len(before))
        assert hf("cache", "verify", f"me/{name}", "--local-dir", "down").returncode == 1
        (hf.home / "down" / path).write_bytes(before)
    (hf.home / "down" / "a.txt").unlink()
    assert hf("cache", "verify", f"me/{name}", "--local-dir", "down", *STRICT).returncode == 1


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=TREES)
def test_the_checksums_of_any_tree_verify(
    hub: EmbeddedHub, tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes]
) -> None:
    """What `hf cache verify` does, on random folders with regular, large and empty files."""
    name = f"me/tree-{hashlib.sha1(repr(sorted(tree.items())).encode()).hexdigest()[:12]}"
    api = HfApi(endpoint=hub.url, token=TOKEN)
    api.create_repo(name, exist_ok=True)
    operations = [CommitOperationAdd(path, content) for path, content in tree.items()]
    api.create_commit(name, operations, commit_message="A tree")
    folder = tmp_path_factory.mktemp("tree")
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    verified = api.verify_repo_checksums(name, local_dir=folder)
    assert (verified.mismatches, verified.extra_paths, verified.missing_paths) == ([], [], [".gitattributes"])
    assert verified.checked_count == len(tree)


def test_the_file_system_of_the_client_reads_and_writes(hub: EmbeddedHub, repo: str) -> None:
    files = HfFileSystem(endpoint=hub.url, token=TOKEN, skip_instance_cache=True)
    with files.open(f"{repo}/folder/a.txt", "w") as file:
        file.write("written")
    assert files.ls(f"{repo}/folder", detail=False) == [f"{repo}/folder/a.txt"]
    with files.open(f"{repo}/folder/a.txt", "rb") as file:
        file.seek(2)
        assert file.read(3) == b"itt"
    files.rm(f"{repo}/folder/a.txt")
    assert not files.exists(f"{repo}/folder/a.txt")


def test_a_snapshot_is_as_it_was_at_its_commit(hub: EmbeddedHub, api: HfApi, repo: str, tmp_path: Path) -> None:
    first = hub.store.seed(repo, {"a.txt": b"one", "m.bin": b"one"})
    hub.store.seed(repo, {"a.txt": b"two", "m.bin": b"two"})
    then = Path(api.snapshot_download(repo, revision=first, cache_dir=tmp_path))
    now = Path(api.snapshot_download(repo, cache_dir=tmp_path))
    assert [(then / path).read_bytes() for path in ("a.txt", "m.bin")] == [b"one", b"one"]
    assert [(now / path).read_bytes() for path in ("a.txt", "m.bin")] == [b"two", b"two"]
