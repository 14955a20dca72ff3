"""What the Hub says of one repository. Facts from outside, with names already checked."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from release.values.names import Oid, Sha256

# The Hub writes this file itself; it is never managed, foreign or deleted.
HUB_OWN = ".gitattributes"


class Expected(Protocol):
    """What one published file must be: an entry of a tree, or a line of a record. `size` is in bytes."""

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def blob(self) -> Oid | None: ...

    @property
    def sha256(self) -> Sha256 | None: ...


@dataclass(frozen=True)
class HubFile:
    """One file at a Hub commit. For a large file `sha256` is of its bytes and `blob` of the pointer in git.

    `path` is as the Hub sent it: data, never opened or written.
    """

    path: str
    size: int
    blob: Oid
    sha256: Sha256 | None = None

    def holds(self, expected: Expected) -> bool:
        """Whether these are the expected bytes, by size and by whichever digest the Hub gives."""
        if self.size != expected.size:
            return False
        return self.sha256 == expected.sha256 if self.sha256 else self.blob == expected.blob


def differences(
    expected: Iterable[Expected], files: Iterable[HubFile], before: Mapping[str, HubFile], gone: Collection[str]
) -> list[str]:
    """Why the files of a commit are not exactly what a release publishes; empty where they are.

    Beside what is expected, a file may stand there only if it stood unchanged `before`, is not to be `gone`, or is
    the Hub's own.
    """
    there = {file.path: file for file in files}
    found = []
    for one in expected:
        file = there.pop(one.path, None)
        if file is None:
            found.append(f"{one.path}: it is not there")
        elif not file.holds(one):
            found.append(f"{one.path}: its bytes are others ({file.size} bytes, expected {one.size})")
    for path, file in there.items():
        if path in gone:
            found.append(f"{path}: it should be deleted")
        elif path != HUB_OWN and before.get(path) != file:
            found.append(f"{path}: it is not part of the release")
    return sorted(found)


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
