"""One repository of the Hub: its git directory and what the Hub knows about it besides.

The record and the discussions are files inside the bare git directory, so a repository is one folder, and moving
it is one rename.
"""

import dataclasses
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from release.rehearsal.answers import bad_request, revision_not_found
from release.rehearsal.discussions import Discussions
from release.rehearsal.git import BareGit
from release.rehearsal.history import Commit, last_commits
from release.rehearsal.keeping import Kept
from release.rehearsal.landing import Landing
from release.rehearsal.ledger import Ledger
from release.rehearsal.trees import Listing, Trees
from release.rehearsal.values import Gating, Kind, Visibility, new_id, now, write_json

_NAME = re.compile(r"[A-Za-z0-9._-]{1,96}")


def checked_repo_id(namespace: object, name: object) -> str:
    """A new repository's id. Raises HubError 400 for a name that the Hub does not allow."""
    for part in (namespace, name):
        if not isinstance(part, str) or _NAME.fullmatch(part) is None or part.strip(".-") != part:
            raise bad_request(f"Invalid repository name: {part}")
        if "--" in part or ".." in part or part.endswith((".git", ".ipynb")):
            raise bad_request(f"Invalid repository name: {part}")
    return f"{namespace}/{name}"


@dataclass(frozen=True)
class Like:
    """Who likes a repository, and since when."""

    user: str
    at: str


@dataclass(frozen=True)
class AccessRequest:
    """A user's wish to read a gated repository. `was_granted` if nobody asked and the owner gave it."""

    request_id: str
    user: str
    status: Literal["pending", "accepted", "rejected"]
    at: str
    was_granted: bool = False


@dataclass(frozen=True)
class Record:
    """What the Hub knows about a repository. `aliases` maps a chosen 40-hex revision to a commit."""

    kind: Kind
    namespace: str
    name: str
    creator: str
    id: str = field(default_factory=new_id)
    created_at: str = field(default_factory=now)
    visibility: Visibility = "public"
    gated: Gating = False
    sdk: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    likes: tuple[Like, ...] = ()
    access_requests: tuple[AccessRequest, ...] = ()

    @property
    def repo_id(self) -> str:
        """NAMESPACE/NAME."""
        return f"{self.namespace}/{self.name}"

    def to_json(self) -> dict[str, Any]:
        """The record as it is kept on disk."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Record":
        """Reverse of `to_json`."""
        return cls(
            **{
                **content,
                "likes": tuple(Like(**each) for each in content["likes"]),
                "access_requests": tuple(AccessRequest(**each) for each in content["access_requests"]),
            }
        )


class Repository:
    """The repository in the bare git directory `folder`."""

    def __init__(self, folder: Path, record: Record) -> None:
        self.folder = folder
        self.record = record
        self.git = BareGit(folder)
        self.ledger = Ledger(folder / "large-files.jsonl")
        self.discussions = Discussions(folder / "discussions.json")
        self._trees = Trees(self.git)
        self._last_commits: Kept[Mapping[str, Commit]] = Kept(4)
        self._lock = threading.RLock()

    @classmethod
    def load(cls, folder: Path) -> "Repository":
        """The repository in a folder that a store made."""
        return cls(folder, Record.from_json(json.loads((folder / "record.json").read_text(encoding="utf-8"))))

    @property
    def kind(self) -> Kind:
        """Model, dataset, space or kernel."""
        return self.record.kind

    @property
    def repo_id(self) -> str:
        """NAMESPACE/NAME."""
        return self.record.repo_id

    def update(self, **changes: Any) -> Record:
        """Replace fields of the record, on disk too."""
        with self._lock:
            self.record = dataclasses.replace(self.record, **changes)
            self.save()
            return self.record

    def save(self) -> None:
        """Write the record to disk."""
        write_json(self.folder / "record.json", self.record.to_json())

    # -- revisions -----------------------------------------------------------------------------------------

    def commit(self, revision: str) -> str:
        """The commit that a branch, tag, ref, id, abbreviated id or alias stands for. Raises HubError 404."""
        if self._trees.knows(revision):
            return revision
        found = self.record.aliases.get(revision) or self.git.resolve(revision)
        if found is None:
            raise revision_not_found(revision)
        return found

    def shown(self, commit: str) -> str:
        """The id under which a commit is shown: its alias, if it was seeded with one."""
        for alias, aliased in self.record.aliases.items():
            if aliased == commit:
                return alias
        return commit

    def writable_ref(self, revision: str) -> str:
        """The branch or pull-request ref that a commit to `revision` lands on. Raises HubError 404."""
        full = revision if revision.startswith("refs/") else f"refs/heads/{revision}"
        if self.git.ref(full) is None:
            raise revision_not_found(revision)
        return full

    def listing(self, commit: str) -> Listing:
        """Everything in a commit."""
        return self._trees.at(commit)

    def last_commits(self, commit: str) -> Mapping[str, Commit]:
        """For each file and folder of a commit, the latest commit that changed it."""
        found = self._last_commits.get(commit)
        if found is None:
            found = last_commits(self.git, commit, self.listing(commit).by_path.keys())
            self._last_commits.put(commit, found)
        return found

    def landing(self, size_of: Callable[[str], int | None]) -> Landing:
        """Lands commits here. `size_of(oid)` is a large file's size if it was uploaded to this repository."""
        return Landing(self.git, self.listing, size_of)
