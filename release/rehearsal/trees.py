"""What a commit holds, as the Hub lists it: files with the size of what they stand for, folders, and large files.

A commit never changes, so what was read once is kept for a while.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from release.rehearsal.git import BareGit, GitEntry
from release.rehearsal.keeping import Kept
from release.rehearsal.pointers import LONGEST_POINTER, SHORTEST_POINTER, Pointer, read_pointer

_KEPT = 8  # listings of one repository


@dataclass(frozen=True)
class File:
    """`oid` is the id of the blob in git; for a large file that is the pointer, and `size` is the large file's."""

    path: str
    oid: str
    size: int
    mode: str = "100644"
    pointer: Pointer | None = None

    @property
    def content_id(self) -> str:
        """What the content is known by: SHA-256 of a large file, blob id of any other."""
        return self.pointer.oid if self.pointer is not None else self.oid


@dataclass(frozen=True)
class Folder:
    """`oid` is the id of the tree in git."""

    path: str
    oid: str


@dataclass(frozen=True)
class Listing:
    """Everything below one tree, in git's order, folders before what is in them."""

    entries: tuple[File | Folder, ...]

    @cached_property
    def by_path(self) -> dict[str, File | Folder]:
        """Entries by their path."""
        return {entry.path: entry for entry in self.entries}

    @property
    def files(self) -> list[File]:
        """The files, in git's order."""
        return [entry for entry in self.entries if isinstance(entry, File)]

    def below(self, folder: str, *, recursive: bool) -> list[File | Folder] | None:
        """What is in a folder ("" is the root); None if there is no such folder."""
        if folder and not isinstance(self.by_path.get(folder), Folder):
            return None
        prefix = f"{folder}/" if folder else ""
        inside = [entry for entry in self.entries if entry.path.startswith(prefix)]
        return [entry for entry in inside if recursive or "/" not in entry.path[len(prefix) :]]


class Trees:
    """Listings of one repository's commits."""

    def __init__(self, git: BareGit) -> None:
        self._git = git
        self._kept: Kept[Listing] = Kept(_KEPT)

    def knows(self, commit: str) -> bool:
        """Whether a commit was listed lately, so that git need not be asked if there is one."""
        return self._kept.get(commit) is not None

    def at(self, commit: str) -> Listing:
        """Everything in a commit."""
        listing = self._kept.get(commit)
        if listing is None:
            listing = Listing(_resolve(self._git, self._git.entries(self._git.tree_of(commit))))
            self._kept.put(commit, listing)
        return listing


def _resolve(git: BareGit, entries: Sequence[GitEntry]) -> tuple[File | Folder, ...]:
    """Look into every blob that has the size of a pointer."""
    candidates = sorted(
        {entry.oid for entry in entries if entry.kind == "blob" and SHORTEST_POINTER <= entry.size <= LONGEST_POINTER}
    )
    pointers = {oid: read_pointer(content) for oid, content in git.blobs(candidates).items()}
    listed: list[File | Folder] = []
    for entry in entries:
        if entry.kind == "tree":
            listed.append(Folder(entry.path, entry.oid))
        elif entry.kind == "blob":
            pointer = pointers.get(entry.oid)
            size = pointer.size if pointer is not None else entry.size
            listed.append(File(entry.path, entry.oid, size, entry.mode, pointer))
    return tuple(listed)
