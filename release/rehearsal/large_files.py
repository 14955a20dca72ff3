"""The content-addressed folder: every large file once, under its SHA-256.

Bytes go to a file of their own first and are hashed on the way, so memory stays flat and what has a name under
`sha256/` is whole and right.
"""

import contextlib
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

BLOCK = 1024 * 1024  # bytes: what is read, hashed and written at a time


class WrongContent(Exception):
    """What arrived is not what was announced."""


class LargeFiles:
    """The folder at `path`: `sha256/ab/cd/…` for what is here, `incoming/` for what is on its way."""

    def __init__(self, path: Path) -> None:
        self._files = path / "sha256"
        self._incoming = path / "incoming"
        # What was on its way when the last server stopped will be sent again.
        shutil.rmtree(self._incoming, ignore_errors=True)
        self._files.mkdir(parents=True, exist_ok=True)
        self._incoming.mkdir(parents=True)

    def path(self, oid: str) -> Path:
        """Where a large file is, or would be. `oid` is 64 hex digits."""
        return self._files / oid[:2] / oid[2:4] / oid

    def has(self, oid: str) -> bool:
        """Whether a large file is here."""
        return self.path(oid).is_file()

    def size(self, oid: str) -> int:
        """Size in bytes of a large file that is here."""
        return self.path(oid).stat().st_size

    def receive(self, oid: str, size: int) -> "Arrival":
        """A place for the bytes of a large file; see Arrival."""
        return Arrival(self._incoming / uuid.uuid4().hex, self.path(oid), oid, size)

    def adopt(self, source: Path) -> str:
        """Copy a file of this machine into the folder; its SHA-256."""
        with source.open("rb") as file:
            oid = hashlib.file_digest(file, "sha256").hexdigest()
        with source.open("rb") as file, self.receive(oid, source.stat().st_size) as arrival:
            while block := file.read(BLOCK):
                arrival.write(block)
        return oid

    def keep(self, content: bytes) -> str:
        """Put bytes into the folder; their SHA-256."""
        oid = hashlib.sha256(content).hexdigest()
        with self.receive(oid, len(content)) as arrival:
            arrival.write(content)
        return oid

    # -- multipart uploads ---------------------------------------------------------------------------------

    def part(self, upload: str, number: int) -> Path:
        """Where part `number` of an upload waits for the others; parts are numbered from 1."""
        folder = self._incoming / f"parts-{upload}"
        folder.mkdir(exist_ok=True)
        return folder / f"{number:05}"

    def join(self, upload: str, oid: str, size: int, parts: int) -> None:
        """Make the file from its parts. Raises WrongContent if one is missing or the whole is not what it should be."""
        with self.receive(oid, size) as arrival:
            for number in range(1, parts + 1):
                part = self.part(upload, number)
                if not part.is_file():
                    raise WrongContent(f"part {number} is missing")
                with part.open("rb") as file:
                    while block := file.read(BLOCK):
                        arrival.write(block)
        shutil.rmtree(self._incoming / f"parts-{upload}", ignore_errors=True)


def read_part(path: Path, start: int, stop: int) -> Iterator[bytes]:
    """The bytes of a file from `start` up to `stop`, block by block."""
    with path.open("rb") as file:
        file.seek(start)
        left = stop - start
        while left > 0 and (block := file.read(min(BLOCK, left))):
            left -= len(block)
            yield block


class Arrival:
    """A large file on its way in: write its bytes inside the `with` block.

    At the end of the block it gets its name. Raises WrongContent there if size or hash differ from what was
    announced; whatever ends the block early leaves nothing behind.
    """

    def __init__(self, waiting: Path, final: Path, oid: str, size: int) -> None:
        self._waiting = waiting
        self._final = final
        self._oid = oid
        self._size = size
        self._hash = hashlib.sha256()
        self._received = 0
        self._file = waiting.open("wb")

    def write(self, block: bytes) -> None:
        """Append bytes. Raises WrongContent as soon as they are more than announced."""
        self._received += len(block)
        if self._received > self._size:
            raise WrongContent(f"more than the {self._size} bytes that were announced")
        self._hash.update(block)
        self._file.write(block)

    def __enter__(self) -> "Arrival":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        try:
            if error is None:
                self._check()
                self._final.parent.mkdir(parents=True, exist_ok=True)
                os.replace(self._waiting, self._final)
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._waiting.unlink()

    def _check(self) -> None:
        if self._received != self._size:
            raise WrongContent(f"{self._received} bytes instead of {self._size}")
        if self._hash.hexdigest() != self._oid:
            raise WrongContent(f"the SHA-256 is {self._hash.hexdigest()} instead of {self._oid}")
