"""Branches and tags."""

import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError, RevisionNotFoundError

from release.rehearsal import EmbeddedHub


def commit(api: HfApi, repo: str, path: str) -> str:
    return api.create_commit(repo, [CommitOperationAdd(path, b"x")], commit_message=f"Add {path}").oid


def test_a_tag_stays_where_it_was_set(api: HfApi, repo: str) -> None:
    first = commit(api, repo, "a.txt")
    api.create_tag(repo, tag="v1")
    commit(api, repo, "b.txt")
    (tag,) = api.list_repo_refs(repo).tags
    assert (tag.name, tag.ref, tag.target_commit) == ("v1", "refs/tags/v1", first)
    assert api.model_info(repo, revision="v1").sha == first
    with pytest.raises(HfHubHTTPError, match="exists already") as refused:
        api.create_tag(repo, tag="v1")
    assert refused.value.response.status_code == 409


def test_an_annotated_tag_is_listed_with_the_commit_it_is_on(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    head = commit(api, repo, "a.txt")
    api.create_tag(repo, tag="v1", tag_message="The first one")
    assert api.list_repo_refs(repo).tags[0].target_commit == head
    repository = hub.store.find("model", repo)
    assert repository is not None
    kept = repository.git.run("cat-file", "tag", "refs/tags/v1").decode()
    assert f"object {head}\ntype commit\ntag v1\ntagger rehearsal <" in kept
    assert kept.endswith("\n\nThe first one\n")


@pytest.mark.parametrize("length", [7, 12, 40])
def test_a_tag_can_be_set_on_a_commit_by_its_id_whole_or_shortened(api: HfApi, repo: str, length: int) -> None:
    first = commit(api, repo, "a.txt")
    commit(api, repo, "b.txt")
    api.create_tag(repo, tag="v1", revision=first[:length])
    assert api.list_repo_refs(repo).tags[0].target_commit == first


@pytest.mark.parametrize("wrong", ["with space", "dots..dots", "-dash", "tilde~", "a.lock", "a//b", "end/", ".hidden"])
def test_a_tag_or_branch_that_git_would_not_take_is_400(api: HfApi, repo: str, wrong: str) -> None:
    for create in (lambda: api.create_tag(repo, tag=wrong), lambda: api.create_branch(repo, branch=wrong)):
        with pytest.raises(HfHubHTTPError) as refused:
            create()
        assert refused.value.response.status_code == 400


def test_a_tag_with_a_slash_is_one_tag(api: HfApi, repo: str) -> None:
    api.create_tag(repo, tag="release/v1")
    assert api.model_info(repo, revision="release/v1").sha == api.model_info(repo).sha
    api.delete_tag(repo, tag="release/v1")
    assert api.list_repo_refs(repo).tags == []


def test_a_tag_that_is_not_there_cannot_be_deleted(api: HfApi, repo: str) -> None:
    with pytest.raises(RevisionNotFoundError):
        api.delete_tag(repo, tag="v1")
    with pytest.raises(RevisionNotFoundError):
        api.delete_tag(repo, tag="main")


def test_a_branch_starts_at_main_or_where_it_is_told_to(api: HfApi, repo: str) -> None:
    first, head = commit(api, repo, "a.txt"), commit(api, repo, "b.txt")
    api.create_branch(repo, branch="from-main")
    api.create_branch(repo, branch="from-first", revision=first)
    api.create_branch(repo, branch="from-branch", revision="from-first")
    assert {ref.name: ref.target_commit for ref in api.list_repo_refs(repo).branches} == {
        "main": head,
        "from-main": head,
        "from-first": first,
        "from-branch": first,
    }
    with pytest.raises(HfHubHTTPError, match="Reference refs/heads/from-main already exists"):
        api.create_branch(repo, branch="from-main")
    with pytest.raises(RevisionNotFoundError):
        api.create_branch(repo, branch="from-nowhere", revision="absent")


def test_main_cannot_be_deleted_and_another_branch_can(api: HfApi, repo: str) -> None:
    api.create_branch(repo, branch="other")
    api.delete_branch(repo, branch="other")
    with pytest.raises(RevisionNotFoundError):
        api.model_info(repo, revision="other")
    with pytest.raises(RevisionNotFoundError, match="Invalid rev id"):
        api.delete_branch(repo, branch="other")
    with pytest.raises(HfHubHTTPError, match="Cannot delete refs/heads/main"):
        api.delete_branch(repo, branch="main")


def test_commits_are_listed_in_pages_the_latest_first(hub: EmbeddedHub, api: HfApi, repo: str) -> None:
    repository = hub.store.find("model", repo)
    assert repository is not None
    made = [hub.store.commit(repository, {"count.txt": b"%d" % number}, f"Commit {number}") for number in range(60)]
    listed = api.list_repo_commits(repo)
    assert [each.commit_id for each in listed[:60]] == list(reversed(made))
    assert listed[-1].title == "initial commit"
    pages = [seen for seen in hub.requests if seen.path == f"/api/models/{repo}/commits/main"]
    assert len(pages) == 2


def test_formatted_commits_escape_what_is_markup(api: HfApi, repo: str) -> None:
    api.create_commit(repo, [CommitOperationAdd("a.txt", b"x")], commit_message="<b>Title</b>")
    assert api.list_repo_commits(repo, formatted=True)[0].formatted_title == "&lt;b&gt;Title&lt;/b&gt;"


def test_a_squashed_branch_has_one_commit_and_the_same_files(api: HfApi, repo: str) -> None:
    commit(api, repo, "a.txt")
    commit(api, repo, "b.txt")
    api.create_branch(repo, branch="before")
    files = api.list_repo_files(repo)
    api.super_squash_history(repo, commit_message="All at once")
    (only,) = api.list_repo_commits(repo)
    assert only.title == "All at once"
    assert api.list_repo_files(repo) == files
    assert len(api.list_repo_commits(repo, revision="before")) == 3
