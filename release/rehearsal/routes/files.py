"""The bytes of a file: regular ones from here, large ones by a redirect to the storage, as on the Hub."""

import re
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from release.rehearsal.addresses import on_storage, web
from release.rehearsal.answers import HubError, entry_not_found
from release.rehearsal.calls import Call, Hub
from release.rehearsal.large_files import WrongContent, read_part
from release.rehearsal.ranges import ranged
from release.rehearsal.repositories import Repository
from release.rehearsal.trees import File

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")


def resolve(call: Call) -> Response:
    """A file at a revision. Its headers say the commit, size and id, so HEAD is enough to know it."""
    repository, file, commit = _found(call)
    shown = repository.shown(commit)
    headers = {"X-Repo-Commit": shown, "Accept-Ranges": "bytes"}
    name = file.path.rpartition("/")[2]
    disposition = f"inline; filename*=UTF-8''{quote(name)}"
    if file.pointer is not None:
        headers |= {"X-Linked-Size": str(file.size), "X-Linked-ETag": f'"{file.pointer.oid}"'}
        xet_file = call.store.xet.by_sha256(file.pointer.oid)
        if xet_file is not None:
            token_url = f"{call.base_url}/api/{repository.kind}s/{repository.repo_id}/xet-read-token/{shown}"
            headers |= {"X-Xet-Hash": xet_file.xet_hash, "Link": f'<{token_url}>; rel="xet-auth"'}
        location = call.hub.links.to(
            f"/storage/lfs/{file.pointer.oid}", disposition=disposition, asked=call.request.scope["path"]
        )
        return RedirectResponse(location, status_code=302, headers=headers)
    headers |= {"ETag": f'"{file.oid}"', "Content-Disposition": disposition}
    return ranged(call, file.size, headers, lambda start, stop: repository.git.blob(file.oid)[start:stop], name)


def raw(call: Call) -> Response:
    """The blob as git has it: of a large file, the pointer."""
    repository, file, commit = _found(call)
    headers = {"X-Repo-Commit": repository.shown(commit), "ETag": f'"{file.oid}"'}
    return Response(repository.git.blob(file.oid), media_type="text/plain; charset=utf-8", headers=headers)


def stored(call: Call) -> Response:
    """A large file, at a signed address."""
    oid = call.values["oid"]
    call.hub.links.check(f"/storage/lfs/{oid}", call.query)
    unpack(call.hub, oid)
    large = call.store.large
    if not large.has(oid):
        raise entry_not_found()
    headers = {"ETag": f'"{oid}"', "Accept-Ranges": "bytes"}
    if "disposition" in call.query:
        headers["Content-Disposition"] = call.query["disposition"]
    return ranged(call, large.size(oid), headers, lambda start, stop: read_part(large.path(oid), start, stop))


def unpack(hub: Hub, oid: str) -> None:
    """See to it that a large file that came by Xet can be read as bytes. Does nothing for any other."""
    file = hub.store.xet.by_sha256(oid)
    if file is None or hub.store.large.has(oid):
        return
    try:
        hub.store.xet.unpack(file, hub.store.large, f"{hub.links.origin}/xet", hub.links.token("read rehearsal"))
    except WrongContent as error:
        raise HubError(500, f"The file cannot be put together from its xorbs: {error}") from error


def _found(call: Call) -> tuple[Repository, File, str]:
    repository = call.repository()
    call.require_access(repository)
    commit = repository.commit(call.values["revision"])
    file = repository.listing(commit).by_path.get(call.values["path"])
    is_gone = isinstance(file, File) and file.pointer is not None and not repository.ledger.owns(file.pointer.oid)
    if not isinstance(file, File) or is_gone:
        raise entry_not_found(commit=repository.shown(commit))
    return repository, file, commit


ROUTES = [
    # Unpacking fetches from this server: it must not take all the threads that answer.
    on_storage("GET", "/storage/lfs/{oid}", stored, at_once=8),
    *web("GET", "/resolve/{revision}/{path:path}", resolve),
    *web("GET", "/raw/{revision}/{path:path}", raw),
]
