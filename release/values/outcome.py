"""Upload and Verified: what happened on the Hub, and how that was found out."""

from dataclasses import dataclass
from enum import StrEnum

from release.values.hub import HubFile
from release.values.names import Oid, Sha256
from release.values.plan import Plan


class How(StrEnum):
    """UPLOADED: this run's `hf upload` made the commit. FOUND: it was there already.

    UNCHANGED: the branch held these very files already, so no commit was made.
    """

    UPLOADED = "uploaded"
    FOUND = "found"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Upload:
    """A commit on the Hub that holds the plan's whole tree and names its release.

    `parent` is the commit before it on the branch; `committed_at` its date as the Hub tells it; `argv` the command
    that made it, or would have. `above` are the commits on the branch after it, newest first.
    """

    plan: Plan
    commit: Oid
    parent: Oid
    committed_at: str
    how: How
    argv: tuple[str, ...]
    above: tuple[Oid, ...] = ()


@dataclass(frozen=True)
class Verified:
    """`read_back` are the paths whose bytes were streamed and hashed, `read_bytes` their total size in bytes.

    `anonymous` says whether they were read without a token. `files` are all files of the commit; `adopted` those
    that the release found there and keeps, with the digest of the bytes that were read.
    """

    upload: Upload
    files: tuple[HubFile, ...]
    read_back: tuple[str, ...]
    read_bytes: int
    anonymous: bool
    adopted: tuple[tuple[HubFile, Sha256], ...]
    tag_at: Oid | None
