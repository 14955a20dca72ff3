"""A part of a file: `Range` in, 200, 206 or 416 out (RFC 9110, section 14)."""

import mimetypes
import re
from collections.abc import Callable, Iterator, Mapping

from starlette.responses import Response, StreamingResponse

from release.rehearsal.answers import HubError
from release.rehearsal.calls import Call

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")


def ranged(
    call: Call,
    size: int,
    headers: Mapping[str, str],
    read: Callable[[int, int], bytes | Iterator[bytes]],
    name: str = "",
) -> Response:
    """`size` bytes, or the part of them that a `Range` asks for: 200, 206, or HubError 416.

    `read(start, stop)` gives the bytes, whole or block by block. More than one range at a time is answered with
    everything, as RFC 9110 allows.
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
    body = read(start, stop)
    if isinstance(body, bytes):
        return Response(body, status_code=status, headers=answer, media_type=media_type)
    return StreamingResponse(body, status_code=status, headers=answer, media_type=media_type)


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
