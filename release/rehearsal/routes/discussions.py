"""Discussions and pull requests: open, talk, rename, close, merge."""

from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import HubError, bad_request, conflict, forbidden
from release.rehearsal.calls import Call
from release.rehearsal.discussions import (
    Discussion,
    Event,
    author_of,
    comment,
    edited,
    hidden,
    status_change,
    title_change,
)
from release.rehearsal.git import NO_OBJECT
from release.rehearsal.history import commits
from release.rehearsal.landing import signed_by
from release.rehearsal.merging import base_of, merge
from release.rehearsal.repositories import Repository

_PAGE = 50


def listing(call: Call) -> Response:
    """One page, the latest first; `type`, `status` and `author` narrow it down."""
    repository = call.repository()
    kind, status = call.query.get("type", "all"), call.query.get("status", "all")
    author = call.query.get("author")
    found = [
        each
        for each in repository.discussions.all()
        if (kind == "all" or each.is_pull_request == (kind == "pull_request"))
        and (status == "all" or each.is_open == (status == "open"))
        and (author is None or each.author == author)
    ]
    page = call.query.get("p", "0")
    if not page.isdecimal():
        raise bad_request(f'Invalid "p": {page}')
    start = int(page) * _PAGE
    return JSONResponse(
        {
            "discussions": [_summary(repository, each) for each in found[start : start + _PAGE]],
            "count": len(found),
            "start": start,
            "numClosedDiscussions": sum(not each.is_open for each in found),
        }
    )


def create(call: Call) -> Response:
    """A discussion, or a pull request: a draft whose branch begins at the head of main."""
    repository = call.repository()
    user = call.signed_in()
    body = call.json()
    title = _text(body, "title")
    is_pull_request = bool(body.get("pullRequest"))
    made = repository.discussions.open(
        title,
        str(body.get("description") or ""),
        user,
        status="draft" if is_pull_request else "open",
        is_pull_request=is_pull_request,
    )
    if is_pull_request:
        repository.git.move_ref(made.ref, repository.commit(made.base), NO_OBJECT)
    return JSONResponse(
        {"num": made.num, "pullRequest": is_pull_request, "url": f"{call.web_path(repository)}/discussions/{made.num}"}
    )


def details(call: Call) -> Response:
    """A discussion with its events; of a pull request also base, conflicts, and with `diff` the difference."""
    repository = call.repository()
    discussion = _found(call, repository)
    answer = {**_summary(repository, discussion), "events": list(discussion.events)}
    if discussion.is_pull_request:
        answer |= _pull_request(repository, discussion, with_diff="diff" in call.query)
    return JSONResponse(answer)


def add_comment(call: Call) -> Response:
    """{"newMessage": event}."""
    repository = call.repository()
    user = call.signed_in()
    event = comment(user, _text(call.json(), "comment"))
    repository.discussions.add(_found(call, repository).num, event)
    return JSONResponse({"newMessage": event})


def edit_comment(call: Call) -> Response:
    """{"updatedComment": event}; 403 for another's comment."""
    repository = call.repository()
    user = call.signed_in()
    discussion, before = _commented(call, repository)
    if before["author"]["name"] != user:
        raise forbidden("Only the author of a comment can edit it")
    event = edited(before, user, _text(call.json(), "content"))
    repository.discussions.revise(discussion.num, event)
    return JSONResponse({"updatedComment": event})


def hide_comment(call: Call) -> Response:
    """{"updatedComment": event} without the text; for its author and the repository's writers."""
    repository = call.repository()
    user = call.signed_in()
    discussion, before = _commented(call, repository)
    if before["author"]["name"] != user and not call.may_write(repository):
        raise forbidden("You cannot hide this comment")
    event = hidden(before, user)
    repository.discussions.revise(discussion.num, event)
    return JSONResponse({"updatedComment": event})


def rename(call: Call) -> Response:
    """{"newTitle": event}."""
    repository, discussion, user = _managed(call)
    title = _text(call.json(), "title")
    event = title_change(user, discussion.title, title)
    repository.discussions.add(discussion.num, event, title=title)
    return JSONResponse({"newTitle": event})


def change_status(call: Call) -> Response:
    """{"newStatus": event} for "open" or "closed", with a comment if there is one. A merged one stays."""
    repository, discussion, user = _managed(call)
    body = call.json()
    status = body.get("status")
    if status not in ("open", "closed"):
        raise bad_request('"status" must be "open" or "closed"')
    if discussion.status == "merged":
        raise bad_request("A merged pull request stays as it is")
    event = status_change(user, status)
    repository.discussions.add(discussion.num, *_with_comment(body, user), event, status=status)
    return JSONResponse({"newStatus": event})


def merge_into_base(call: Call) -> Response:
    """One commit on the base branch with all that the pull request changes.

    Raises HubError 400 for a draft or a closed one, 409 for conflicts, 412 if the branch moves in the meantime.
    """
    repository = call.repository(writing=True)
    user = call.signed_in()
    discussion = _found(call, repository)
    if not discussion.is_pull_request or discussion.status != "open":
        raise bad_request(f"Cannot merge a {discussion.status} discussion; it must be an open pull request")
    head, tip = repository.commit(discussion.base), repository.commit(discussion.ref)
    merged = merge(repository.git, head, tip)
    if merged.conflicts:
        raise conflict(f"There are conflicts in {', '.join(merged.conflicts)}")
    landed = repository.landing(lambda oid: call.store.large_file_size(repository, oid)).land(
        discussion.base, lambda: merged.changes, _merge_message(repository, discussion), signed_by(user), parent=head
    )
    event = status_change(user, "merged")
    events = (*_with_comment(call.json(), user), event)
    repository.discussions.add(discussion.num, *events, status="merged", merge_commit=landed)
    return JSONResponse({"newStatus": event, "mergeCommitId": repository.shown(landed)})


def _merge_message(repository: Repository, discussion: Discussion) -> str:
    """Title and number, then the commits that it is made of."""
    base = base_of(repository.git, repository.commit(discussion.base), repository.commit(discussion.ref))
    lines = []
    for commit in commits(repository.git, repository.commit(discussion.ref)):
        if commit.oid == base:
            break
        lines.append(f"- {commit.title} ({commit.oid})")
    return "\n".join([f"{discussion.title} (#{discussion.num})", "", *reversed(lines)])


def _summary(repository: Repository, discussion: Discussion) -> dict[str, Any]:
    return {
        "num": discussion.num,
        "title": discussion.title,
        "status": discussion.status,
        "author": author_of(discussion.author),
        "createdAt": discussion.created_at,
        "isPullRequest": discussion.is_pull_request,
        "numComments": sum(event["type"] == "comment" for event in discussion.events),
        "repo": {"name": repository.repo_id, "type": repository.kind},
        "pinned": False,
    }


def _pull_request(repository: Repository, discussion: Discussion, *, with_diff: bool) -> dict[str, Any]:
    head, tip = repository.commit(discussion.base), repository.commit(discussion.ref)
    changes: dict[str, Any] = {"base": discussion.base}
    conflicts: list[str] | bool = False
    if discussion.merge_commit is not None:
        changes["mergeCommitId"] = repository.shown(discussion.merge_commit)
    elif discussion.is_open:
        conflicts = list(merge(repository.git, head, tip).conflicts) or False
    answer: dict[str, Any] = {"changes": changes, "filesWithConflicts": conflicts}
    if with_diff:
        diff = repository.git.run("diff", "--no-color", "--no-ext-diff", f"{head}...{tip}")
        answer["diff"] = diff.decode("utf-8", "replace")
    return answer


def _managed(call: Call) -> tuple[Repository, Discussion, str]:
    """A discussion that the sender opened, or whose repository they may write to."""
    repository = call.repository()
    user = call.signed_in()
    discussion = _found(call, repository)
    if discussion.author != user and not call.may_write(repository):
        raise forbidden("Only its author and the repository's writers can do this")
    return repository, discussion, user


def _found(call: Call, repository: Repository) -> Discussion:
    discussion = repository.discussions.get(call.values["num"])
    if discussion is None:
        raise HubError(404, f"Discussion not found: {call.values['num']}")
    return discussion


def _commented(call: Call, repository: Repository) -> tuple[Discussion, Event]:
    discussion = _found(call, repository)
    for event in discussion.events:
        if event["type"] == "comment" and event["id"] == call.values["comment"]:
            return discussion, event
    raise HubError(404, f"Comment not found: {call.values['comment']}")


def _with_comment(body: dict[str, Any], user: str) -> list[Event]:
    return [comment(user, str(body["comment"]))] if body.get("comment") else []


def _text(body: dict[str, Any], key: str) -> str:
    text = body.get(key)
    if not isinstance(text, str) or not text.strip():
        raise bad_request(f'"{key}" must be a text that is not empty')
    return text


_ONE = f"{REPO}/discussions/{{num:int}}"

ROUTES = [
    on("GET", f"{REPO}/discussions", listing),
    on("POST", f"{REPO}/discussions", create),
    on("GET", _ONE, details),
    on("POST", f"{_ONE}/comment", add_comment),
    on("POST", f"{_ONE}/comment/{{comment}}/edit", edit_comment),
    on("POST", f"{_ONE}/comment/{{comment}}/hide", hide_comment),
    on("POST", f"{_ONE}/title", rename),
    on("POST", f"{_ONE}/status", change_status),
    on("POST", f"{_ONE}/merge", merge_into_base),
]
