"""Record: what is written down about a release, and read again by the releases after it.

The JSON form is the file `archive/records/NAME.json`. It holds no clock and no host name, so that a record made
again has the same bytes; `committed_at` is the Hub's date of the commit.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

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
        try:
            document = json.loads(content.decode("utf-8"), object_pairs_hook=_no_duplicates)
            if not isinstance(document, dict) or document.get("schema") != SCHEMA:
                raise ValueError(f"the schema is not {SCHEMA!r}")
            return cls._from_document(document)
        except KeyError as missing:
            raise ValueError(f"the key {missing} is missing") from missing
        except (TypeError, AttributeError, RecursionError) as wrong:
            raise ValueError(f"a value has the wrong type: {wrong}") from wrong

    @classmethod
    def _from_document(cls, document: dict) -> "Record":  # type: ignore[type-arg]
        source, hub, release = document["source"], document["hub"], document["release"]
        return cls(
            tag=TagName(source["tag"]),
            tag_object=Oid(source["tagObject"]),
            annotated=bool(source["annotated"]),
            signature=str(source["signature"]),
            source_commit=Oid(source["commit"]),
            source_tree=Oid(source["tree"]),
            endpoint=str(hub["endpoint"]),
            repo=RepoId(hub["repo"]),
            repo_type=RepoType(hub["repoType"]),
            hub_commit=Oid(hub["commit"]),
            hub_parent=Oid(hub["parent"]),
            hub_tag=str(hub["tag"]),
            committed_at=str(hub["committedAt"]),
            release_id=Sha256(release["id"]),
            dir_hash=Sha256(release["dirHash"]),
            message=str(release["message"]),
            config_from=str(document["config"]["from"]),
            config_sha256=Sha256(document["config"]["sha256"]),
            files=tuple(_file(item) for item in document["files"]),
            adopted=tuple(_file(item) for item in document["adopted"]),
            argv=tuple(str(word) for word in document["upload"]["argv"]),
            tools=tuple(sorted((str(k), str(v)) for k, v in document["tools"].items())),
            engines=tuple(
                (str(e["name"]), str(e["version"]), int(e["renders"]), e["notRun"]) for e in document["engines"]
            ),
            verified=tuple(sorted((str(k), str(v)) for k, v in document["verified"].items())),
        )


def _file(item: dict[str, object]) -> RecordedFile:
    return RecordedFile(
        path=str(item["path"]),
        size=int(str(item["size"])),
        sha256=Sha256(str(item["sha256"])),
        blob=Oid(str(item["blob"])),
        origin=str(item["origin"]),
        source=str(item["source"]),
        storage=str(item["storage"]),
    )


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in the same object")
    return dict(pairs)


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
