"""Gated repositories: who asks to read one, and who may."""

from dataclasses import replace
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from release.rehearsal.addresses import REPO, on, web
from release.rehearsal.answers import HubError, bad_request, conflict, page
from release.rehearsal.calls import Call
from release.rehearsal.repositories import AccessRequest, Repository
from release.rehearsal.values import new_id, now

_STATUSES = ("pending", "accepted", "rejected")


def ask(call: Call) -> Response:
    """A user asks for access, as by the button on the page; an `auto` gate opens at once."""
    repository = call.repository()
    user = call.signed_in()
    if repository.record.gated is False:
        raise bad_request("This repository is not gated")
    if _of(repository, user=user) is None:
        status: Any = "accepted" if repository.record.gated == "auto" else "pending"
        _put(repository, AccessRequest(new_id(), user, status, now()))
    return RedirectResponse(call.web_path(repository), status_code=303)


def listing(call: Call) -> Response:
    """The requests of one status, with the address that the user agreed to share."""
    repository = call.repository(writing=True)
    if call.values["status"] not in _STATUSES:
        raise bad_request(f"Invalid status: {call.values['status']}")
    found = [each for each in repository.record.access_requests if each.status == call.values["status"]]
    return page([_described(call, each) for each in found], url=call.url, query=call.query, size=1000)


def handle(call: Call) -> Response:
    """Accept, reject, or make a request pending again; a status that it has already is an error."""
    repository = call.repository(writing=True)
    body = call.json()
    status = body.get("status")
    if status not in _STATUSES:
        raise bad_request(f"Invalid status: {status}")
    request = _of(repository, user=body.get("user"), request_id=body.get("requestId"))
    if request is None:
        raise HubError(404, "No such access request")
    if request.status == status:
        raise HubError(404, f"The access request is {status} already")
    _put(repository, replace(request, status=status))
    return Response("OK")


def grant(call: Call) -> Response:
    """Give access to a user who did not ask."""
    repository = call.repository(writing=True)
    user = call.json().get("user")
    if not isinstance(user, str) or (not call.hub.accounts.is_open and user not in call.hub.accounts.users):
        raise HubError(404, f"This user does not exist: {user}")
    if repository.record.gated is False:
        raise bad_request("This repository is not gated")
    if _of(repository, user=user) is not None:
        raise conflict("The user has asked for access already")
    request = AccessRequest(new_id(), user, "accepted", now(), was_granted=True)
    _put(repository, request)
    return JSONResponse(_described(call, request))


def _of(repository: Repository, *, user: object = None, request_id: object = None) -> AccessRequest | None:
    for each in repository.record.access_requests:
        if (user is not None and each.user == user) or (request_id is not None and each.request_id == request_id):
            return each
    return None


def _put(repository: Repository, request: AccessRequest) -> None:
    others = [each for each in repository.record.access_requests if each.request_id != request.request_id]
    repository.update(access_requests=(*others, request))


def _described(call: Call, request: AccessRequest) -> dict[str, Any]:
    known = call.hub.accounts.users.get(request.user)
    user = {"user": request.user, "fullname": known.fullname if known is not None else request.user}
    if known is not None and not request.was_granted:
        user["email"] = known.email
    return {"requestId": request.request_id, "user": user, "status": request.status, "timestamp": request.at}


ROUTES = [
    *web("POST", "/ask-access", ask),
    on("GET", f"{REPO}/user-access-request/{{status}}", listing),
    on("POST", f"{REPO}/user-access-request/handle", handle),
    on("POST", f"{REPO}/user-access-request/grant", grant),
]
