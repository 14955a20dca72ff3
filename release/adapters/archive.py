"""Records, and what stands beside them, in the worktree: the only part of it that a release reads or writes."""

import os
import tempfile
from pathlib import Path

from release.errors import Refused, Unavailable
from release.values import RepoPath
from release.values.tree import RECORDS


class Archive:
    """Implements `ports.Records` below the top of the worktree."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def all(self) -> tuple[tuple[str, bytes], ...]:
        folder = self._top / RECORDS
        try:
            # A link could lead to any file; a record is one.
            files = [path for path in sorted(folder.glob("*.json")) if path.is_file() and not path.is_symlink()]
            return tuple((f"{RECORDS}{path.name}", path.read_bytes()) for path in files)
        except OSError as error:
            raise _disk(error) from error

    def read(self, path: RepoPath) -> bytes | None:
        try:
            return self._inside(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _disk(error) from error

    def write(self, path: RepoPath, content: bytes) -> bool:
        target = self._inside(path)
        try:
            if target.is_file() and not target.is_symlink() and target.read_bytes() == content:
                return False
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, content)
        except OSError as error:
            raise _disk(error) from error
        return True

    def _inside(self, path: RepoPath) -> Path:
        target = self._top / path
        if not target.parent.resolve().is_relative_to(self._top.resolve()):
            raise Refused(f"{path} leads out of the worktree through a link", hint="replace the link by a folder")
        return target


def _replace(target: Path, content: bytes) -> None:
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=".release-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes a private file; this one is for git, so it gets what the umask gives.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(part, 0o666 & ~umask)
        os.replace(part, target)
    except OSError:
        os.unlink(part)
        raise


def _disk(error: OSError) -> Unavailable:
    return Unavailable(
        f"the worktree cannot be used: {error.strerror or error} ({error.filename})",
        hint="make room or permission there, then run the same command again",
    )
