"""Discussions and pull requests, from the first word to the merge."""

from collections.abc import Callable

import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.community import DiscussionComment, DiscussionCommit
from huggingface_hub.errors import BadRequestError, HfHubHTTPError

Citizen = Callable[[str], HfApi]


def commit(api: HfApi, repo: str, path: str, content: bytes, revision: str | None = None) -> str:
    return api.create_commit(
        repo, [CommitOperationAdd(path, content)], commit_message=f"Change {path}", revision=revision
    ).oid


def open_pull_request(api: HfApi, repo: str, path: str, content: bytes) -> int:
    operations = [CommitOperationAdd(path, content)]
    opened = api.create_commit(repo, operations, commit_message=f"Propose {path}", create_pr=True)
    assert opened.pr_num is not None
    return opened.pr_num


def test_a_discussion_is_opened_talked_about_renamed_and_closed(api: HfApi, repo: str) -> None:
    opened = api.create_discussion(repo, "A question", description="Why?")
    assert (opened.num, opened.status, opened.author) == (1, "open", "rehearsal")
    said = api.comment_discussion(repo, 1, "Because.")
    api.edit_discussion_comment(repo, 1, said.id, "Because of that.")
    api.rename_discussion(repo, 1, "An answer")
    api.change_discussion_status(repo, 1, "closed", comment="Done.")
    details = api.get_discussion_details(repo, 1)
    assert (details.title, details.status) == ("An answer", "closed")
    assert [event.type for event in details.events] == [
        "comment",
        "comment",
        "title-change",
        "comment",
        "status-change",
    ]
    edited = details.events[1]
    assert isinstance(edited, DiscussionComment)
    assert (edited.content, edited.edited, edited.number_of_edits) == ("Because of that.", True, 2)


def test_a_hidden_comment_can_be_read_by_nobody(api: HfApi, repo: str) -> None:
    api.create_discussion(repo, "A question", description="A secret")
    first = api.get_discussion_details(repo, 1).events[0]
    with pytest.warns(UserWarning, match="irreversible"):
        api.hide_discussion_comment(repo, 1, first.id)
    hidden = api.get_discussion_details(repo, 1).events[0]
    assert isinstance(hidden, DiscussionComment)
    assert hidden.hidden
    assert "secret" not in str(hidden)


def test_discussions_are_listed_in_pages_and_can_be_filtered(api: HfApi, repo: str) -> None:
    for number in range(55):
        api.create_discussion(repo, f"Number {number}")
    api.create_pull_request(repo, "A pull request")
    api.change_discussion_status(repo, 1, "closed")

    def numbers(**filters: str) -> list[int]:
        return [each.num for each in api.get_repo_discussions(repo, **filters)]  # type: ignore[arg-type]

    assert numbers() == list(range(56, 0, -1))
    assert numbers(discussion_type="pull_request") == [56]
    assert numbers(discussion_status="closed") == [1]
    assert numbers(discussion_status="open", discussion_type="discussion") == list(range(55, 1, -1))
    assert numbers(author="somebody-else") == []


def test_others_may_talk_but_not_rename_or_close(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    citizen("alice").create_discussion(f"alice/{name}", "A question")
    bob = citizen("bob")
    mine = bob.comment_discussion(f"alice/{name}", 1, "Me too")
    for forbidden in (
        lambda: bob.rename_discussion(f"alice/{name}", 1, "Mine"),
        lambda: bob.change_discussion_status(f"alice/{name}", 1, "closed"),
        lambda: citizen("alice").edit_discussion_comment(f"alice/{name}", 1, mine.id, "Not me"),
    ):
        with pytest.raises(HfHubHTTPError) as refused:
            forbidden()
        assert refused.value.response.status_code == 403


def test_a_new_pull_request_is_a_draft_at_the_head_of_main(api: HfApi, repo: str) -> None:
    head = commit(api, repo, "a.txt", b"a")
    opened = api.create_pull_request(repo, "Work to come")
    assert (opened.status, opened.git_reference, opened.target_branch) == ("draft", "refs/pr/1", "refs/heads/main")
    assert api.model_info(repo, revision="refs/pr/1").sha == head
    with pytest.raises(BadRequestError, match="draft"):
        api.merge_pull_request(repo, 1)


def test_a_pull_request_is_merged_as_one_commit(api: HfApi, repo: str) -> None:
    number = open_pull_request(api, repo, "b.txt", b"b")
    commit(api, repo, "c.txt", b"c", revision=f"refs/pr/{number}")
    commit(api, repo, "other.txt", b"on main")
    details = api.get_discussion_details(repo, number)
    assert details.diff is not None
    assert "+++ b/b.txt" in details.diff
    assert "other.txt" not in details.diff
    assert [event.summary for event in details.events if isinstance(event, DiscussionCommit)] == [
        "Propose b.txt",
        "Change c.txt",
    ]
    api.merge_pull_request(repo, number, comment="Thanks")
    merged = api.get_discussion_details(repo, number)
    assert merged.status == "merged"
    head = api.list_repo_commits(repo)[0]
    assert (head.commit_id, head.title) == (merged.merge_commit_oid, f"Propose b.txt (#{number})")
    assert "- Propose b.txt (" in head.message
    assert {"b.txt", "c.txt", "other.txt"} <= set(api.list_repo_files(repo))
    assert len(api.list_repo_commits(repo)) == 3
    with pytest.raises(BadRequestError):
        api.merge_pull_request(repo, number)


def test_changes_to_different_lines_of_one_file_are_merged(api: HfApi, repo: str) -> None:
    lines = [b"%d\n" % number for number in range(20)]
    commit(api, repo, "lines.txt", b"".join(lines))
    number = open_pull_request(api, repo, "lines.txt", b"".join([b"first\n", *lines[1:]]))
    commit(api, repo, "lines.txt", b"".join([*lines[:-1], b"last\n"]))
    assert api.get_discussion_details(repo, number).conflicting_files is False
    api.merge_pull_request(repo, number)
    with open(api.hf_hub_download(repo, "lines.txt"), "rb") as file:
        assert file.read() == b"".join([b"first\n", *lines[1:-1], b"last\n"])


@pytest.mark.parametrize("theirs", [b"theirs\n", b"\0theirs"])
def test_a_pull_request_with_conflicts_names_them_and_is_not_merged(api: HfApi, repo: str, theirs: bytes) -> None:
    commit(api, repo, "a.txt", b"before\n")
    number = open_pull_request(api, repo, "a.txt", theirs)
    head = commit(api, repo, "a.txt", b"ours\n")
    assert api.get_discussion_details(repo, number).conflicting_files == ["a.txt"]
    with pytest.raises(HfHubHTTPError, match=r"conflicts in a\.txt") as refused:
        api.merge_pull_request(repo, number)
    assert refused.value.response.status_code == 409
    assert api.model_info(repo).sha == head


def test_a_deletion_is_merged_unless_the_file_changed_meanwhile(api: HfApi, repo: str) -> None:
    commit(api, repo, "a.txt", b"a")
    commit(api, repo, "b.txt", b"b")
    operations = [CommitOperationDelete("a.txt"), CommitOperationDelete("b.txt")]
    number = api.create_commit(repo, operations, commit_message="Delete", create_pr=True).pr_num
    assert number is not None
    commit(api, repo, "b.txt", b"changed")
    assert api.get_discussion_details(repo, number).conflicting_files == ["b.txt"]
    commit(api, repo, "b.txt", b"b")
    api.merge_pull_request(repo, number)
    assert api.list_repo_files(repo) == [".gitattributes"]


def test_a_pull_request_that_cannot_land_is_not_opened(api: HfApi, repo: str) -> None:
    with pytest.raises(HfHubHTTPError):
        api.create_commit(repo, [CommitOperationDelete("absent")], commit_message="Delete", create_pr=True)
    assert list(api.get_repo_discussions(repo)) == []


def test_a_discussion_that_is_not_there_is_404(api: HfApi, repo: str) -> None:
    with pytest.raises(HfHubHTTPError, match="Discussion not found") as refused:
        api.get_discussion_details(repo, 1)
    assert refused.value.response.status_code == 404
