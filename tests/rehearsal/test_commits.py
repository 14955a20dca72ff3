"""Commits land whole, on the head they were made for, with the ids that git gives."""

import base64
import hashlib
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete, HfApi
from huggingface_hub.errors import HfHubHTTPError, RemoteEntryNotFoundError, RevisionNotFoundError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from release.rehearsal import EmbeddedHub

# What a path may hold, and a few names that have gone wrong in some tool before.
LETTERS = st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=("Cs",))
NAMES = st.one_of(
    st.sampled_from(["a", "b", "é", "space d", "#", "?", "%41", '"quoted"', "new\nline", "tab\t", "-", "README.MD"]),
    st.text(LETTERS, min_size=1, max_size=8).filter(lambda name: name not in (".", "..") and name.lower() != ".git"),
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join).filter(lambda path: not path.startswith("..\\"))


def add(path: str, content: bytes = b"content") -> CommitOperationAdd:
    return CommitOperationAdd(path, content)


def git_folder(hub: EmbeddedHub, repo: str) -> Path:
    found = hub.store.find("model", repo)
    assert found is not None
    return found.folder


def send(hub: EmbeddedHub, repo: str, *lines: dict[str, Any] | str) -> httpx2.Response:
    """A commit as raw lines."""
    body = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return httpx2.post(
        f"{hub.url}/api/models/{repo}/commit/main",
        content=body.encode(),
        headers={"authorization": "Bearer hf_any", "content-type": "application/x-ndjson"},
    )


HEADER = {"key": "header", "value": {"summary": "A commit"}}


def file_line(path: str, content: bytes = b"content") -> dict[str, Any]:
    value = {"path": path, "content": base64.b64encode(content).decode(), "encoding": "base64"}
    return {"key": "file", "value": value}


def test_a_commit_has_its_message_its_author_and_its_parent(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    made = api.create_commit(repo, [add("a.txt")], commit_message="Title", commit_description="Body\n\nTrailer: x")
    first, second = api.list_repo_commits(repo)
    assert (first.commit_id, first.title, first.message) == (made.oid, "Title", "Body\n\nTrailer: x")
    assert first.authors == ["rehearsal"]
    assert made.commit_url == f"{hub.url}/{repo}/commit/{made.oid}"
    raw = subprocess.run(
        ["git", f"--git-dir={git_folder(hub, repo)}", "cat-file", "commit", made.oid],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"parent {second.commit_id}" in raw
    assert "author rehearsal <rehearsal@users.noreply.huggingface.co>" in raw


def test_a_commit_on_a_stale_parent_is_412_and_changes_nothing(api: HfApi, repo: str) -> None:
    stale = api.model_info(repo).sha
    landed = api.create_commit(repo, [add("a.txt")], commit_message="First").oid
    with pytest.raises(HfHubHTTPError, match="The branch was updated") as refused:
        api.create_commit(repo, [add("b.txt")], commit_message="Second", parent_commit=stale)
    assert refused.value.response.status_code == 412
    assert api.model_info(repo).sha == landed
    api.create_commit(repo, [add("b.txt")], commit_message="Second", parent_commit=landed[:8])


def test_of_many_commits_at_once_on_one_parent_exactly_one_lands(api: HfApi, repo: str) -> None:
    head = api.model_info(repo).sha

    def commit(number: int) -> int:
        try:
            operations = [add(f"{number}.txt")]
            api.create_commit(repo, operations, commit_message=f"Number {number}", parent_commit=head)
        except HfHubHTTPError as error:
            return error.response.status_code
        return 200

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(commit, range(8))) == [200] + [412] * 7
    assert len(api.list_repo_commits(repo)) == 2


def test_of_many_commits_at_once_without_a_parent_all_land_one_after_another(api: HfApi, repo: str) -> None:
    def commit(number: int) -> None:
        api.create_commit(repo, [add(f"{number}.txt")], commit_message=f"Number {number}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(commit, range(4)))
    assert {f"{number}.txt" for number in range(4)} <= set(api.list_repo_files(repo))
    assert len(api.list_repo_commits(repo)) == 5


def test_files_and_folders_are_deleted_and_copied(api: HfApi, repo: str) -> None:
    files = ["keep.txt", "gone.txt", "folder/a.txt", "folder/deep/b.txt"]
    api.create_commit(repo, [add(path, path.encode()) for path in files], commit_message="Add")
    api.create_commit(
        repo,
        [
            CommitOperationDelete("gone.txt"),
            CommitOperationDelete("folder/"),
            CommitOperationCopy("keep.txt", "copied.txt"),
        ],
        commit_message="Change",
    )
    assert set(api.list_repo_files(repo)) == {".gitattributes", "keep.txt", "copied.txt"}
    assert api.get_paths_info(repo, ["copied.txt"])[0].blob_id == api.get_paths_info(repo, ["keep.txt"])[0].blob_id


def test_deleting_what_is_not_there_is_refused(api: HfApi, repo: str) -> None:
    before = api.model_info(repo).sha
    with pytest.raises(RemoteEntryNotFoundError, match="A file with this name doesn't exist"):
        api.create_commit(repo, [add("new.txt"), CommitOperationDelete("absent.txt")], commit_message="Delete")
    assert api.model_info(repo).sha == before


def test_a_file_may_become_a_folder_and_a_folder_a_file(api: HfApi, repo: str) -> None:
    api.create_commit(repo, [add("a"), add("b/c")], commit_message="One way")
    api.create_commit(repo, [add("a/b"), CommitOperationDelete("b/"), add("b")], commit_message="The other")
    assert set(api.list_repo_files(repo)) == {".gitattributes", "a/b", "b"}


def test_a_commit_to_a_branch_leaves_main_alone(api: HfApi, repo: str) -> None:
    api.create_branch(repo, branch="side/branch")
    api.create_commit(repo, [add("a.txt")], commit_message="On the side", revision="side/branch")
    assert "a.txt" in api.list_repo_files(repo, revision="side/branch")
    assert "a.txt" not in api.list_repo_files(repo)


@pytest.mark.parametrize("revision", ["absent", "v1", "0" * 40])
def test_a_commit_lands_on_branches_only(api: HfApi, repo: str, revision: str) -> None:
    api.create_tag(repo, tag="v1")
    with pytest.raises(RevisionNotFoundError):
        api.create_commit(repo, [add("a.txt")], commit_message="Nowhere", revision=revision)


def test_a_card_with_broken_front_matter_is_refused(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    broken = b"---\nlicense: [mit\n---\n"
    with pytest.raises(ValueError, match=r"Invalid metadata in README\.md"):
        api.create_commit(repo, [add("README.md", broken)], commit_message="Add a card")
    # The commit itself is refused too, for a client that does not ask first.
    answer = send(hub, repo, HEADER, file_line("README.md", broken))
    assert answer.status_code == 400
    assert "README.md" in answer.json()["error"]


@pytest.mark.parametrize("path", ["../up", "a/../b", "/root", "a//b", "a/./b", ".git/config", "a/.GIT/x", "..\\up", ""])
def test_a_path_that_no_repository_can_hold_is_422(hub: EmbeddedHub, repo: str, path: str) -> None:
    assert send(hub, repo, HEADER, file_line(path)).status_code == 422


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["not json"], "JSON object"),
        (["[1]"], '"key" and a "value"'),
        ([file_line("a")], "first line"),
        ([{"key": "header", "value": {"summary": " "}}, file_line("a")], "summary"),
        ([HEADER], "Add a line with the key"),
        ([HEADER, {"key": "strange", "value": {}}], "Unknown key"),
        ([HEADER, {"key": "file", "value": {"path": "a", "content": "???", "encoding": "base64"}}], "not base64"),
        ([HEADER, {"key": "lfsFile", "value": {"path": "a", "oid": "short"}}], "SHA-256"),
        ([HEADER, {"key": "lfsFile", "value": {"path": "a", "oid": "0" * 64, "size": 1}}], "does not exist"),
        ([HEADER, file_line("big.txt", b"x" * (10 * 1024 * 1024 + 1))], "large files"),
    ],
)
def test_a_commit_that_is_not_one_is_400(hub: EmbeddedHub, repo: str, lines: list[Any], text: str) -> None:
    answer = send(hub, repo, *lines)
    assert answer.status_code == 400
    assert text in answer.json()["error"]
    assert answer.headers["x-error-message"] == answer.json()["error"]


def test_a_pointer_to_a_large_file_that_nobody_sent_is_refused(hub: EmbeddedHub, repo: str) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 3\n"
    answer = send(hub, repo, HEADER, file_line("weights.bin", pointer.encode()))
    assert answer.status_code == 400
    assert "LFS pointer pointed to a file that does not exist" in answer.json()["error"]


def test_an_empty_change_is_still_a_commit(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    """The client leaves unchanged files out; who sends them gets a commit, as on the Hub."""
    for _ in range(2):
        assert send(hub, repo, HEADER, file_line("a.txt")).status_code == 200
    assert len(api.list_repo_commits(repo)) == 3


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(PATHS, st.binary(max_size=40), min_size=1, max_size=8))
def test_every_id_is_the_one_that_git_computes(
    hub: EmbeddedHub, tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    """Random trees, with names that are hard on tools: blobs, trees and sizes as `git` itself has them."""
    files = {path: content for path, content in files.items() if not any(o.startswith(f"{path}/") for o in files)}
    name = f"me/random-{hashlib.sha1(repr(sorted(files)).encode()).hexdigest()[:12]}"
    api = HfApi(endpoint=hub.url, token="hf_any")
    api.create_repo(name, exist_ok=True)
    answer = send(hub, name, HEADER, *[file_line(path, content) for path, content in files.items()])
    assert answer.status_code == 200, answer.text
    listed = {entry.path: entry for entry in api.list_repo_tree(name, recursive=True)}
    work = tmp_path_factory.mktemp("work")
    git = ["git", f"--git-dir={git_folder(hub, name)}"]
    listing = subprocess.run([*git, "ls-tree", "-r", "-t", "-z", "main"], capture_output=True, check=True, cwd=work)
    by_git = {
        line.split(b"\t", 1)[1].decode(): line.split(b"\t", 1)[0].split()[2].decode()
        for line in listing.stdout.split(b"\0")
        if line
    }
    assert {path: getattr(entry, "blob_id", None) or entry.tree_id for path, entry in listed.items()} == by_git
    for path, content in files.items():
        header = b"blob %d\0" % len(content)
        assert listed[path].blob_id == hashlib.sha1(header + content).hexdigest()
        assert listed[path].size == len(content)
    subprocess.run([*git, "fsck", "--strict"], capture_output=True, check=True)
