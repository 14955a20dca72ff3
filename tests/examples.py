"""Values as examples: one whole value of each kind, and what differs from it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from release.ports import Written
from release.values import (
    Config,
    Entry,
    Glob,
    Mode,
    Oid,
    Origin,
    Record,
    RecordedFile,
    RepoId,
    RepoPath,
    RepoType,
    Sha256,
    Signature,
    Source,
    TagName,
    Tree,
    git_blob_id,
)
from release.values.source import SignatureState


def oid(digit: int | str) -> Oid:
    """An object id of one repeated hex digit."""
    return Oid(str(digit) * 40)


CONFIG = Config(RepoId("acme/model"), (Glob("**"),), "release.toml", Sha256("c" * 64))
SOURCE = Source(TagName("v2"), oid(1), True, oid(2), oid(3), Signature(SignatureState.NONE))
RECORD = Record(
    tag=TagName("v1"),
    tag_object=oid(4),
    annotated=True,
    signature="none",
    source_commit=oid(5),
    source_tree=oid(6),
    endpoint="https://huggingface.co",
    repo=RepoId("acme/model"),
    repo_type=RepoType.MODEL,
    hub_commit=oid(7),
    hub_parent=oid(8),
    hub_tag="v1",
    committed_at="2026-01-02T03:04:05.000Z",
    release_id=Sha256("a" * 64),
    dir_hash=Sha256("b" * 64),
    message="Release v1",
    config_from="release.toml",
    config_sha256=Sha256("c" * 64),
    files=(RecordedFile("a.txt", 4, Sha256.of(b"one\n"), git_blob_id(b"one\n"), "copied", "a.txt", "regular"),),
    adopted=(RecordedFile("theirs.bin", 3, Sha256.of(b"abc"), git_blob_id(b"abc"), "adopted", "", "lfs"),),
    argv=("hf", "upload", "acme/model", ".", "."),
    tools=(("git", "2.39.5"), ("release", "0.1")),
    engines=(("jinja2", "3.1.6", 7, None), ("minijinja", "2", 0, "it is not installed")),
    verified=(("commit", "2 files"), ("tag", "v1")),
)


def config(**changes: Any) -> Config:
    return replace(CONFIG, **changes)


def source(**changes: Any) -> Source:
    return replace(SOURCE, **changes)


def record(**changes: Any) -> Record:
    return replace(RECORD, **changes)


def entry(path: str, content: bytes | None = b"", **changes: Any) -> Entry:
    """A copied file with these bytes; None: one that has none."""
    made = Entry(path, Mode.REGULAR, Origin.COPIED, path)
    if content is not None:
        made = replace(made, size=len(content), sha256=Sha256.of(content), blob=git_blob_id(content))
    return replace(made, **changes)


def tree(entries: Iterable[Entry] = (), **changes: Any) -> Tree:
    """A tree of these entries, in order."""
    ordered = sorted(entries, key=lambda one: one.path.encode("utf-8", "surrogateescape"))
    return replace(Tree(SOURCE, CONFIG, tuple(ordered)), **changes)


class Files:
    """A built tree in memory. Implements `ports.WritesTree`; `chunk` is the size of the pieces it is read in."""

    def __init__(self, files: Mapping[str, bytes] | None = None, chunk: int = 1 << 20) -> None:
        self.held = dict(files or {})
        self._chunk = chunk

    def tree(self, **changes: Any) -> Tree:
        """The tree that these files are."""
        return tree([entry(path, content) for path, content in self.held.items()], **changes)

    def start(self) -> None:
        self.held.clear()

    def write(self, path: RepoPath, chunks: Iterable[bytes], mode: Mode) -> Written:
        content = b"".join(chunks)
        assert path not in self.held, "a file is written once"
        self.held[path] = content
        return Written(len(content), Sha256.of(content), content[:1024])

    def read(self, path: RepoPath) -> bytes:
        return self.held[path]

    def chunks(self, path: RepoPath) -> Iterable[bytes]:
        content = self.held[path]
        return iter([content[at : at + self._chunk] for at in range(0, len(content), self._chunk)])

    def present(self) -> set[str]:
        return set(self.held)


class Kept:
    """State files in memory. Implements `ports.State`."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def save(self, name: str, content: bytes) -> None:
        self.held[name] = content

    def load(self, name: str) -> bytes | None:
        return self.held.get(name)

    def forget(self, name: str) -> None:
        self.held.pop(name, None)
