"""Which large files a repository has: what was uploaded to it, and which path first brought each one in.

A large file of another repository is not this one's, even though the folder keeps the bytes once: whoever only
knows a SHA-256 must not be able to read by it. One JSON line an event, appended, so ten thousand uploads cost ten
thousand lines and not ten thousand files.
"""

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class PushedFile:
    """A large file of a commit: SHA-256, size in bytes, its first path, the ref, and when (ISO 8601, UTC)."""

    oid: str
    size: int
    path: str
    ref: str
    pushed_at: str


class Ledger:
    """The events in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._uploaded: set[str] = set()
        self._pushed: dict[str, PushedFile] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._apply(json.loads(line))

    def owns(self, oid: str) -> bool:
        """Whether the bytes were sent to this repository, or given to it."""
        return oid in self._uploaded

    @property
    def pushed(self) -> list[PushedFile]:
        """Large files that are in a commit, the latest first."""
        return list(reversed(self._pushed.values()))

    def upload(self, oids: Iterable[str]) -> None:
        """Note that the bytes were sent to this repository."""
        with self._lock:
            self._append({"event": "upload", "oid": oid} for oid in oids if oid not in self._uploaded)

    def push(self, files: Iterable[PushedFile]) -> None:
        """Note that a commit holds the files."""
        with self._lock:
            self._append({"event": "push", **vars(file)} for file in files if file.oid not in self._pushed)

    def forget(self, oids: Iterable[str]) -> None:
        """Note that the files are gone for good."""
        with self._lock:
            self._append({"event": "forget", "oid": oid} for oid in oids if oid in self._uploaded)

    def _append(self, events: Iterable[dict[str, Any]]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            for event in events:
                file.write(json.dumps(event) + "\n")
                self._apply(event)

    def _apply(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "upload":
            self._uploaded.add(event["oid"])
        elif kind == "push":
            self._pushed[event["oid"]] = PushedFile(**event)
        else:
            self._uploaded.discard(event["oid"])
            self._pushed.pop(event["oid"], None)
