"""Upload and Verified: what happened on the Hub, and how that was found out."""

from dataclasses import dataclass
from enum import StrEnum

from release.values.names import Oid
from release.values.plan import Plan


class How(StrEnum):
    """UPLOADED: this run's `hf upload` made the commit. FOUND: it was there already."""

    UPLOADED = "uploaded"
    FOUND = "found"


@dataclass(frozen=True)
class Upload:
    """A commit on the Hub that holds the plan's whole tree and names its release.

    `parent` is the commit before it on the branch; `committed_at` its date as the Hub tells it; `argv` the command
    that made it, or would have. `duplicates` are later commits that hold the same release.
    """

    plan: Plan
    commit: Oid
    parent: Oid
    committed_at: str
    how: How
    argv: tuple[str, ...]
    adopted: tuple[str, ...] = ()
    duplicates: tuple[Oid, ...] = ()


@dataclass(frozen=True)
class Verified:
    """`read_back` are the paths whose bytes were streamed and hashed, `read_bytes` their total size in bytes.

    `anonymous` says whether they were read without a token; `head` is the branch after it all.
    """

    upload: Upload
    files: int
    read_back: tuple[str, ...]
    read_bytes: int
    anonymous: bool
    head: Oid
    tag_at: Oid | None
