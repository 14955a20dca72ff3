"""Repositories come, go, move, and change who may see them."""

from typing import Any, cast

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import HubError, bad_request, forbidden, page
from release.rehearsal.calls import Call, kind_of
from release.rehearsal.repositories import Repository, checked_repo_id
from release.rehearsal.values import KINDS, Gating, Kind, Visibility

_SDKS = ("gradio", "streamlit", "docker", "static")


def create(call: Call) -> Response:
    """{"url"}; 409, with the url too, if there is one; 403 in a namespace of others."""
    user = call.signed_in()
    body = call.json()
    kind = kind_of(body.get("type"))
    namespace = body.get("organization") or user
    repo_id = checked_repo_id(namespace, body.get("name"))
    sdk = body.get("sdk")
    if kind == "space" and sdk not in _SDKS:
        raise bad_request(f'"sdk" must be one of {", ".join(_SDKS)}')
    url = f"{call.base_url}{_web_path(kind, repo_id)}"
    _require_create(call, kind, namespace)
    try:
        repository = call.store.create(
            kind, repo_id, user, visibility=_visibility(call, kind, namespace, body), sdk=sdk
        )
    except HubError as error:
        # The client reads the address of what is already there from the body.
        error.facts["url"] = url
        raise
    return JSONResponse({"url": url, "name": repo_id, "id": repository.record.id})


def delete(call: Call) -> Response:
    """The repository that the body names; 404 if there is none."""
    user = call.signed_in()
    body = call.json()
    repo_id = f"{body.get('organization') or user}/{body.get('name')}"
    call.store.delete(call.reachable(kind_of(body.get("type")), repo_id, writing=True))
    return Response("OK")


def move(call: Call) -> Response:
    """Another name; requests for the old one are redirected from then on. 409 if it is taken."""
    call.signed_in()
    body = call.json()
    kind = kind_of(body.get("type"))
    repository = call.reachable(kind, str(body.get("fromRepo")), writing=True)
    namespace, _, name = str(body.get("toRepo")).partition("/")
    _require_create(call, kind, namespace)
    call.store.move(repository, checked_repo_id(namespace, name))
    return Response("OK")


def duplicate(call: Call) -> Response:
    """{"url"} of a copy with all history and large files; 409, with the url too, if the name is taken."""
    user = call.signed_in()
    source = call.repository()
    call.require_access(source)
    body = call.json()
    namespace, _, name = str(body.get("repository")).partition("/")
    repo_id = checked_repo_id(namespace, name)
    url = f"{call.base_url}{_web_path(source.kind, repo_id)}"
    _require_create(call, source.kind, namespace)
    try:
        call.store.duplicate(source, repo_id, user, _visibility(call, source.kind, namespace, body))
    except HubError as error:
        error.facts["url"] = url
        raise
    return JSONResponse({"url": url, "filesCopyPending": False})


def settings(call: Call) -> Response:
    """Visibility and gate."""
    repository = call.repository(writing=True)
    body = call.json()
    changes: dict[str, Any] = {}
    if "visibility" in body:
        changes["visibility"] = _checked_visibility(repository.kind, body["visibility"])
    elif "private" in body:
        changes["visibility"] = "private" if body["private"] else "public"
    if "gated" in body:
        if body["gated"] not in ("auto", "manual", False):
            raise bad_request('"gated" must be "auto", "manual" or false')
        changes["gated"] = cast(Gating, body["gated"])
    record = repository.update(**changes)
    return JSONResponse({"private": record.visibility == "private", "gated": record.gated})


def mine(call: Call) -> Response:
    """What the sender's repositories take up, in bytes."""
    return _storage(call, call.signed_in())


def of_organization(call: Call) -> Response:
    """What an organisation's repositories take up, for its members."""
    user = call.signed_in()
    organization = call.hub.accounts.organizations.get(call.values["organization"])
    if not call.hub.accounts.is_open and (organization is None or user not in organization.members):
        raise forbidden("You are not a member of this organization")
    return _storage(call, call.values["organization"])


def auth_check(call: Call) -> Response:
    """200 if the sender may read the files."""
    call.require_access(call.repository())
    return Response("OK")


def auth_check_write(call: Call) -> Response:
    """200 if the sender may write."""
    call.repository(writing=True)
    return Response("OK")


def storage_of(repository: Repository) -> int:
    """Bytes of the large files in the repository's commits."""
    return sum(file.size for file in repository.ledger.pushed)


def _storage(call: Call, namespace: str) -> Response:
    repositories = [
        repository for kind in KINDS for repository in call.store.all(kind) if repository.record.namespace == namespace
    ]
    total = sum(map(storage_of, repositories))
    items = [
        {
            "id": repository.repo_id,
            "type": repository.kind,
            "updatedAt": repository.record.created_at,
            "visibility": repository.record.visibility,
            "storage": storage_of(repository),
            "storagePercent": round(100 * storage_of(repository) / total, 2) if total else 0,
        }
        for repository in repositories
    ]
    return page(items, url=call.url, query=call.query, size=1000)


def _require_create(call: Call, kind: Kind, namespace: str) -> None:
    if not call.hub.accounts.may_create(call.visitor, namespace):
        raise forbidden(f'You don\'t have the rights to create a {kind} under the namespace "{namespace}"')


def _visibility(call: Call, kind: Kind, namespace: str, body: dict[str, Any]) -> Visibility:
    if "visibility" in body:
        return _checked_visibility(kind, body["visibility"])
    if "private" in body:
        return "private" if body["private"] else "public"
    organization = call.hub.accounts.organizations.get(namespace)
    return "private" if organization is not None and organization.private_by_default else "public"


def _checked_visibility(kind: Kind, value: object) -> Visibility:
    allowed = ("public", "private", "protected") if kind == "space" else ("public", "private")
    if value not in allowed:
        raise bad_request(f'"visibility" must be one of {", ".join(allowed)}')
    return cast(Visibility, value)


def _web_path(kind: Kind, repo_id: str) -> str:
    return f"/{repo_id}" if kind == "model" else f"/{kind}s/{repo_id}"


ROUTES = [
    on("POST", "/api/repos/create", create),
    on("DELETE", "/api/repos/delete", delete),
    on("POST", "/api/repos/move", move),
    on("POST", f"{REPO}/duplicate", duplicate),
    on("PUT", f"{REPO}/settings", settings),
    on("GET", f"{REPO}/auth-check", auth_check),
    on("GET", f"{REPO}/auth-check/write", auth_check_write),
    on("GET", "/api/settings/repositories", mine),
    on("GET", "/api/organizations/{organization}/settings/repositories", of_organization),
]
