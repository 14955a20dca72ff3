"""Changes → a commit on a ref, by compare-and-swap: it lands on the head that it was built on, or not at all.

One `git fast-import` writes the objects, however many files there are; then the ref is moved if it is still where
it was. When somebody else was faster, the commit is built again on the new head, unless the client named its
parent.
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from release.rehearsal.answers import HubError, bad_request, conflict, entry_not_found, stale_parent
from release.rehearsal.cards import read_card
from release.rehearsal.commits import Change, Delete, PutBlob, PutFile, PutLargeFile
from release.rehearsal.git import NO_OBJECT, BareGit, GitFailed
from release.rehearsal.pointers import Pointer, read_pointer
from release.rehearsal.trees import Listing

_ATTEMPTS = 5


@dataclass(frozen=True)
class Signature:
    """Author and committer of a commit, and when (seconds since 1970, UTC)."""

    name: str
    email: str
    at: int

    @property
    def line(self) -> bytes:
        """The signature as git writes it in a commit."""
        return f"{self.name} <{self.email}> {self.at} +0000".encode()


def signed_by(name: str) -> Signature:
    """The signature of a user, now, with the address that the Hub gives its users."""
    return Signature(name, f"{name}@users.noreply.huggingface.co", int(datetime.now(UTC).timestamp()))


class Landing:
    """Lands commits in one repository.

    `has_large_file(oid)` gives the size of a large file that was uploaded to the repository, None if it was not.
    """

    def __init__(self, git: BareGit, listing: Callable[[str], Listing], has_large_file: Callable[[str], int | None]):
        self._git = git
        self._listing = listing
        self._has_large_file = has_large_file

    def land(
        self,
        ref: str,
        changes: Callable[[], Iterable[Change]],
        message: str,
        signature: Signature,
        *,
        parent: str | None = None,
        base: str | None = None,
    ) -> str:
        """The id of the commit that is now at the head of `ref`.

        `changes` gives the changes anew for each attempt. `parent` is the head that the client insists on, whole or
        abbreviated. `base` is where a ref that does not exist yet begins. Raises HubError: 412 for a stale parent,
        404 for a deletion of nothing, 400 for a card or a large file that the Hub would refuse.
        """
        for _ in range(_ATTEMPTS):
            head = self._git.ref(ref)
            start = head if head is not None else base
            if parent is not None and (start is None or not start.startswith(parent.lower())):
                raise stale_parent()
            temporary = f"refs/rehearsal/{uuid.uuid4().hex}"
            try:
                commit = self._build(temporary, start, changes(), message, signature)
            except GitFailed as error:
                raise bad_request(f"git does not take this commit: {error}") from error
            moved = self._git.move_ref(ref, commit, head or NO_OBJECT)
            self._git.delete_ref(temporary)
            if moved:
                return commit
        raise conflict(f"{ref} keeps moving")

    def _build(
        self, temporary: str, start: str | None, changes: Iterable[Change], message: str, signature: Signature
    ) -> str:
        listing = self._listing(start) if start is not None else Listing(())
        answer = b""
        with self._git.process("fast-import", "--quiet", "--done", "--date-format=raw") as (stream, answers):
            stream.write(b"commit %b\nmark :1\nauthor %b\n" % (temporary.encode(), signature.line))
            stream.write(b"committer %b\n" % signature.line)
            _write_data(stream, message.encode("utf-8", "surrogatepass"))
            if start is not None:
                stream.write(b"from %b\n" % start.encode())
            added: set[str] = set()
            for change in changes:
                self._write(stream, change, listing, added)
            stream.write(b"\nget-mark :1\ndone\n")
            stream.close()
            answer = answers.read()
        return answer.decode().strip()

    def _write(self, stream: IO[bytes], change: Change, listing: Listing, added: set[str]) -> None:
        match change:
            case PutFile():
                self._check(change)
                _write_file(stream, change.path, change.content)
                added.add(change.path)
            case PutLargeFile():
                _write_file(stream, change.path, self._pointer(change).text)
                added.add(change.path)
            case PutBlob():
                stream.write(b"M %b %b %b\n" % (change.mode.encode(), change.oid.encode(), _quoted(change.path)))
                added.add(change.path)
            case Delete():
                if change.path not in listing.by_path and not _is_among(change.path, added):
                    raise entry_not_found(f'A file with this name doesn\'t exist: "{change.path}"')
                stream.write(b"D %b\n" % _quoted(change.path))

    def _check(self, change: PutFile) -> None:
        if change.path == "README.md":
            card = read_card(change.content.decode("utf-8", "replace"))
            if card.errors:
                raise bad_request("Invalid metadata in README.md: " + "; ".join(card.errors))
        pointer = read_pointer(change.content)
        if pointer is not None and self._has_large_file(pointer.oid) is None:
            raise _no_such_large_file(change.path)

    def _pointer(self, change: PutLargeFile) -> Pointer:
        size = self._has_large_file(change.oid)
        if size is None:
            raise _no_such_large_file(change.path)
        if change.size is not None and change.size != size:
            raise bad_request(f"{change.path} has {size} bytes, not {change.size}")
        return Pointer(change.oid, size)


def _no_such_large_file(path: str) -> HubError:
    return bad_request(f"LFS pointer pointed to a file that does not exist: {path}")


def _is_among(path: str, added: set[str]) -> bool:
    return path in added or any(each.startswith(f"{path}/") for each in added)


def _write_file(stream: IO[bytes], path: str, content: bytes) -> None:
    stream.write(b"M 100644 inline %b\n" % _quoted(path))
    _write_data(stream, content)


def _write_data(stream: IO[bytes], content: bytes) -> None:
    stream.write(b"data %d\n" % len(content))
    stream.write(content)
    stream.write(b"\n")


def _quoted(path: str) -> bytes:
    """A path in quotes, as fast-import reads it: only these three characters need an escape."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + escaped.encode("utf-8", "surrogateescape") + b'"'
