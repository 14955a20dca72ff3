"""Tree: what would be published, by path, digest and size. The bytes lie in the tag's workspace."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from release.values.names import Oid, RepoPath, Sha256
from release.values.record import Record
from release.values.settings import Config
from release.values.source import Source

SUMS = RepoPath("SHA256SUMS")
SUMS_SIGNATURE = RepoPath("SHA256SUMS.sig")
RECORDS = "archive/records/"


class Mode(StrEnum):
    """A git file mode. Only the first two have bytes of their own that could be published."""

    REGULAR = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"

    @classmethod
    def of(cls, digits: str) -> "Mode":
        """The mode that these digits of a git tree mean; old tools wrote other permissions (100664)."""
        if digits.startswith("100"):
            # Only the owner's exec bit means anything to git.
            return cls.EXECUTABLE if int(digits, 8) & 0o100 else cls.REGULAR
        return cls.SYMLINK if digits.startswith("120") else cls.SUBMODULE


class Origin(StrEnum):
    """How a published file came to be."""

    COPIED = "copied"
    BUILT = "built"
    ONELINE = "oneline"
    PINNED = "pinned"
    SUMS = "sums"


@dataclass(frozen=True)
class Entry:
    """One file of the publishing tree.

    `path` is checked by the names check, not before: a tree may hold what must not leave. `blob` is the SHA-1 git
    blob id of the bytes, as the Hub computes it (None without bytes); `size` is in bytes. `source` is the path in
    the tag, or `repo@revision:path` of a pin. `pointer` marks a Git LFS pointer: a stand-in for bytes elsewhere.
    """

    path: str
    mode: Mode
    origin: Origin
    source: str
    size: int = 0
    sha256: Sha256 | None = None
    blob: Oid | None = None
    pointer: bool = False

    @property
    def has_bytes(self) -> bool:
        return self.sha256 is not None


def collisions(paths: Iterable[str]) -> dict[str, str]:
    """Which paths cannot lie beside which: the same name in another case or Unicode form, or a file as a folder.

    Maps each later path to the earlier one that it meets; a folder that is only spelled differently counts too,
    since two folders become one where case does not matter.
    """
    seen: dict[str, tuple[str, bool]] = {}
    found: dict[str, str] = {}
    for path in sorted(paths, key=lambda p: p.encode("utf-8", "surrogateescape")):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            part, is_file = "/".join(parts[:depth]), depth == len(parts)
            other, was_file = seen.setdefault(_same_to_others(part), (part, is_file))
            if other != part or (is_file and other == part and not was_file) or (was_file and not is_file):
                found.setdefault(path, other)
    return found


def _same_to_others(part: str) -> str:
    """Equal for what a file system that ignores case and form takes for one name (Unicode 3.13, D145)."""
    return (
        part.lower() if part.isascii() else unicodedata.normalize("NFD", unicodedata.normalize("NFD", part).casefold())
    )


def sums_of(files: Iterable[tuple[str, Sha256]]) -> bytes:
    """SHA256SUMS for (path, digest) pairs: GNU form, two spaces, LF, in the order of the paths' bytes.

    Hashing the result gives in-toto's dirHash (in-toto attestation spec, digest_set.md).
    """
    ordered = sorted((path.encode("utf-8", "surrogateescape"), digest) for path, digest in files)
    return b"".join(b"%s  %s\n" % (digest.encode(), path) for path, digest in ordered)


@dataclass(frozen=True)
class Tree:
    """Given a Source, the files that a release of it publishes, sorted by the bytes of their paths.

    `records` are the records that the tag holds, oldest first; `broken_records` pairs a path there with why it
    cannot be read. `unmatched` are the files of the tag that no rule publishes; `idle` the rules that match nothing.
    `problems` pairs a path with why it could not be built.
    """

    source: Source
    config: Config
    entries: tuple[Entry, ...]
    records: tuple[Record, ...] = ()
    broken_records: tuple[tuple[str, str], ...] = ()
    unmatched: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_path(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.entries}

    def payload(self) -> Iterator[Entry]:
        """The files that SHA256SUMS covers: all but itself, its signature and this release's own bundle."""
        own = f"{RECORDS}{self.source.tag.file_form}.intoto.jsonl"
        return (entry for entry in self.entries if entry.has_bytes and entry.path not in (SUMS, SUMS_SIGNATURE, own))

    @cached_property
    def sums(self) -> bytes:
        """The bytes of SHA256SUMS over the payload."""
        return sums_of((entry.path, entry.sha256) for entry in self.payload() if entry.sha256)

    @cached_property
    def dir_hash(self) -> Sha256:
        """in-toto's dirHash of the payload: the digest of SHA256SUMS."""
        return Sha256.of(self.sums)

    @property
    def previous(self) -> Record | None:
        """The newest record in the tag of a release to the same Hub repository."""
        ours = [r for r in self.records if (r.repo, r.repo_type) == (self.config.repo, self.config.repo_type)]
        return ours[-1] if ours else None

    @property
    def total_bytes(self) -> int:
        return sum(entry.size for entry in self.entries)
