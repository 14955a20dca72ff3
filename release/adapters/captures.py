"""Files that captures go to: whole frames, one after the other, whoever else writes there."""

import os
from datetime import UTC, datetime
from pathlib import Path

from release.errors import Unavailable


def append(path: Path, content: bytes) -> None:
    """Add these bytes at the end of a file, in one write. Raises `Unavailable` where the disk does not do it."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, content)
        finally:
            os.close(handle)
    except OSError as error:
        raise _disk(error) from error


def read(path: Path) -> bytes:
    """A file's bytes. Raises `Unavailable`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise _disk(error) from error


def now() -> str:
    """The time, in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _disk(error: OSError) -> Unavailable:
    return Unavailable(f"{error.filename}: {error.strerror}", hint="check the path and its permissions")
