"""A commit as the client sends it: one JSON object a line (HUB.md §1.2), turned into a message and changes.

Lines are read one at a time and checked at this door; what comes out needs no further checking of its form.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from release.rehearsal.answers import HubError, bad_request
from release.rehearsal.attributes import LARGEST_REGULAR
from release.rehearsal.pointers import SHA256


@dataclass(frozen=True)
class Header:
    """Message of the commit, and the parent that the client insists on (5 to 40 hex digits)."""

    summary: str
    description: str
    parent: str | None

    @property
    def message(self) -> str:
        """The whole message, as git keeps it."""
        return f"{self.summary}\n\n{self.description}" if self.description else self.summary


@dataclass(frozen=True)
class PutFile:
    """A file whose bytes are kept in git."""

    path: str
    content: bytes


@dataclass(frozen=True)
class PutLargeFile:
    """`size` is missing when a large file is copied from another path."""

    path: str
    oid: str
    size: int | None


@dataclass(frozen=True)
class Delete:
    """A file, or a folder and all that is in it."""

    path: str
    is_folder: bool


@dataclass(frozen=True)
class PutBlob:
    """A blob that is in the repository already: what a merge brings to another branch."""

    path: str
    oid: str
    mode: str


Change = PutFile | PutLargeFile | PutBlob | Delete


def read_header(body: IO[bytes]) -> Header:
    """The first line. Raises HubError 400."""
    body.seek(0)
    key, value = _line(body.readline())
    if key != "header":
        raise bad_request("The first line must have the key `header`")
    summary = value.get("summary")
    description = value.get("description") or ""
    parent = value.get("parentCommit")
    if not isinstance(summary, str) or not summary.strip():
        raise bad_request('"summary" must not be empty')
    if not isinstance(description, str) or not (parent is None or isinstance(parent, str)):
        raise bad_request('"description" and "parentCommit" must be strings')
    return Header(summary, description, parent)


def read_changes(body: IO[bytes]) -> Iterator[Change]:
    """Every line after the first, in order. Raises HubError 400, or 422 for a path that no repository can hold."""
    body.seek(0)
    body.readline()
    nothing = True
    for line in body:
        if line.strip():
            nothing = False
            yield _change(*_line(line))
    if nothing:
        raise bad_request("Add a line with the key `lfsFile`, `file` or `deletedFile`")


def checked_path(path: object) -> str:
    """A path in a repository. Raises HubError 422."""
    if not isinstance(path, str) or not path:
        raise HubError(422, "A path must be a text that is not empty")
    parts = path.split("/")
    is_wrong = any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
    # A backslash is a letter to git, but on Windows such a path would leave the folder that it is put in.
    if is_wrong or "\0" in path or path.startswith("..\\"):
        raise HubError(422, f"Invalid path: {path}")
    return path


def _line(line: bytes) -> tuple[str, dict[str, Any]]:
    try:
        content = json.loads(line)
    except ValueError as error:
        raise bad_request("Every line must be a JSON object") from error
    if not isinstance(content, dict) or not isinstance(content.get("value"), dict):
        raise bad_request('Every line must have a "key" and a "value"')
    return str(content.get("key")), content["value"]


def _change(key: str, value: dict[str, Any]) -> Change:
    match key:
        case "file":
            return PutFile(checked_path(value.get("path")), _content(value))
        case "lfsFile":
            oid, size = value.get("oid"), value.get("size")
            if not isinstance(oid, str) or SHA256.fullmatch(oid) is None or value.get("algo", "sha256") != "sha256":
                raise bad_request('"oid" must be a SHA-256')
            if size is not None and (not isinstance(size, int) or size < 0):
                raise bad_request('"size" must be a number of bytes')
            return PutLargeFile(checked_path(value.get("path")), oid, size)
        case "deletedFile" | "deletedFolder":
            path = value.get("path")
            trimmed = path.rstrip("/") if isinstance(path, str) else path
            return Delete(checked_path(trimmed), is_folder=key == "deletedFolder")
        case _:
            raise bad_request(f"Unknown key: {key}")


def _content(value: dict[str, Any]) -> bytes:
    text, encoding = value.get("content"), value.get("encoding", "utf-8")
    if not isinstance(text, str) or encoding not in ("base64", "utf-8"):
        raise bad_request('"content" must be text, in the encoding base64 or utf-8')
    try:
        content = base64.b64decode(text, validate=True) if encoding == "base64" else text.encode()
    except (binascii.Error, UnicodeEncodeError) as error:
        raise bad_request('"content" is not base64') from error
    if len(content) > LARGEST_REGULAR:
        raise bad_request(f"Files above {LARGEST_REGULAR} bytes must be uploaded as large files: {value.get('path')}")
    return content
