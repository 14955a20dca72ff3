"""What steps and checks need from outside, as protocols. Who must not write is given nothing that can.

ReadsSource   git objects of the source repository;  ReadsRemote its remote's tag
VerifiesSignature   a tag's signature
ReadsConfig   the configuration in a tag
FetchesPins   upstream files, by digest
WritesTree    the workspace while the tree is built;  ReadsTree afterwards
Check         one check of a tree
Engine        one template engine
ReadsHub      a Hub repository;  WritesHub creates repositories and tags
RunsUpload    the `hf upload` command
State         the tag's state files;  Journal what was about to be done, durably
Records       records in the worktree: read, and written beside the archive
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from release.values import (
    Config,
    EngineRun,
    Entry,
    Finding,
    HubCommit,
    HubFile,
    HubHead,
    HubRefs,
    Mode,
    Oid,
    Record,
    RepoId,
    RepoPath,
    RepoType,
    Sha256,
    Signature,
    Source,
    TagName,
    Tree,
    UpstreamPin,
    Visibility,
)
from release.values.plan import Storage
from release.values.rendering import Failed, Rendered


@dataclass(frozen=True)
class SourceItem:
    """One path of a git tree, as it stands there: undecodable bytes are surrogates."""

    path: str
    mode: Mode
    oid: Oid

    @property
    def is_file(self) -> bool:
        """Whether it has bytes of its own: no link, no submodule."""
        return self.mode in (Mode.REGULAR, Mode.EXECUTABLE)


@dataclass(frozen=True)
class Blob:
    """One blob: `size` in bytes, and its bytes in chunks, to be read before the next blob is asked for."""

    oid: Oid
    size: int
    chunks: Iterator[bytes]


class ReadsBlobs(Protocol):
    """Blobs by their ids, wherever they lie."""

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        """Each blob, in the order asked for; every blob is hashed against its id."""


class ReadsSource(ReadsBlobs, Protocol):
    """Git objects, whatever the worktree, the index, attributes, filters or replacements say."""

    def ref(self, name: str) -> Oid | None:
        """What a full ref name holds; None where there is none."""

    def object(self, oid: Oid) -> tuple[str, bytes]:
        """Type and bytes of one object. Raises `Unavailable` where it is missing."""

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        """All files below a tree, sorted by the bytes of their paths."""

    def diff(self, old: Oid, new: Oid) -> bytes:
        """The patch between two trees as `git diff` makes it: all files as text, no filters, drivers or attributes.

        Renames are found; files above 16 MiB are left out.
        """

    def is_shallow(self) -> bool:
        """Whether history was cut off."""

    def remotes(self) -> Mapping[str, str]:
        """Configured remotes by name, with their addresses; `origin` first."""


class ReadsRemote(Protocol):
    def tag(self, url: str, tag: TagName) -> tuple[Oid, Oid] | None:
        """(what the remote's tag holds, the commit it peels to); None where it has no such tag.

        Raises `Unavailable` where the remote does not answer, `Refused` for an address that could run a program.
        """


class VerifiesSignature(Protocol):
    def verify(self, payload: bytes, signature: bytes, signers: bytes | None) -> Signature:
        """An SSH signature in namespace `git` over these bytes, against the text of an allowed_signers file.

        Without one, a whole signature is UNTRUSTED. Raises `Refused` for one that does not fit the bytes.
        """


class ReadsConfig(Protocol):
    def __call__(self, source: Source) -> tuple[Config, bytes]:
        """The tag's configuration and the bytes it was read from. Raises `UsageError` with all that is wrong."""


class FetchesPins(Protocol):
    def fetch(self, pin: UpstreamPin) -> bytes:
        """The pinned bytes, hashed. Raises `Refused` where they differ, `Unavailable` where nobody has them."""


@dataclass(frozen=True)
class Written:
    """What was written: size in bytes, digest, and the first bytes, at most 1,024."""

    size: int
    sha256: Sha256
    start: bytes


class ReadsTree(Protocol):
    """The built tree's bytes."""

    def read(self, path: RepoPath) -> bytes: ...

    def chunks(self, path: RepoPath) -> Iterator[bytes]: ...

    def present(self) -> set[str]:
        """The paths of all files that lie there, wanted or not."""


class WritesTree(ReadsTree, Protocol):
    """The built tree while it is made: an empty folder that only grows."""

    def start(self) -> None:
        """Begin again with nothing."""

    def write(self, path: RepoPath, chunks: Iterable[bytes], mode: Mode) -> Written: ...


class Check(Protocol):
    """One check. Calling it yields every complaint, and what engines did where it ran any."""

    @property
    def name(self) -> str: ...

    def __call__(self, tree: Tree, /) -> Iterable[Finding | EngineRun]: ...


class CompiledTemplate(Protocol):
    def render(self, variables: Mapping[str, object]) -> Rendered | Failed:
        """One prompt from `messages`, `tools`, `add_generation_prompt` and other keyword variables."""


class Engine(Protocol):
    """One template engine, running in a process of its own. Used as a context manager, which ends the process."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def unavailable(self) -> str | None:
        """Why it cannot run here; None where it can."""

    def compile(self, source: str) -> CompiledTemplate | Failed: ...

    def __enter__(self) -> "Engine": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class ReadsHub(Protocol):
    """One Hub repository, `main` unless a commit is named. Paths and names it answers with are data.

    Every method raises `Unavailable` where the Hub does not answer and `Refused` where it says no.
    """

    @property
    def endpoint(self) -> str: ...

    def head(self) -> HubHead | None:
        """The branch as it is; None where there is no such repository (or none that we may see)."""

    def files(self, commit: Oid) -> tuple[HubFile, ...]: ...

    def commits(self) -> Iterator[HubCommit]:
        """The branch's commits, newest first, read page by page as they are asked for."""

    def refs(self) -> HubRefs: ...

    def storage(
        self, files: Sequence[tuple[Entry, bytes]], gitignore: str | None
    ) -> Mapping[str, tuple[Storage, bool]] | None:
        """For (entry, first 512 bytes): how the Hub will keep it, and whether it will drop it; None: may not ask."""

    def read(self, commit: Oid, path: str, *, anonymous: bool) -> Iterator[bytes]:
        """The file's bytes in chunks; `anonymous` sends no token, as a stranger would ask."""


class WritesHub(Protocol):
    def create_repository(self, visibility: Visibility) -> None:
        """Make the repository. Raises `Refused` where the Hub says no, `Conflict` where it exists already."""

    def create_tag(self, tag: TagName, commit: Oid) -> None:
        """Make the tag. It existing already is not an error: read it back. Raises `Unfinished` where unclear."""


@dataclass(frozen=True)
class UploadExit:
    """How `hf upload` ended: its exit code (negative: the signal), what it said at the end, the commit it named.

    `interrupted`: we were told to stop, and stopped it.
    """

    code: int
    said: str
    commit: str | None
    interrupted: bool = False


class RunsUpload(Protocol):
    def check_ready(self) -> None:
        """Raises `Refused` without a token or without the command."""

    def run(self, argv: Sequence[str]) -> UploadExit:
        """Run it in the tree's folder until it ends. Raises nothing for its failure: the Hub is asked instead."""


class State(Protocol):
    """The tag's state files: manifest.json, findings.json, plan.json."""

    def save(self, name: str, content: bytes) -> None:
        """Write a state file, whole or not at all."""

    def load(self, name: str) -> bytes | None: ...

    def forget(self, name: str) -> None: ...


class Journal(Protocol):
    def note(self, event: str, **facts: object) -> None:
        """One line, on disk before this returns."""

    def events(self) -> Sequence[Mapping[str, object]]:
        """What was written before, oldest first; a torn last line is left out."""

    def locked(self) -> AbstractContextManager[None]:
        """Hold the release's lock. Raises `Unfinished` where an upload still holds it, naming its process."""


class Waits(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    def sleep(self, seconds: float) -> None: ...


class Records(Protocol):
    """The worktree's archive: the only part of the worktree that a release reads or writes."""

    def all(self) -> tuple[tuple[str, bytes], ...]:
        """(path, bytes) of every record file in the worktree."""

    def write(self, path: RepoPath, content: bytes) -> bool:
        """Write a file whole or not at all; False where these bytes stood there already."""

    def read(self, path: RepoPath) -> bytes | None: ...


class Narrator(Protocol):
    """Hears what goes on. It decides nothing."""

    def step(self, title: str) -> None: ...

    def note(self, text: str) -> None: ...

    def progress(self, what: str, done: int, total: int) -> None:
        """`done` of `total` bytes of `what`."""


__all__ = [
    "Blob",
    "Check",
    "CompiledTemplate",
    "Engine",
    "FetchesPins",
    "Journal",
    "Narrator",
    "ReadsBlobs",
    "ReadsConfig",
    "ReadsHub",
    "ReadsRemote",
    "ReadsSource",
    "ReadsTree",
    "Record",
    "Records",
    "RepoId",
    "RepoType",
    "RunsUpload",
    "SourceItem",
    "State",
    "UploadExit",
    "VerifiesSignature",
    "Waits",
    "WritesHub",
    "WritesTree",
    "Written",
]
