"""Large files come in: ask which are missing, send them in one part or several, have them checked."""

import hashlib
import uuid
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import on, on_stream, web
from release.rehearsal.answers import bad_request, entry_not_found, repo_not_found
from release.rehearsal.calls import Call, Hub, kind_of
from release.rehearsal.large_files import BLOCK, WrongContent
from release.rehearsal.pointers import SHA256
from release.rehearsal.repositories import Repository

_MEDIA_TYPE = "application/vnd.git-lfs+json"


def batch(call: Call) -> Response:
    """For each object: nothing to do if the repository has it, else where to send it (or fetch it from)."""
    body = call.json()
    uploading = body.get("operation") == "upload"
    repository = call.repository()
    if uploading:
        # Who may not write may still open a pull request, and needs its large files here first.
        call.signed_in()
    objects = body.get("objects")
    if not isinstance(objects, list):
        raise bad_request('"objects" must be an array')
    answers = [_answer(call, repository, each, uploading=uploading) for each in objects]
    return JSONResponse({"transfer": "basic", "objects": answers}, media_type=_MEDIA_TYPE)


async def put(hub: Hub, request: Request) -> Response:
    """All bytes of a large file, at a signed address."""
    oid, query = request.path_params["oid"], request.query_params
    hub.links.check(f"/storage/lfs/{oid}", query)
    try:
        with hub.store.large.receive(oid, int(query["size"])) as arrival:
            async for block in _blocks(request):
                await run_in_threadpool(arrival.write, block)
    except WrongContent as error:
        raise bad_request(f"The content does not match its announcement: {error}") from error
    _own(hub, query["repository"], oid)
    return Response(headers={"ETag": f'"{oid}"'})


async def put_part(hub: Hub, request: Request) -> Response:
    """One part of a large file; its ETag is what the completion will name."""
    upload, number = request.path_params["upload"], request.path_params["number"]
    hub.links.check(f"/storage/parts/{upload}/{number}", request.query_params)
    digest = hashlib.md5(usedforsecurity=False)
    with hub.store.large.part(upload, int(number)).open("wb") as file:
        async for block in _blocks(request):
            digest.update(block)
            await run_in_threadpool(file.write, block)
    return Response(headers={"ETag": f'"{digest.hexdigest()}"'})


def complete(call: Call) -> Response:
    """All parts are here: make the file of them."""
    upload = call.values["upload"]
    call.hub.links.check(f"/api/lfs/complete/{upload}", call.query)
    oid, size = call.query["oid"], int(call.query["size"])
    parts = call.json().get("parts")
    if not isinstance(parts, list) or len(parts) != int(call.query["parts"]):
        raise bad_request("The number of parts is not what was announced")
    try:
        call.store.large.join(upload, oid, size, len(parts))
    except WrongContent as error:
        raise bad_request(f"The content does not match its announcement: {error}") from error
    _own(call.hub, call.query["repository"], oid)
    return JSONResponse({"success": True})


def verify(call: Call) -> Response:
    """Is the file here, in this size?"""
    repository = call.repository()
    body = call.json()
    size = call.store.large_file_size(repository, str(body.get("oid")))
    if size is None or size != body.get("size"):
        raise entry_not_found("The file is not here, or has another size")
    return JSONResponse({"success": True})


def _answer(call: Call, repository: Repository, announced: Any, *, uploading: bool) -> dict[str, Any]:
    oid, size = (announced.get("oid"), announced.get("size")) if isinstance(announced, dict) else (None, None)
    if not isinstance(oid, str) or SHA256.fullmatch(oid) is None or not isinstance(size, int) or size < 0:
        return {"oid": str(oid), "size": 0, "error": {"code": 422, "message": "invalid object"}}
    present = call.store.large_file_size(repository, oid)
    answer: dict[str, Any] = {"oid": oid, "size": size, "authenticated": True}
    if not uploading:
        if present is None:
            return {**answer, "error": {"code": 404, "message": "Object does not exist"}}
        return {**answer, "actions": {"download": {"href": call.hub.links.to(f"/storage/lfs/{oid}")}}}
    if present == size:
        return answer
    upload = _in_parts(call, repository, oid, size) if size > call.hub.multipart_above else None
    if upload is None:
        href = call.hub.links.to(f"/storage/lfs/{oid}", size=str(size), repository=_key(repository))
        upload = {"href": href}
    verify_href = f"{call.base_url}{call.web_path(repository)}.git/info/lfs/verify"
    return {**answer, "actions": {"upload": upload, "verify": {"href": verify_href}}}


def _in_parts(call: Call, repository: Repository, oid: str, size: int) -> dict[str, Any]:
    """The upload action for a file that goes in parts: one address a part, and one to call when all are there."""
    upload = uuid.uuid4().hex
    count = -(-size // call.hub.part_size)
    addresses = {
        f"{number:05}": call.hub.links.to(f"/storage/parts/{upload}/{number}") for number in range(1, count + 1)
    }
    about = {"oid": oid, "size": str(size), "parts": str(count), "repository": _key(repository)}
    href = call.hub.links.to(f"/api/lfs/complete/{upload}", **about)
    return {"href": href, "header": {"chunk_size": str(call.hub.part_size), **addresses}}


def _key(repository: Repository) -> str:
    return f"{repository.kind}:{repository.repo_id}"


def _own(hub: Hub, key: str, oid: str) -> None:
    kind, _, repo_id = key.partition(":")
    repository = hub.store.find(kind_of(kind), repo_id)
    if repository is None:
        raise repo_not_found()
    repository.ledger.upload([oid])


async def _blocks(request: Request) -> Any:
    """The body in blocks that are worth a trip to a worker thread."""
    waiting = bytearray()
    async for piece in request.stream():
        waiting += piece
        if len(waiting) >= BLOCK:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)


ROUTES = [
    on_stream("PUT", "/storage/lfs/{oid}", put),
    on_stream("PUT", "/storage/parts/{upload}/{number:int}", put_part),
    on("POST", "/api/lfs/complete/{upload}", complete),
    *web("POST", ".git/info/lfs/objects/batch", batch),
    *web("POST", ".git/info/lfs/verify", verify),
]
