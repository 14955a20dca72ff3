"""Plan: what a release would change on the Hub, and what it would leave alone."""

import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from release.values.findings import CheckedTree
from release.values.hub import HubCommit, HubFile, HubHead
from release.values.names import Oid, Sha256


class Kind(StrEnum):
    """FOREIGN: on the Hub, in no record and not in the tree."""

    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"
    FOREIGN = "foreign"
    UNCHANGED = "unchanged"


class Storage(StrEnum):
    """How the Hub keeps a file: in git itself, or as a pointer to a large-file store."""

    REGULAR = "regular"
    LFS = "lfs"


# What the Hub's own .gitattributes of a new repository sends to the large-file store, and the size above which it
# sends everything there (HUB.md §1.4): only for a guess where nobody can be asked.
_LARGE_NAMES = re.compile(
    r"(?:.*/)?saved_model/.*/.*|.*tfevents[^/]*|.*\.(?:lfs|tar)\.[^/]*"
    r"|.*\.(?:7z|arrow|bin|bz2|ckpt|ftz|gz|h5|joblib|mlmodel|model|msgpack|np[yz]|onnx|ot|parquet|pb|pickle|pkl|pth?"
    r"|rar|safetensors|tar|tflite|tgz|wasm|xz|zip|zst)",
    re.DOTALL,
)
_LARGE_BYTES = 10 << 20


def guessed_storage(path: str, size: int) -> Storage:
    """How the Hub would store a file of `size` bytes in a repository with its default rules."""
    large = size > _LARGE_BYTES or (size > 0 and bool(_LARGE_NAMES.fullmatch(path)))
    return Storage.LFS if large else Storage.REGULAR


@dataclass(frozen=True)
class Change:
    """One path. `size` is after, `was` before, in bytes; None where there is none.

    `ignored`: a .gitignore would drop it without a word. `loses_exec`: its exec bit does not survive.
    `kept_in_archive`: these bytes, when deleted, still stand in the new tree's archive.
    """

    kind: Kind
    path: str
    size: int | None = None
    was: int | None = None
    storage: Storage | None = None
    ignored: bool = False
    loses_exec: bool = False
    kept_in_archive: bool = False


@dataclass(frozen=True)
class RemoteTag:
    """What the source's remote says of the tag: compared, or `note` says why there was nothing to compare."""

    remote: str | None
    note: str


@dataclass(frozen=True)
class Plan:
    """Given a CheckedTree and the Hub as it is. `head` None: the repository does not exist there yet.

    `landed` is a commit on the Hub that already is this release, with `landed_parent` before it; changes are then
    against that parent, and `base` are its files; otherwise `base` are the head's. `duplicates` are later commits
    that are this release again. `drift` says where the Hub is not what the last record says. `storage_asked` tells
    whether the Hub itself said how it will store each file.
    """

    checked: CheckedTree
    endpoint: str
    head: HubHead | None
    changes: tuple[Change, ...]
    remote: RemoteTag
    base: tuple[HubFile, ...] = ()
    drift: tuple[str, ...] = ()
    landed: HubCommit | None = None
    landed_parent: Oid | None = None
    duplicates: tuple[Oid, ...] = ()
    storage_asked: bool = False

    @cached_property
    def release_id(self) -> Sha256:
        """Names this release wherever it is found: it does not depend on the state of the Hub."""
        tree = self.checked.tree
        return release_id(
            tree.config.repo_type.value,
            tree.config.repo,
            tree.source.tag,
            tree.source.tag_object,
            tree.dir_hash,
        )

    @cached_property
    def message(self) -> str:
        """The commit's one-line title."""
        return self.checked.tree.config.message.replace("{tag}", self.checked.tree.source.tag)

    @cached_property
    def description(self) -> str:
        """The trailers by which this release recognises its own commit."""
        source = self.checked.tree.source
        return "\n".join(
            [
                f"Release-Id: {self.release_id}",
                f"Source-Tag: {source.tag.ref}",
                f"Source-Tag-Object: {source.tag_object}",
                f"Source-Commit: {source.commit}",
                f"Payload-DirHash: {self.checked.tree.dir_hash}",
            ]
        )

    @cached_property
    def digest(self) -> Sha256:
        """What a human approves: the release, the head it goes on, the message and each change."""
        shown = [[c.kind.value, c.path, c.size, c.was, c.storage and c.storage.value] for c in self.changes]
        head = self.head.commit if self.head else None
        return Sha256(hashlib.sha256(json.dumps([self.release_id, head, self.message, shown]).encode()).hexdigest())

    @property
    def gone(self) -> frozenset[str]:
        """Paths that the release deletes."""
        return frozenset(change.path for change in self.of_kind(Kind.DELETED))

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change on the Hub."""
        return not self.of_kind(Kind.ADDED, Kind.CHANGED, Kind.DELETED)

    def of_kind(self, *kinds: Kind) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind in kinds)

    def to_document(self) -> dict[str, object]:
        """A plan for programs: what `plan.json` holds and `--json` prints."""
        return {
            "releaseId": self.release_id,
            "digest": self.digest,
            "endpoint": self.endpoint,
            "repo": self.checked.tree.config.repo,
            "repoType": self.checked.tree.config.repo_type.value,
            "repositoryExists": self.head is not None,
            "head": self.head.commit if self.head else None,
            "message": self.message,
            "remote": {"name": self.remote.remote, "note": self.remote.note},
            "storageAsked": self.storage_asked,
            "drift": list(self.drift),
            "landed": self.landed.oid if self.landed else None,
            "duplicates": list(self.duplicates),
            "changes": [
                {
                    "kind": change.kind.value,
                    "path": change.path,
                    "size": change.size,
                    "was": change.was,
                    "storage": change.storage.value if change.storage else None,
                    "ignored": change.ignored,
                    "losesExec": change.loses_exec,
                    "keptInArchive": change.kept_in_archive,
                }
                for change in self.changes
            ],
        }

    def to_json(self) -> bytes:
        return (json.dumps({"schema": "hf-release/plan/v1", **self.to_document()}, indent=1) + "\n").encode()


def release_id(repo_type: str, repo: str, tag: str, tag_object: str, dir_hash: str) -> Sha256:
    """sha256 over the five facts, one a line (ARCHITECTURE: Release-Id)."""
    return Sha256.of("".join(f"{fact}\n" for fact in (repo_type, repo, tag, tag_object, dir_hash)).encode())
