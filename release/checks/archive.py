"""archive: what was released before is still what its record says, and no record is lost or rewritten."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from release.ports import ReadsSource, Records
from release.values import Finding, Level, Oid, Record, Sha256, Tree
from release.values.notes import archived_digests
from release.values.record import read_records
from release.values.tree import RECORDS

_README = "archive/README.md"


@dataclass(frozen=True)
class Archive:
    """`worktree` are the records of the worktree: only to see whether the newest is in the tag."""

    source: ReadsSource
    worktree: Records
    name: str = "archive"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        for path, why in tree.broken_records:
            yield Finding("archive/bad-record", f"the record cannot be read: {why}", path=path)
        files = self._files(tree.source.tree, "archive/")
        yield from self._archived(tree, files)
        yield from self._grown(tree, files)
        yield from self._newest(tree)

    def _files(self, tree: Oid, folder: str) -> dict[str, bytes]:
        items = [item for item in self.source.listing(tree) if item.path.startswith(folder) and item.is_file]
        blobs = self.source.blobs([item.oid for item in items])
        return {item.path: b"".join(blob.chunks) for item, blob in zip(items, blobs, strict=True)}

    def _archived(self, tree: Tree, files: dict[str, bytes]) -> Iterator[Finding]:
        """Each archived template against the record of its release, else against the archive's own table."""
        recorded = dict(chain.from_iterable(_archived_by(record) for record in tree.records))
        readme = files.get(_README, b"").decode("utf-8", "replace")
        listed = archived_digests(readme)
        for path, content in sorted(files.items()):
            name = path.removeprefix("archive/")
            if not name.endswith(".jinja") or "/" in name:
                continue
            digest = recorded.get(name) or listed.get(name)
            place = "its record" if name in recorded else _README
            if digest is None:
                message = f"neither a record nor {_README} knows its digest: anybody could have changed it"
                yield Finding("archive/unknown", message, path=path)
            elif digest != Sha256.of(content):
                message = f"sha256 {Sha256.of(content)}, but {place} says {digest}"
                yield Finding("archive/changed", message, path=path)
        for name in sorted({*recorded, *listed} - {path.removeprefix("archive/") for path in files}):
            message = f"{'a record' if name in recorded else _README} speaks of it, and it is gone"
            yield Finding("archive/missing", message, path=f"archive/{name}")

    def _grown(self, tree: Tree, files: dict[str, bytes]) -> Iterator[Finding]:
        """What the previous release had recorded must begin every record of this one."""
        previous = tree.previous
        if previous is None:
            return
        for path, content in self._files(previous.source_tree, RECORDS).items():
            if path not in files:
                message = f"{previous.tag} had this record, and {tree.source.tag} has not"
                yield Finding("archive/record-lost", message, path=path)
            elif path.endswith((".json", ".jsonl")) and not files[path].startswith(content):
                message = f"it was rewritten since {previous.tag}: a record may only grow"
                yield Finding("archive/record-changed", message, path=path)

    def _newest(self, tree: Tree) -> Iterator[Finding]:
        """The newest record of the worktree must be in the tag, or the next release would not know of the last one.

        A release that is prepared again looks no further than its own record.
        """
        records, _ = read_records(self.worktree.all())
        own = next((record for record in records if record.tag == tree.source.tag), None)
        earlier = [r for r in records if own is None or (r.committed_at, r.tag) < (own.committed_at, own.tag)]
        known = {(record.tag, record.hub_commit) for record in tree.records}
        if earlier and (earlier[-1].tag, earlier[-1].hub_commit) not in known:
            path = f"{RECORDS}{earlier[-1].tag.file_form}.json"
            message = f"the record of {earlier[-1].tag} is in the worktree, but not in {tree.source.tag}"
            yield Finding("archive/record-not-in-tag", f"{message}: commit it and tag again", Level.ERROR, path)


def _archived_by(record: Record) -> Iterator[tuple[str, Sha256]]:
    """(name in the archive, digest) of each template that this release built."""
    for file in record.files:
        alias = file.path.rpartition("/")[2]
        versioned = f"_{record.tag.file_form}.jinja"
        if file.origin == "built" and alias.endswith(versioned):
            yield f"{alias.removesuffix(versioned)}-{record.tag.file_form}.jinja", file.sha256
