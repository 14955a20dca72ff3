"""size: nothing is larger than the Hub takes in one commit, or gives back over HTTP."""

from collections.abc import Iterable
from dataclasses import dataclass

from release.values import Finding, Level, Tree
from release.values.plan import Storage, guessed_storage

# HUB.md §1.0: one commit holds at most 1 GB of regular files and 25,000 large ones; without Xet a single file can be
# read back up to 50 GB. A repository of more than 100,000 files is slow to everybody (Hub documentation).
_FILE = 50 * 10**9
_REGULAR = 10**9
_LARGE_FILES = 25_000
_FILES = 100_000


@dataclass(frozen=True)
class Size:
    name: str = "size"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        for entry in tree.entries:
            if entry.size > _FILE:
                message = f"{entry.size} bytes: above {_FILE}, a file cannot be read back and verified"
                yield Finding("size/file", message, path=entry.path)
        guessed = [(entry.size, guessed_storage(entry.path, entry.size)) for entry in tree.entries]
        regular = sum(size for size, storage in guessed if storage is Storage.REGULAR)
        large = sum(storage is Storage.LFS for _, storage in guessed)
        if regular > _REGULAR:
            yield Finding("size/commit", f"{regular} bytes of regular files: the Hub takes {_REGULAR} in one commit")
        if large > _LARGE_FILES:
            yield Finding("size/commit", f"{large} large files: the Hub takes {_LARGE_FILES} in one commit")
        if len(tree.entries) > _FILES:
            yield Finding("size/files", f"{len(tree.entries)} files: above {_FILES} the Hub is slow", Level.WARNING)
        if not any(entry.has_bytes for entry in tree.payload()):
            yield Finding("size/empty", "no file would be published: `files` matches nothing in this tag")
