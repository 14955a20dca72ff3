"""Repositories come, go and move."""

from collections.abc import Callable

import httpx2
import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

from release.rehearsal import EmbeddedHub

Citizen = Callable[[str], HfApi]


def test_a_new_repository_has_the_hubs_initial_commit(api: HfApi, repo: str) -> None:
    (initial,) = api.list_repo_commits(repo)
    assert initial.title == "initial commit"
    assert initial.message == ""
    assert api.list_repo_files(repo) == [".gitattributes"]


def test_a_new_space_has_a_readme_that_says_its_sdk(api: HfApi, name: str) -> None:
    api.create_repo(f"me/{name}", repo_type="space", space_sdk="static")
    assert api.space_info(f"me/{name}").sdk == "static"
    assert set(api.list_repo_files(f"me/{name}", repo_type="space")) == {".gitattributes", "README.md"}


def test_creating_a_repository_again_says_where_it_is(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    """The client reads the address from the body of the 409."""
    namespace, name = repo.split("/")
    answer = httpx2.post(
        f"{hub.url}/api/repos/create",
        json={"name": name, "organization": namespace, "type": "model"},
        headers={"authorization": "Bearer hf_any"},
    )
    assert answer.status_code == 409
    assert answer.json()["url"] == f"{hub.url}/{repo}"
    assert api.create_repo(repo, exist_ok=True).repo_id == repo
    with pytest.raises(HfHubHTTPError, match="already created"):
        api.create_repo(repo)


@pytest.mark.parametrize("wrong", ["a--b", "a..b", ".hidden", "spa ce", "x.git", "a" * 97])
def test_a_name_that_the_hub_does_not_allow_is_refused(hub: EmbeddedHub, wrong: str) -> None:
    answer = httpx2.post(
        f"{hub.url}/api/repos/create", json={"name": wrong}, headers={"authorization": "Bearer hf_any"}
    )
    assert answer.status_code == 400


def test_repository_ids_do_not_care_for_case(api: HfApi, name: str) -> None:
    api.create_repo(f"me/{name.upper()}")
    assert api.model_info(f"me/{name}").id == f"me/{name.upper()}"
    with pytest.raises(HfHubHTTPError, match="already created"):
        api.create_repo(f"me/{name}")


def test_models_and_datasets_of_one_name_are_two_repositories(api: HfApi, repo: str) -> None:
    api.create_repo(repo, repo_type="dataset")
    api.upload_file(repo_id=repo, repo_type="dataset", path_in_repo="data.txt", path_or_fileobj=b"x")
    assert "data.txt" not in api.list_repo_files(repo)


def test_a_deleted_repository_is_not_found(api: HfApi, repo: str) -> None:
    api.delete_repo(repo)
    assert not api.repo_exists(repo)
    with pytest.raises(RepositoryNotFoundError):
        api.delete_repo(repo)
    api.create_repo(repo)
    assert len(api.list_repo_commits(repo)) == 1


def test_the_old_id_of_a_moved_repository_leads_to_the_new_one(api: HfApi, repo: str) -> None:
    """Reads, downloads and writes: each is answered with a redirect that keeps method and body."""
    api.upload_file(repo_id=repo, path_in_repo="before.txt", path_or_fileobj=b"before")
    api.move_repo(repo, f"{repo}-moved")
    assert api.model_info(repo).id == f"{repo}-moved"
    with open(api.hf_hub_download(repo, "before.txt"), "rb") as file:
        assert file.read() == b"before"
    api.upload_file(repo_id=repo, path_in_repo="after.txt", path_or_fileobj=b"after")
    api.upload_file(repo_id=repo, path_in_repo="large.bin", path_or_fileobj=b"large")
    assert {"after.txt", "large.bin"} <= set(api.list_repo_files(f"{repo}-moved"))


def test_a_repository_cannot_move_to_an_id_that_is_taken(api: HfApi, repo: str) -> None:
    api.create_repo(f"{repo}-taken")
    with pytest.raises(HfHubHTTPError, match="A model repository called"):
        api.move_repo(repo, f"{repo}-taken")


def test_a_new_repository_may_take_an_id_that_was_moved_away(api: HfApi, repo: str) -> None:
    api.move_repo(repo, f"{repo}-moved")
    api.create_repo(repo)
    assert api.model_info(repo).id == repo


def test_a_duplicate_has_the_history_and_the_large_files_but_not_the_discussions(api: HfApi, repo: str) -> None:
    api.upload_file(repo_id=repo, path_in_repo="large.bin", path_or_fileobj=b"large")
    api.create_pull_request(repo, "A pull request")
    api.duplicate_repo(repo, f"{repo}-copy")
    assert [each.commit_id for each in api.list_repo_commits(f"{repo}-copy")] == [
        each.commit_id for each in api.list_repo_commits(repo)
    ]
    assert list(api.get_repo_discussions(f"{repo}-copy")) == []
    assert api.list_repo_refs(f"{repo}-copy", include_pull_requests=True).pull_requests == []
    with open(api.hf_hub_download(f"{repo}-copy", "large.bin"), "rb") as file:
        assert file.read() == b"large"


def test_a_repository_can_be_found_by_author_text_and_tag(api: HfApi, repo: str) -> None:
    card = b"---\nlicense: mit\ntags:\n- a-rare-tag\n---\n# Card\n"
    api.upload_file(repo_id=repo, path_in_repo="README.md", path_or_fileobj=card)
    name = repo.split("/")[1]
    assert [model.id for model in api.list_models(author="me", search=name)] == [repo]
    assert [model.id for model in api.list_models(search=name, filter=["a-rare-tag", "license:mit"])] == [repo]
    assert list(api.list_models(search=name, filter="another-tag")) == []
    assert list(api.list_models(search=name, author="somebody-else")) == []


def test_likes_are_counted_and_taken_back(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    httpx2.post(f"{hub.url}/api/models/{repo}/like", headers={"authorization": "Bearer hf_any"})
    assert [user.username for user in api.list_repo_likers(repo)] == ["rehearsal"]
    assert repo in api.list_liked_repos("rehearsal").models
    assert api.model_info(repo).likes == 1
    api.unlike(repo)
    assert list(api.list_repo_likers(repo)) == []


def test_a_page_can_be_asked_for_single_properties(api: HfApi, repo: str) -> None:
    info = api.model_info(repo, expand=["author", "likes"])
    assert (info.author, info.likes) == ("me", 0)
    assert info.created_at is None
    with pytest.raises(HfHubHTTPError, match="expected one of") as refused:
        api.model_info(repo, expand=["nonsense"])  # type: ignore[list-item]
    assert refused.value.response.status_code == 400


def test_the_storage_of_a_namespace_is_listed(citizen: Citizen, name: str) -> None:
    alice = citizen("alice")
    alice.create_repo(f"acme/{name}", private=True)
    alice.upload_file(repo_id=f"acme/{name}", path_in_repo="large.bin", path_or_fileobj=b"12345")
    (mine,) = [each for each in alice.list_user_repos("acme") if each.id == f"acme/{name}"]
    assert (mine.storage, mine.visibility) == (5, "private")
    with pytest.raises(HfHubHTTPError, match="not a member"):
        list(citizen("bob").list_user_repos("vault"))
