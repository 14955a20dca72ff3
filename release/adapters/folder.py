"""A folder of the worktree, read as if it were a tagged tree: for authors, before there is a tag."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from release.errors import Unavailable
from release.ports import Blob, SourceItem
from release.values import Mode, Oid, git_blob_id

_LEFT_OUT = frozenset({".git", ".release", ".venv", "node_modules", "__pycache__"})
# What authors keep beside templates is text; anything larger is not read.
_LARGEST = 16 << 20


class Folder:
    """`listing` and `blobs` as `ports.ReadsSource` has them, of the files below `root`. Links are left out."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._blobs: dict[Oid, bytes] = {}

    def listing(self, tree: Oid | None = None) -> Iterator[SourceItem]:
        paths = []
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
            paths += [Path(folder, name) for name in names]
        for path in sorted(paths):
            if path.is_symlink() or path.stat().st_size > _LARGEST:
                continue
            content = self._read(path)
            oid = git_blob_id(content)
            self._blobs[oid] = content
            yield SourceItem(path.relative_to(self._root).as_posix(), Mode.REGULAR, oid)

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        for oid in oids:
            yield Blob(oid, len(self._blobs[oid]), iter((self._blobs[oid],)))

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise Unavailable(f"{path}: {error.strerror}", hint="check its permissions") from error
