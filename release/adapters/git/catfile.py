"""What `git cat-file --batch` answers → objects, each hashed against its id."""

import hashlib
from collections.abc import Iterator
from typing import BinaryIO

from release.errors import Unavailable
from release.ports import Blob
from release.values import Oid

CHUNK = 1 << 20


def damaged(what: str) -> Unavailable:
    """The error for an object that is missing, or is not what its id says."""
    return Unavailable(
        what, hint="fetch it (`git fetch --tags origin`), or clone again if `git fsck` says that it is damaged"
    )


def stopped(oid: Oid) -> Unavailable:
    """The error for git ending in the middle."""
    return damaged(f"git stopped at the object {oid}, which cannot be read")


def header(stream: BinaryIO, oid: Oid) -> tuple[str, int]:
    """Kind and size in bytes of the object that comes next. Raises `Unavailable` where there is none."""
    line = stream.readline().decode("utf-8", "replace").split()
    if not line:
        raise stopped(oid)
    if len(line) != 3:
        raise damaged(f"the object {oid} is missing from the repository")
    return line[1], int(line[2])


def next_blob(stream: BinaryIO, oid: Oid) -> Blob:
    """The blob that comes next; its chunks must be read before the one after it."""
    kind, size = header(stream, oid)
    if kind != "blob":
        raise damaged(f"the object {oid} is a {kind}, where the tree has a file")
    chunks = checked(stream, oid, kind, size)
    # A small blob is hashed before anybody sees it; of a large one the last chunk comes only if all fit.
    return Blob(oid, size, chunks if size > CHUNK else iter(list(chunks)))


def checked(stream: BinaryIO, oid: Oid, kind: str, size: int) -> Iterator[bytes]:
    """The object's bytes in chunks. Raises `Unavailable` instead of the last one where the id is not theirs."""
    digest = hashlib.new("sha1" if len(oid) == 40 else "sha256", f"{kind} {size}\0".encode())
    left = size
    while True:
        chunk = stream.read(min(CHUNK, left))
        digest.update(chunk)
        left -= len(chunk)
        if not left:
            break
        if not chunk:
            raise stopped(oid)
        yield chunk
    stream.read(1)
    if digest.hexdigest() != oid:
        raise damaged(f"the object {oid} holds other bytes than its name says (they hash to {digest.hexdigest()})")
    yield chunk
