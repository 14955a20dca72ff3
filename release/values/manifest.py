"""Manifest: the file in which a built tree waits for its publication."""

import json
from dataclasses import dataclass

from release.values.documents import Document
from release.values.names import Oid, RepoPath, Sha256
from release.values.source import Source
from release.values.tree import Entry, Mode, Origin, Tree

SCHEMA = "hf-release/manifest/v1"


@dataclass(frozen=True)
class Manifest:
    """What `prepare` built and from what: enough to see whether tag, config and bytes are still the same."""

    tool: str
    tag: str
    tag_object: Oid
    commit: Oid
    tree: Oid
    config_from: str
    config_sha256: Sha256
    overridden: bool
    dir_hash: Sha256
    entries: tuple[Entry, ...]
    unmatched: tuple[str, ...]

    @classmethod
    def of(cls, tree: Tree, tool: str) -> "Manifest":
        source, config = tree.source, tree.config
        return cls(
            tool,
            source.tag,
            source.tag_object,
            source.commit,
            source.tree,
            config.read_from,
            config.sha256,
            config.overridden,
            tree.dir_hash,
            tree.entries,
            tree.unmatched,
        )

    def to_json(self) -> bytes:
        document = {"schema": SCHEMA, **vars(self), "entries": [vars(entry) for entry in self.entries]}
        return (json.dumps(document, sort_keys=True) + "\n").encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Manifest":
        """Raises `ValueError` for bytes that no version of `to_json` wrote."""
        document = Document.read(content, SCHEMA)
        entries = tuple(_entry(item) for item in document.tables("entries"))
        if len({entry.path for entry in entries}) != len(entries):
            raise ValueError("a path stands twice among its files")
        return cls(
            tool=document.text("tool"),
            tag=document.text("tag"),
            tag_object=Oid(document.text("tag_object")),
            commit=Oid(document.text("commit")),
            tree=Oid(document.text("tree")),
            config_from=document.text("config_from"),
            config_sha256=Sha256(document.text("config_sha256")),
            overridden=document.flag("overridden"),
            dir_hash=Sha256(document.text("dir_hash")),
            entries=entries,
            unmatched=document.texts("unmatched"),
        )

    def moved(self, source: Source) -> str | None:
        """How the tag differs from the one that was prepared; None where it is the same."""
        if (self.tag_object, self.commit) == (source.tag_object, source.commit):
            return None
        before, now = f"{self.tag_object} (commit {self.commit})", f"{source.tag_object} (commit {source.commit})"
        same = "; same tree, different commit" if self.tree == source.tree and self.commit != source.commit else ""
        same = "; same commit, another tag object" if self.commit == source.commit else same
        return f"it was {before} and is now {now}{same}"


def _entry(item: Document) -> Entry:
    return Entry(
        path=RepoPath(item.text("path")),
        mode=Mode(item.text("mode")),
        origin=Origin(item.text("origin")),
        source=item.text("source"),
        size=item.count("size"),
        sha256=Sha256(item.text("sha256")),
        blob=Oid(item.text("blob")),
        pointer=item.flag("pointer"),
    )
