"""Verified → Record: tag it on the Hub, and write down both ids in the worktree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Mismatch
from release.ports import Journal, ReadsHub, ReadsTree, Records, WritesHub
from release.values import HubFile, Record, RecordedFile, RepoPath, Verified
from release.values.notes import release_notes, with_row
from release.values.plan import Storage
from release.values.tree import RECORDS

_README = RepoPath("archive/README.md")


@dataclass(frozen=True)
class Recorded:
    """The record, and every path of the worktree that was written or stood there already."""

    record: Record
    paths: tuple[RepoPath, ...]


@dataclass(frozen=True)
class WriteRecord:
    """Writes into the worktree and commits nothing: whoever releases decides when."""

    title: ClassVar[str] = "Recording"

    hub: ReadsHub
    makes: WritesHub
    tree: ReadsTree
    records: Records
    journal: Journal

    def run(self, given: Verified, /) -> Recorded:
        """Raises `Mismatch` where the Hub's tag is elsewhere, or a record of this tag says something else."""
        self._tag(given)
        record = _record(given)
        name = record.tag.file_form
        files = {
            RepoPath(f"{RECORDS}{name}.json"): record.to_json(),
            RepoPath(f"{RECORDS}{name}.md"): release_notes(record).encode(),
        }
        self._not_another(RepoPath(f"{RECORDS}{name}.json"), record)
        files |= self._archive(given, record)
        self.journal.note("records", paths=sorted(files))
        for path, content in files.items():
            self.records.write(path, content)
        self.journal.note("recorded", commit=record.hub_commit)
        return Recorded(record, tuple(sorted(files)))

    def _tag(self, verified: Verified) -> None:
        tag, commit = verified.upload.plan.checked.tree.source.tag, verified.upload.commit
        held = verified.tag_at
        if held is None:
            self.journal.note("tags", tag=tag, commit=commit)
            self.makes.create_tag(tag, commit)
            # "It exists" is also the answer when it exists elsewhere (HUB.md §1.2): look at it.
            held = self.hub.refs().tags.get(tag)
        if held != commit:
            raise Mismatch(
                f"the Hub's tag {tag} is on {held}, not on {commit}",
                hint="another writer made it meanwhile: look at the Hub; the release is there, but not recorded",
                facts={"hubTag": held, "commit": commit},
            )

    def _not_another(self, path: RepoPath, record: Record) -> None:
        content = self.records.read(path)
        if content is None or content == record.to_json():
            return
        try:
            before = Record.from_json(content)
        except ValueError as wrong:
            raise Mismatch(
                f"{path} stands there and cannot be read: {wrong}", hint="move it away and run again"
            ) from wrong
        if (before.hub_commit, before.dir_hash) != (record.hub_commit, record.dir_hash):
            raise Mismatch(
                f"{path} records Hub commit {before.hub_commit}, but this release is {record.hub_commit}",
                hint="a record is never overwritten: compare both, and keep the true one",
            )

    def _archive(self, verified: Verified, record: Record) -> Mapping[RepoPath, bytes]:
        """Each template under its version, and its row in the archive's table."""
        tree = verified.upload.plan.checked.tree
        files: dict[RepoPath, bytes] = {}
        readme = self.records.read(_README)
        text = readme.decode("utf-8") if readme is not None else None
        for rule in tree.config.template:
            base = rule.name.rpartition("/")[2]
            entry = tree.by_path[rule.published(record.tag).alias]
            name = f"{base}-{record.tag.file_form}.jinja"
            files[RepoPath(f"archive/{name}")] = self.tree.read(RepoPath(entry.path))
            row = {"file": name, "version": record.tag, "sha256": str(entry.sha256), "Hub commit": record.hub_commit}
            text = with_row(text, row)
        if text is not None and files:
            files[_README] = text.encode()
        return files


def _record(verified: Verified) -> Record:
    upload = verified.upload
    plan, tree = upload.plan, upload.plan.checked.tree
    source, config = tree.source, tree.config
    by_path = {file.path: file for file in verified.files}
    return Record(
        tag=source.tag,
        tag_object=source.tag_object,
        annotated=source.annotated,
        signature=source.signature.state.value,
        source_commit=source.commit,
        source_tree=source.tree,
        endpoint=plan.endpoint,
        repo=config.repo,
        repo_type=config.repo_type,
        hub_commit=upload.commit,
        hub_parent=upload.parent,
        hub_tag=source.tag,
        committed_at=upload.committed_at,
        release_id=plan.release_id,
        dir_hash=tree.dir_hash,
        message=plan.message,
        config_from=config.read_from,
        config_sha256=config.sha256,
        files=tuple(
            RecordedFile(e.path, e.size, e.sha256, e.blob, e.origin.value, e.source, _storage(by_path[e.path]))
            for e in tree.entries
            if e.sha256 and e.blob
        ),
        adopted=tuple(
            RecordedFile(file.path, file.size, sha256, file.blob, "adopted", "", _storage(file))
            for file, sha256 in verified.adopted
        ),
        argv=upload.argv,
        tools=plan.checked.tools,
        engines=tuple((run.name, run.version, run.renders, run.not_run) for run in plan.checked.engines),
        verified=(
            ("commit", f"{len(verified.files)} files by path, size and id at {upload.commit}"),
            ("readBack", f"{len(verified.read_back)} files, {verified.read_bytes} bytes, by sha256"),
            ("readWith", "no token" if verified.anonymous else "a token: the repository is private"),
            ("tag", f"{source.tag} on {upload.commit}"),
        ),
    )


def _storage(file: HubFile) -> str:
    return (Storage.LFS if file.sha256 else Storage.REGULAR).value
