"""What a commit holds: folders, pages, ids, and who changed a path last."""

from collections.abc import Iterator
from urllib.parse import quote

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import RemoteEntryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import RepoFile, RepoFolder

from release.rehearsal import EmbeddedHub

MANY = 2345


@pytest.fixture(scope="module")
def many(hub: EmbeddedHub) -> str:
    """A repository with more files than fit on two pages."""
    hub.store.seed("me/many-files", {f"f{number:05}.txt": b"%d" % number for number in range(MANY)})
    return "me/many-files"


def pages(url: str) -> Iterator[httpx2.Response]:
    """All pages of a list, as the `Link` headers lead from one to the next."""
    following: str | None = url
    while following is not None:
        answer = httpx2.get(following)
        assert answer.status_code == 200
        yield answer
        following = answer.links.get("next", {}).get("url")


def test_a_tree_comes_in_pages_of_a_thousand(hub: EmbeddedHub, api: HfApi, many: str) -> None:
    sizes = [len(page.json()) for page in pages(f"{hub.url}/api/models/{many}/tree/main?recursive=true")]
    assert sizes == [1000, 1000, MANY + 1 - 2000]
    assert len(api.list_repo_files(many)) == MANY + 1


def test_an_expanded_tree_comes_in_pages_of_fifty(hub: EmbeddedHub, many: str) -> None:
    first = next(pages(f"{hub.url}/api/models/{many}/tree/main?recursive=true&expand=true"))
    assert len(first.json()) == 50
    assert first.json()[0]["lastCommit"]["title"] in ("Seed", "initial commit")
    assert first.json()[0]["securityFileStatus"]["status"] == "unscanned"


def test_no_entry_is_missing_or_doubled_between_pages(hub: EmbeddedHub, many: str) -> None:
    url = f"{hub.url}/api/models/{many}/tree/main?limit=400"
    names = [entry["path"] for page in pages(url) for entry in page.json()]
    assert len(names) == len(set(names)) == MANY + 1


@pytest.mark.parametrize("query", ["cursor=nonsense", "limit=none", "limit=0", "cursor=ZnJvbTp4"])
def test_a_page_that_cannot_be_is_400(hub: EmbeddedHub, many: str, query: str) -> None:
    assert httpx2.get(f"{hub.url}/api/models/{many}/tree/main?{query}").status_code == 400


def test_folders_are_listed_one_level_at_a_time_or_all_at_once(api: HfApi, repo: str) -> None:
    operations = [CommitOperationAdd(path, b"x") for path in ("top.txt", "a/one.txt", "a/b/two.txt", "ab/three.txt")]
    api.create_commit(repo, operations, commit_message="Add")
    assert {entry.path for entry in api.list_repo_tree(repo)} == {".gitattributes", "top.txt", "a", "ab"}
    assert {entry.path for entry in api.list_repo_tree(repo, "a")} == {"a/one.txt", "a/b"}
    assert {entry.path for entry in api.list_repo_tree(repo, "a", recursive=True)} == {
        "a/one.txt",
        "a/b",
        "a/b/two.txt",
    }
    kinds = {entry.path: type(entry) for entry in api.list_repo_tree(repo)}
    assert (kinds["a"], kinds["top.txt"]) == (RepoFolder, RepoFile)


def test_a_folder_or_revision_that_is_not_there_has_its_own_404(api: HfApi, repo: str) -> None:
    with pytest.raises(RemoteEntryNotFoundError, match='absent does not exist on "main"'):
        list(api.list_repo_tree(repo, "absent"))
    with pytest.raises(RevisionNotFoundError, match="Invalid rev id: absent"):
        list(api.list_repo_tree(repo, revision="absent"))


@pytest.mark.parametrize("revision", ["main~1", "HEAD^", ":/Seed", "main..main", "-x", "@{0}", "refs/../main", " "])
def test_a_revision_is_a_name_and_not_an_expression(hub: EmbeddedHub, repo: str, revision: str) -> None:
    answer = httpx2.get(f"{hub.url}/api/models/{repo}/revision/{quote(revision, safe='')}")
    assert answer.status_code == 404


def test_paths_are_looked_up_and_missing_ones_left_out(api: HfApi, repo: str) -> None:
    api.create_commit(repo, [CommitOperationAdd("a/b.txt", b"x")], commit_message="Add")
    found = api.get_paths_info(repo, ["a/b.txt", "a", "absent"])
    assert [entry.path for entry in found] == ["a/b.txt", "a"]


def test_more_than_a_thousand_paths_are_too_many(hub: EmbeddedHub, repo: str) -> None:
    answer = httpx2.post(f"{hub.url}/api/models/{repo}/paths-info/main", data={"paths": ["x"] * 1001})
    assert answer.status_code == 413


def test_each_path_knows_the_commit_that_changed_it_last(api: HfApi, repo: str) -> None:
    first = [CommitOperationAdd("a/old.txt", b"1"), CommitOperationAdd("a/new.txt", b"1")]
    api.create_commit(repo, first, commit_message="First")
    api.create_commit(repo, [CommitOperationAdd("a/new.txt", b"2")], commit_message="Second")
    api.create_commit(repo, [CommitOperationAdd("b\nc.txt", b"2")], commit_message="Third\n\nwith a body")
    api.create_commit(repo, [CommitOperationDelete("a/old.txt")], commit_message="Fourth")
    api.create_commit(repo, [CommitOperationAdd("a/old.txt", b"1")], commit_message="Fifth")
    found = api.get_paths_info(repo, ["a", "a/old.txt", "a/new.txt", "b\nc.txt", ".gitattributes"], expand=True)
    assert {entry.path: entry.last_commit.title for entry in found if entry.last_commit is not None} == {
        "a": "Fifth",
        "a/old.txt": "Fifth",
        "a/new.txt": "Second",
        "b\nc.txt": "Third",
        ".gitattributes": "initial commit",
    }


def test_a_large_file_is_listed_with_its_pointer(api: HfApi, repo: str) -> None:
    content = b"large" * 100
    api.upload_file(repo_id=repo, path_in_repo="large.bin", path_or_fileobj=content)
    (entry,) = api.get_paths_info(repo, ["large.bin"])
    assert isinstance(entry, RepoFile)
    assert entry.lfs is not None
    assert (entry.size, entry.lfs.size) == (len(content), len(content))
    sibling = next(each for each in api.model_info(repo, files_metadata=True).siblings or () if each.lfs)
    assert (sibling.rfilename, sibling.blob_id, sibling.size) == ("large.bin", entry.blob_id, len(content))
    assert sibling.lfs is not None
    assert sibling.lfs.sha256 == entry.lfs.sha256
    assert sibling.lfs.pointer_size == entry.lfs.pointer_size
