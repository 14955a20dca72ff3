"""Branches and tags."""

from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import bad_request, conflict, forbidden, revision_not_found
from release.rehearsal.calls import Call
from release.rehearsal.git import NO_OBJECT, GitFailed, is_ref_name
from release.rehearsal.landing import signed_by
from release.rehearsal.repositories import Repository
from release.rehearsal.values import DEFAULT_BRANCH


def refs(call: Call) -> Response:
    """Branches, conversions and tags, and with `include_prs` the pull requests, each with its commit."""
    repository = call.repository()
    answer = {
        "branches": _listed(repository, "refs/heads/"),
        "converts": _listed(repository, "refs/convert/"),
        "tags": _listed(repository, "refs/tags/"),
    }
    if call.query.get("include_prs"):
        answer["pullRequests"] = _listed(repository, "refs/pr/")
    return JSONResponse(answer)


def create_branch(call: Call) -> Response:
    """A branch at `startingPoint`, else at the head of main."""
    repository = call.repository(writing=True)
    branch = call.values["branch"]
    start = call.json().get("startingPoint") or "main"
    if not is_ref_name(branch) or branch.startswith("refs/"):
        raise bad_request(f"Invalid reference for a branch: {branch}")
    ref = f"refs/heads/{branch}"
    if not repository.git.move_ref(ref, repository.commit(str(start)), NO_OBJECT):
        raise conflict(f"Reference {ref} already exists")
    return Response("OK")


def delete_branch(call: Call) -> Response:
    """403 for main, 404 for a branch that is not there."""
    repository = call.repository(writing=True)
    ref = f"refs/heads/{call.values['branch']}"
    if ref == DEFAULT_BRANCH:
        raise forbidden(f"Cannot delete {ref}")
    _delete(repository, ref)
    return Response("OK")


def create_tag(call: Call) -> Response:
    """A tag at a revision: with a message an annotated one."""
    repository = call.repository(writing=True)
    user = call.signed_in()
    body = call.json()
    commit = repository.commit(call.values["revision"])
    tag, message = body.get("tag"), body.get("message")
    if not isinstance(tag, str) or not is_ref_name(tag):
        raise bad_request(f"Invalid tag name: {tag}")
    target = _annotated(repository, tag, commit, str(message), user) if message else commit
    if not repository.git.move_ref(f"refs/tags/{tag}", target, NO_OBJECT):
        raise conflict("Tag reference exists already")
    return Response("OK")


def delete_tag(call: Call) -> Response:
    """404 for a tag that is not there."""
    repository = call.repository(writing=True)
    _delete(repository, f"refs/tags/{call.values['revision']}")
    return Response("OK")


def _delete(repository: Repository, ref: str) -> None:
    if repository.git.ref(ref) is None:
        raise revision_not_found(ref)
    repository.git.delete_ref(ref)


def _annotated(repository: Repository, tag: str, commit: str, message: str, user: str) -> str:
    """A tag object; its id."""
    tagger = signed_by(user).line.decode()
    content = f"object {commit}\ntype commit\ntag {tag}\ntagger {tagger}\n\n{message.rstrip()}\n"
    try:
        return repository.git.run("mktag", given=content.encode()).decode().strip()
    except GitFailed as error:
        raise bad_request(f"Invalid tag: {tag}") from error


def _listed(repository: Repository, prefix: str) -> list[dict[str, Any]]:
    return [
        {"name": ref.removeprefix(prefix), "ref": ref, "targetCommit": repository.shown(commit)}
        for ref, commit in repository.git.refs(prefix)
    ]


ROUTES = [
    on("GET", f"{REPO}/refs", refs),
    on("POST", f"{REPO}/branch/{{branch}}", create_branch),
    on("DELETE", f"{REPO}/branch/{{branch}}", delete_branch),
    on("POST", f"{REPO}/tag/{{revision}}", create_tag),
    on("DELETE", f"{REPO}/tag/{{revision}}", delete_tag),
]
