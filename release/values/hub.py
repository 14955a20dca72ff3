"""What the Hub says of one repository. Facts from outside, with names already checked."""

import re
from dataclasses import dataclass
from functools import cached_property

from release.values.names import Oid, Sha256
from release.values.tree import Entry

# The Hub writes this file itself; it is never managed, foreign or deleted.
HUB_OWN = ".gitattributes"


@dataclass(frozen=True)
class HubFile:
    """One file at a Hub commit. For a large file `sha256` is of its bytes and `blob` of the pointer in git.

    `path` is as the Hub sent it: data, never opened or written.
    """

    path: str
    size: int
    blob: Oid
    sha256: Sha256 | None = None

    def holds(self, entry: Entry) -> bool:
        """Whether these are the entry's bytes, by size and by whichever digest the Hub gives."""
        if self.size != entry.size:
            return False
        return self.sha256 == entry.sha256 if self.sha256 else self.blob == entry.blob


@dataclass(frozen=True)
class HubCommit:
    """One commit of the Hub's branch. `date` is ISO 8601 in UTC; `description` the message below the title."""

    oid: Oid
    title: str
    description: str
    date: str

    @cached_property
    def trailers(self) -> dict[str, str]:
        """The `Key: value` lines of the description; a key that stands twice has no value at all."""
        pairs = re.findall(r"^([A-Z][A-Za-z0-9-]*): (\S.*)$", self.description, re.MULTILINE)
        keys = [key for key, _ in pairs]
        return {key: value.strip() for key, value in pairs if keys.count(key) == 1}


@dataclass(frozen=True)
class HubRefs:
    """Branch and tag names of the repository, each with the commit it points to."""

    branches: dict[str, Oid]
    tags: dict[str, Oid]


@dataclass(frozen=True)
class HubHead:
    """The branch `main` at one commit: all files there, sorted by path."""

    commit: Oid
    files: tuple[HubFile, ...]
    private: bool

    @cached_property
    def by_path(self) -> dict[str, HubFile]:
        return {file.path: file for file in self.files}
