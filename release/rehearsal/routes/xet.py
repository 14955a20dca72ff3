"""Xet: tokens from the Hub, and the store that they open: xorbs and shards in, reconstructions out.

Once a client has hf-xet it asks for a write token before any large file and does not fall back (HUB.md §1.0), so a
Hub that wants the default `hf upload` to work must have this. The store answers in version 1 of its protocol, which
hf-xet 1.8 asks for after a 404 for version 2.
"""

import time

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on, on_storage
from release.rehearsal.answers import HubError, bad_request, entry_not_found
from release.rehearsal.calls import Call, kind_of
from release.rehearsal.large_files import read_part
from release.rehearsal.pointers import SHA256
from release.rehearsal.ranges import ranged, read_range
from release.rehearsal.repositories import Repository
from release.rehearsal.shards import NotAShard

_STORE = "/xet"
_LIFETIME = 3600  # seconds


def write_token(call: Call) -> Response:
    """A token to send with; for those who may commit to the revision, or open a pull request."""
    repository = call.repository()
    call.signed_in()
    if "create_pr" not in call.query:
        call.require_commit(repository, call.values["revision"])
    return _token(call, repository, "write")


def read_token(call: Call) -> Response:
    """A token to fetch with; for those who may read the files."""
    repository = call.repository()
    call.require_access(repository)
    return _token(call, repository, "read")


def unknown_chunk(_call: Call) -> Response:
    """Has anybody sent this chunk before? Nobody is ever told: what one user sent is no other's business."""
    raise entry_not_found()


def keep_xorb(call: Call) -> Response:
    """{"was_inserted"}. 400 if it is not a xorb."""
    _scope(call, "write")
    call.body.seek(0)
    try:
        is_new = call.store.xet.keep_xorb(_name(call.values["name"]), call.body)
    except NotAShard as error:
        raise bad_request(f"Not a xorb: {error}") from error
    return JSONResponse({"was_inserted": is_new})


def keep_shard(call: Call) -> Response:
    """The files of a shard belong to the repository that the token is for."""
    kind, _, repo_id = _scope(call, "write").partition(":")
    repository = call.store.find(kind_of(kind), repo_id)
    call.body.seek(0)
    try:
        files = call.store.xet.keep_shard(call.body.read())
    except NotAShard as error:
        raise bad_request(f"Not a shard: {error}") from error
    if repository is not None:
        repository.ledger.upload(file.sha256 for file in files if file.sha256 is not None)
    return JSONResponse({"result": 1})


def reconstruction(call: Call) -> Response:
    """How to put a file, or the part of it that a `Range` asks for, together from xorbs."""
    _scope(call, "read", "write")
    file = call.store.xet.file(_name(call.values["name"]))
    if file is None:
        raise entry_not_found()
    asked = read_range(call.request.headers.get("range"), file.size)
    start, stop = asked if asked is not None else (0, file.size)
    links = call.hub.links
    return JSONResponse(
        call.store.xet.reconstruction(file, start, stop, lambda xorb: links.to(f"/storage/xorbs/{xorb}"))
    )


def xorb(call: Call) -> Response:
    """A xorb, or a part of it, at a signed address."""
    name = _name(call.values["name"])
    call.hub.links.check(f"/storage/xorbs/{name}", call.query)
    path = call.store.xet.xorb(name)
    if not path.is_file():
        raise entry_not_found()
    return ranged(call, path.stat().st_size, {}, lambda start, stop: read_part(path, start, stop))


def telemetry(_call: Call) -> Response:
    """What the client did is thrown away."""
    return Response("OK")


def _token(call: Call, repository: Repository, scope: str) -> Response:
    """The client reads a write token from the body and a read token from the headers (HUB.md §1.2)."""
    url = f"{call.base_url}{_STORE}"
    token = call.hub.links.token(f"{scope} {repository.kind}:{repository.repo_id}")
    expires = int(time.time()) + _LIFETIME
    return JSONResponse(
        {"casUrl": url, "accessToken": token, "exp": expires},
        headers={
            "X-Xet-Cas-Url": url,
            "X-Xet-Access-Token": token,
            "X-Xet-Token-Expiration": str(expires),
        },
    )


def _scope(call: Call, *allowed: str) -> str:
    """What the token of the request is for. Raises HubError 401, or 403 for a read token where one writes."""
    token = call.request.headers.get("authorization", "").removeprefix("Bearer ")
    scope = call.hub.links.scope_of(token)
    if scope is None:
        raise HubError(401, "Invalid Xet token")
    verb, _, about = scope.partition(" ")
    if verb not in allowed:
        raise HubError(403, "This Xet token is for reading")
    return about


def _name(text: str) -> str:
    if SHA256.fullmatch(text) is None:
        raise bad_request(f"Not a hash: {text}")
    return text


ROUTES = [
    on("GET", f"{REPO}/xet-write-token/{{revision:path}}", write_token),
    on("GET", f"{REPO}/xet-read-token/{{revision:path}}", read_token),
    on_storage("GET", f"{_STORE}/v1/chunks/{{prefix}}/{{name}}", unknown_chunk),
    on_storage("POST", f"{_STORE}/v1/xorbs/{{prefix}}/{{name}}", keep_xorb),
    on_storage("POST", f"{_STORE}/v1/shards", keep_shard),
    on_storage("GET", f"{_STORE}/v1/reconstructions/{{name}}", reconstruction),
    on_storage("POST", "/v1/telemetry", telemetry),
    on_storage("GET", "/storage/xorbs/{name}", xorb),
]
