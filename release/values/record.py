"""Record: what is written down about a release, and read again by the releases after it.

The JSON form is the file `archive/records/NAME.json`. It holds no clock and no host name, so that a record made
again has the same bytes; `committed_at` is the Hub's date of the commit.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from release.values.documents import Document
from release.values.names import Oid, RepoId, Sha256, TagName
from release.values.settings import RepoType

SCHEMA = "hf-release/record/v1"


@dataclass(frozen=True)
class RecordedFile:
    """One published file: `size` in bytes, `blob` the git id of its bytes, `storage` as the Hub kept it (regular, lfs).

    `origin` and `source` say how it came to be, as in `Entry`; an adopted file has the origin "adopted".
    """

    path: str
    size: int
    sha256: Sha256
    blob: Oid
    origin: str
    source: str
    storage: str


@dataclass(frozen=True)
class Record:
    """One release: both ids, every file, what made it and how it was verified.

    `files` are sorted by path and hold all that was published, SHA256SUMS included; `adopted` are files of the Hub
    that this release found and keeps.
    """

    tag: TagName
    tag_object: Oid
    annotated: bool
    signature: str
    source_commit: Oid
    source_tree: Oid
    endpoint: str
    repo: RepoId
    repo_type: RepoType
    hub_commit: Oid
    hub_parent: Oid
    hub_tag: str
    committed_at: str
    release_id: Sha256
    dir_hash: Sha256
    message: str
    config_from: str
    config_sha256: Sha256
    files: tuple[RecordedFile, ...]
    adopted: tuple[RecordedFile, ...]
    argv: tuple[str, ...]
    tools: tuple[tuple[str, str], ...]
    engines: tuple[tuple[str, str, int, str | None], ...]
    verified: tuple[tuple[str, str], ...]

    @property
    def managed(self) -> dict[str, RecordedFile]:
        """What this release answers for on the Hub, by path."""
        return {file.path: file for file in (*self.files, *self.adopted)}

    def to_json(self) -> bytes:
        """The record's file: sorted keys, two spaces, one newline at the end."""
        document = {
            "schema": SCHEMA,
            "source": {
                "tag": self.tag,
                "tagObject": self.tag_object,
                "annotated": self.annotated,
                "signature": self.signature,
                "commit": self.source_commit,
                "tree": self.source_tree,
            },
            "hub": {
                "endpoint": self.endpoint,
                "repo": self.repo,
                "repoType": self.repo_type.value,
                "commit": self.hub_commit,
                "parent": self.hub_parent,
                "tag": self.hub_tag,
                "committedAt": self.committed_at,
            },
            "release": {"id": self.release_id, "dirHash": self.dir_hash, "message": self.message},
            "config": {"from": self.config_from, "sha256": self.config_sha256},
            "files": [vars(file) for file in self.files],
            "adopted": [vars(file) for file in self.adopted],
            "upload": {"argv": list(self.argv)},
            "tools": dict(self.tools),
            "engines": [
                {"name": name, "version": version, "renders": renders, "notRun": why}
                for name, version, renders, why in self.engines
            ],
            "verified": dict(self.verified),
        }
        return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Record":
        """The record in these bytes. Raises `ValueError` with what is wrong, whatever is wrong."""
        document = Document.read(content, SCHEMA)
        source, hub, release = document.table("source"), document.table("hub"), document.table("release")
        config, upload = document.table("config"), document.table("upload")
        files = tuple(_file(item) for item in document.tables("files"))
        adopted = tuple(_file(item) for item in document.tables("adopted"))
        paths = [file.path for file in (*files, *adopted)]
        if len(set(paths)) != len(paths):
            raise ValueError("a path stands twice among its files")
        return cls(
            tag=TagName(source.text("tag")),
            tag_object=Oid(source.text("tagObject")),
            annotated=source.flag("annotated"),
            signature=source.text("signature"),
            source_commit=Oid(source.text("commit")),
            source_tree=Oid(source.text("tree")),
            endpoint=hub.text("endpoint"),
            repo=RepoId(hub.text("repo")),
            repo_type=RepoType(hub.text("repoType")),
            hub_commit=Oid(hub.text("commit")),
            hub_parent=Oid(hub.text("parent")),
            hub_tag=hub.text("tag"),
            committed_at=hub.text("committedAt"),
            release_id=Sha256(release.text("id")),
            dir_hash=Sha256(release.text("dirHash")),
            message=release.text("message"),
            config_from=config.text("from"),
            config_sha256=Sha256(config.text("sha256")),
            files=files,
            adopted=adopted,
            argv=upload.texts("argv"),
            tools=document.pairs("tools"),
            engines=tuple(_engine(item) for item in document.tables("engines")),
            verified=document.pairs("verified"),
        )


def _file(item: Document) -> RecordedFile:
    return RecordedFile(
        path=item.text("path"),
        size=item.count("size"),
        sha256=Sha256(item.text("sha256")),
        blob=Oid(item.text("blob")),
        origin=item.text("origin"),
        source=item.text("source"),
        storage=item.text("storage"),
    )


def _engine(item: Document) -> tuple[str, str, int, str | None]:
    return item.text("name"), item.text("version"), item.count("renders"), item.text_or_none("notRun")


def read_records(files: Iterable[tuple[str, bytes]]) -> tuple[tuple[Record, ...], tuple[tuple[str, str], ...]]:
    """The records in (path, bytes) pairs, oldest first, and (path, reason) for each that cannot be read.

    A record must stand under the name of its own tag.
    """
    records, broken = [], []
    for path, content in files:
        try:
            record = Record.from_json(content)
            if path.rpartition("/")[2] != f"{record.tag.file_form}.json":
                raise ValueError(f"it is the record of {record.tag}, under another name")
            records.append(record)
        except ValueError as wrong:
            broken.append((path, str(wrong)))
    return tuple(sorted(records, key=lambda record: (record.committed_at, record.tag))), tuple(broken)
