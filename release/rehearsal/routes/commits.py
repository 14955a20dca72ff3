"""A commit lands, on a branch or as a new pull request."""

import uuid
from collections.abc import Iterator
from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import revision_not_found
from release.rehearsal.calls import Call
from release.rehearsal.commits import Change, Header, PutLargeFile, read_changes, read_header
from release.rehearsal.discussions import commit_event
from release.rehearsal.git import NO_OBJECT
from release.rehearsal.landing import signed_by
from release.rehearsal.ledger import PushedFile
from release.rehearsal.repositories import Repository
from release.rehearsal.trees import File
from release.rehearsal.values import now


def commit(call: Call) -> Response:
    """Land the body on the revision, or with `create_pr` on the branch of a new pull request for it."""
    repository = call.repository()
    user = call.signed_in()
    header = read_header(call.body)
    revision = call.values["revision"]
    if "create_pr" not in call.query:
        ref = repository.writable_ref(revision)
        call.require_commit(repository, ref)
        landed, large = _land(call, repository, ref, user)
        _note(repository, ref, landed, header, large, user)
        return JSONResponse(_answer(call, repository, landed))
    base = f"refs/heads/{revision}"
    head = repository.git.ref(base)
    if head is None:
        raise revision_not_found(revision)
    # The changes are tried before there is a pull request: one that cannot land leaves no empty one behind.
    trial = f"refs/rehearsal/{uuid.uuid4().hex}"
    landed, large = _land(call, repository, trial, user, base=head)
    made = repository.discussions.open(header.summary, header.description, user, is_pull_request=True, base=base)
    repository.git.move_ref(made.ref, landed, NO_OBJECT)
    repository.git.delete_ref(trial)
    _note(repository, made.ref, landed, header, large, user)
    url = f"{call.base_url}{call.web_path(repository)}/discussions/{made.num}"
    return JSONResponse({**_answer(call, repository, landed), "pullRequestUrl": url})


def _land(
    call: Call, repository: Repository, ref: str, user: str, *, base: str | None = None
) -> tuple[str, list[PutLargeFile]]:
    """The commit that landed, and the large files in it."""
    header = read_header(call.body)
    large: list[PutLargeFile] = []

    def changes() -> Iterator[Change]:
        large.clear()
        for change in read_changes(call.body):
            if isinstance(change, PutLargeFile):
                large.append(change)
            yield change

    parent = repository.record.aliases.get(header.parent or "", header.parent)
    landing = repository.landing(lambda oid: call.store.large_file_size(repository, oid))
    landed = landing.land(ref, changes, header.message, signed_by(user), parent=parent, base=base)
    return landed, large


def _note(repository: Repository, ref: str, landed: str, header: Header, large: list[PutLargeFile], user: str) -> None:
    """Write down what landed: its large files, and the event if it is on a pull request's branch."""
    by_path = repository.listing(landed).by_path
    pushed = [by_path[each.path] for each in large if each.path in by_path]
    repository.ledger.push(
        PushedFile(each.pointer.oid, each.size, each.path, ref, now())
        for each in pushed
        if isinstance(each, File) and each.pointer is not None
    )
    pull_request = repository.discussions.of_ref(ref)
    if pull_request is not None:
        repository.discussions.add(pull_request.num, commit_event(user, header.summary, landed))


def _answer(call: Call, repository: Repository, landed: str) -> dict[str, Any]:
    shown = repository.shown(landed)
    url = f"{call.base_url}{call.web_path(repository)}/commit/{shown}"
    return {"success": True, "commitOid": shown, "commitUrl": url, "hookOutput": ""}


ROUTES = [on("POST", f"{REPO}/commit/{{revision}}", commit)]
