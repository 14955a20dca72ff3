"""The bytes of a file: regular ones from here, large ones by a redirect to the storage, as on the Hub."""

import mimetypes
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response, StreamingResponse

from release.rehearsal.addresses import on, web
from release.rehearsal.answers import HubError, entry_not_found
from release.rehearsal.calls import Call
from release.rehearsal.repositories import Repository
from release.rehearsal.trees import File

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")


def resolve(call: Call) -> Response:
    """A file at a revision. Its headers say the commit, size and id, so HEAD is enough to know it."""
    repository, file, commit = _found(call)
    headers = {"X-Repo-Commit": repository.shown(commit), "Accept-Ranges": "bytes"}
    name = file.path.rpartition("/")[2]
    disposition = f"inline; filename*=UTF-8''{quote(name)}"
    if file.pointer is not None:
        headers |= {"X-Linked-Size": str(file.size), "X-Linked-ETag": f'"{file.pointer.oid}"'}
        location = call.hub.links.to(f"/storage/lfs/{file.pointer.oid}", disposition=disposition)
        return RedirectResponse(location, status_code=302, headers=headers)
    headers |= {"ETag": f'"{file.oid}"', "Content-Disposition": disposition}
    content = repository.git.blob(file.oid)
    return ranged(call, len(content), headers, lambda start, stop: iter([content[start:stop]]), name)


def raw(call: Call) -> Response:
    """The blob as git has it: of a large file, the pointer."""
    repository, file, commit = _found(call)
    headers = {"X-Repo-Commit": repository.shown(commit), "ETag": f'"{file.oid}"'}
    return Response(repository.git.blob(file.oid), media_type="text/plain; charset=utf-8", headers=headers)


def stored(call: Call) -> Response:
    """A large file, at a signed address."""
    oid = call.values["oid"]
    call.hub.links.check(f"/storage/lfs/{oid}", call.query)
    large = call.store.large
    if not large.has(oid):
        raise entry_not_found()
    headers = {"ETag": f'"{oid}"', "Accept-Ranges": "bytes"}
    if "disposition" in call.query:
        headers["Content-Disposition"] = call.query["disposition"]
    return ranged(call, large.size(oid), headers, lambda start, stop: large.read(oid, start, stop), "")


def ranged(call: Call, size: int, headers: Mapping[str, str], read: Any, name: str) -> Response:
    """`size` bytes, or the part of them that a `Range` asks for: 200, 206, or HubError 416.

    `read(start, stop)` yields the bytes. More than one range at a time is answered with everything, as RFC 9110
    allows.
    """
    start, stop, status = 0, size, 200
    asked = read_range(call.request.headers.get("range"), size)
    if asked is not None:
        start, stop = asked
        status = 206
    answer = {**headers, "Content-Length": str(stop - start)}
    if status == 206:
        answer["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if call.request.method == "HEAD":
        return Response(status_code=status, headers=answer, media_type=media_type)
    blocks: Iterator[bytes] = read(start, stop)
    return StreamingResponse(blocks, status_code=status, headers=answer, media_type=media_type)


def read_range(header: str | None, size: int) -> tuple[int, int] | None:
    """(start, stop) of a Range header within `size` bytes; None for none, or one to ignore. Raises HubError 416."""
    found = _RANGE.fullmatch(header.strip()) if header is not None else None
    if found is None or (not found[1] and not found[2]):
        return None
    if not found[1]:
        start, stop = max(0, size - int(found[2])), size
    else:
        start, stop = int(found[1]), min(size, int(found[2]) + 1 if found[2] else size)
        if found[2] and int(found[2]) < int(found[1]):
            return None
    if start >= stop:
        raise HubError(416, "Range not satisfiable", headers={"Content-Range": f"bytes */{size}"})
    return start, stop


def _found(call: Call) -> tuple[Repository, File, str]:
    repository = call.repository()
    call.require_access(repository)
    commit = repository.commit(call.values["revision"])
    file = repository.listing(commit).by_path.get(call.values["path"])
    if not isinstance(file, File):
        raise entry_not_found(commit=repository.shown(commit))
    return repository, file, commit


ROUTES = [
    on("GET", "/storage/lfs/{oid}", stored),
    *web("GET", "/resolve/{revision}/{path:path}", resolve),
    *web("GET", "/raw/{revision}/{path:path}", raw),
]
