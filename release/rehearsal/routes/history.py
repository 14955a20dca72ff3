"""The commits of a branch, and squashing them."""

from html import escape
from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import page_size, stale_parent, window
from release.rehearsal.calls import Call
from release.rehearsal.history import Commit, commits, squash
from release.rehearsal.landing import signed_by
from release.rehearsal.repositories import Repository

_PAGE = 50


def listing(call: Call) -> Response:
    """The latest commit first."""
    repository = call.repository()
    every = commits(repository.git, repository.commit(call.values["revision"]))
    is_formatted = "formatted" in call.request.query_params.getlist("expand[]")
    shown = window(every, url=call.url, query=call.query, size=page_size(call.query, most=_PAGE))
    described = [_described(repository, commit, is_formatted) for commit in shown.items]
    return JSONResponse(described, headers={**shown.headers, "X-Total-Count": str(len(every))})


def super_squash(call: Call) -> Response:
    """One commit of all on a branch. 412 if it moves in the meantime."""
    repository = call.repository(writing=True)
    user = call.signed_in()
    revision = call.values["revision"]
    ref = repository.writable_ref(revision)
    message = call.json().get("message") or f"Super-squash branch '{revision}'"
    if not squash(repository.git, ref, repository.commit(ref), str(message), signed_by(user)):
        raise stale_parent()
    return Response("OK")


def _described(repository: Repository, commit: Commit, is_formatted: bool) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": repository.shown(commit.oid),
        "title": commit.title,
        "message": commit.body,
        "authors": [{"user": commit.author, "avatar": ""}],
        "date": commit.date,
    }
    if is_formatted:
        described["formatted"] = {"title": escape(commit.title), "message": escape(commit.body)}
    return described


ROUTES = [
    on("GET", f"{REPO}/commits/{{revision}}", listing),
    on("POST", f"{REPO}/super-squash/{{revision}}", super_squash),
]
