"""`.release/NAME/` at the top of the source repository: the tree, the state, the journal, the lock.

tree/           the publishing tree;  SHA256SUMS beside it is a copy for reading
manifest.json   what the tree was built from, and its digests
findings.json   what the checks said;  plan.json what a publish would change
journal.jsonl   one line before each outside effect, on disk before it begins
lock            held while an upload runs, by the upload's own process as well
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from release.errors import Refused, Unavailable, Unfinished
from release.ports import Written
from release.values import Mode, RepoPath, Sha256, TagName

_CHUNK = 1 << 20
_START = 1024
# How large a file that was just written may be to be kept in memory for the checks, and all of them together.
_SMALL = 256 << 10
_FRESH_BYTES = 64 << 20


class Workspace:
    """One tag's folder. Implements `ports.WritesTree`, `ports.State` and `ports.Journal`."""

    def __init__(self, top: Path, tag: TagName) -> None:
        self.tag = tag
        self._home = top / ".release"
        self.folder = self._home / tag.file_form
        self.tree = self.folder / "tree"
        self._made: set[str] = set()
        # Small files that this process wrote: the checks read every one of them again.
        self._fresh: dict[str, bytes] = {}
        self._room = _FRESH_BYTES
        self._lock: int | None = None

    def start(self) -> None:
        with _disk(self.folder):
            self._make_home()
            if self.tree.exists():
                shutil.rmtree(self.tree)
            self.tree.mkdir(mode=0o700)
            self._made, self._fresh, self._room = {""}, {}, _FRESH_BYTES

    def write(self, path: RepoPath, chunks: Iterable[bytes], mode: Mode) -> Written:
        """Only into the folder that `start` made empty, and never over a file: a tree cannot name a path twice."""
        parent, _, _ = path.rpartition("/")
        digest, size, start, whole = hashlib.sha256(), 0, b"", b""
        with _disk(self.tree):
            if parent not in self._made:
                os.makedirs(self.tree / parent, exist_ok=True)
                self._made.add(parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            handle = os.open(f"{self.tree}/{path}", flags, 0o755 if mode is Mode.EXECUTABLE else 0o644)
            try:
                for chunk in chunks:
                    _write_all(handle, chunk)
                    digest.update(chunk)
                    start = start or chunk[:_START]
                    whole = b"" if size else chunk
                    size += len(chunk)
            finally:
                os.close(handle)
        if whole and len(whole) <= min(_SMALL, self._room):
            self._fresh[path] = whole
            self._room -= size
        return Written(size, Sha256(digest.hexdigest()), start)

    def read(self, path: RepoPath) -> bytes:
        return b"".join(self.chunks(path))

    def chunks(self, path: RepoPath) -> Iterator[bytes]:
        if fresh := self._fresh.get(path):
            yield fresh
            return
        with _disk(self.tree), open(f"{self.tree}/{path}", "rb", buffering=0, opener=_no_link) as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk

    def present(self) -> set[str]:
        """The paths of all files in the tree's folder, links among them."""
        found = set()
        for folder, folders, names in os.walk(self.tree):
            base = os.path.relpath(folder, self.tree)
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            found |= {os.path.normpath(os.path.join(base, name)) for name in (*names, *links)}
        return found

    def save(self, name: str, content: bytes) -> None:
        """Write a state file, whole or not at all."""
        with _disk(self.folder):
            self._make_home()
            part = self.folder / f".{name}.part"
            part.unlink(missing_ok=True)
            _create(part, content)
            part.replace(self.folder / name)

    def load(self, name: str) -> bytes | None:
        with _disk(self.folder):
            path = self.folder / name
            return path.read_bytes() if path.is_file() and not path.is_symlink() else None

    def forget(self, name: str) -> None:
        with _disk(self.folder):
            (self.folder / name).unlink(missing_ok=True)

    def note(self, event: str, **facts: object) -> None:
        line = json.dumps({"event": event, "at": datetime.now(UTC).isoformat(), **facts}) + "\n"
        with _disk(self.folder):
            self._make_home()
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
            handle = os.open(self.folder / "journal.jsonl", flags, 0o600)
            try:
                size = os.fstat(handle).st_size
                # What a torn line announced had not begun; it must not swallow the line after it.
                torn = size and os.pread(handle, 1, size - 1) != b"\n"
                _write_all(handle, (b"\n" if torn else b"") + line.encode())
                os.fsync(handle)
            finally:
                os.close(handle)

    def events(self) -> Sequence[Mapping[str, object]]:
        # A machine that stopped while writing leaves a torn line; what it announced had not begun.
        lines = (self.load("journal.jsonl") or b"").split(b"\n")[:-1]
        events = [event for line in lines if isinstance(event := _event(line), dict)]
        return [event for event in events if isinstance(event.get("event"), str)]

    @property
    def lock_handle(self) -> int:
        """The lock's descriptor, for the upload to inherit."""
        if self._lock is None:
            raise RuntimeError("the lock is not held")
        return self._lock

    def holder(self, pid: int) -> None:
        """Write down which process holds the lock from now on."""
        os.ftruncate(self.lock_handle, 0)
        os.pwrite(self.lock_handle, f"{pid}\n".encode(), 0)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with _disk(self.folder):
            self._make_home()
            handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                pid = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
                raise Unfinished(
                    f"another run is publishing this release (process {pid})",
                    hint="wait until it has ended, then run the same command again: it will find what was done",
                    facts={"pid": int(pid) if pid.isdecimal() else None},
                ) from error
            self._lock = handle
            self.holder(os.getpid())
            yield
        finally:
            self._lock = None
            os.close(handle)

    def _make_home(self) -> None:
        for folder in (self._home, self.folder):
            if folder.is_symlink():
                raise Refused(f"{folder} is not a folder of its own", hint="move it away: state is kept there")
            folder.mkdir(exist_ok=True)
        ignore = self._home / ".gitignore"
        if not os.path.lexists(ignore):
            _create(ignore, b"*\n")


def workspaces(top: Path) -> tuple[str, ...]:
    """The tags that have a folder with a manifest, by name."""
    names = (path.parent.name.replace("~", "/") for path in (top / ".release").glob("*/manifest.json"))
    return tuple(sorted(name for name in names if _is_tag(name)))


def _is_tag(name: str) -> bool:
    try:
        return bool(TagName(name))
    except ValueError:
        return False


def _event(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _create(path: Path, content: bytes) -> None:
    """A new file, never through a link that stands in its place."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        _write_all(handle, content)
    finally:
        os.close(handle)


def _write_all(handle: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(handle, view) :]


def _no_link(path: str, flags: int) -> int:
    # Nor does a pipe that lies in a file's place keep us waiting for somebody to write into it.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the disk did not do it: {error.strerror or error} ({error.filename or folder})",
            hint="make room or permission there, then run the same command again",
        ) from error
