"""CheckedTree → Plan: compare with the source's remote and with the Hub, and download nothing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import ClassVar

from release.errors import Conflict, Refused
from release.ports import ReadsHub, ReadsRemote, ReadsSource, ReadsTree
from release.values import (
    Change,
    CheckedTree,
    Entry,
    HubCommit,
    HubFile,
    HubHead,
    Kind,
    Mode,
    Oid,
    Plan,
    RemoteTag,
    RepoPath,
    Source,
    Tree,
)
from release.values.hub import HUB_OWN, differences
from release.values.plan import Storage, guessed_storage, release_id

# How far back a commit of this very release is looked for, where no record says where to stop.
_FAR = 1000
_SAMPLE = 512


@dataclass(frozen=True)
class MakePlan:
    """Reads only: it is given nothing that could write."""

    title: ClassVar[str] = "Comparing with the Hub"

    source: ReadsSource
    remote: ReadsRemote
    hub: ReadsHub
    tree: ReadsTree

    def run(self, given: CheckedTree, /) -> Plan:
        """Raises `Refused` or `Conflict` where the tag's name or place forbids any plan."""
        remote = self._remote_tag(given.tree.source)
        head = self.hub.head()
        if head is None:
            changes = tuple(self._added(entry) for entry in given.tree.entries)
            return Plan(given, self.hub.endpoint, None, changes, remote)
        landed = self._landed(given.tree)
        self._tag_is_free(given.tree, head, landed)
        base = landed.before if landed else head.files
        stored = self._storage(given.tree, base)
        return Plan(
            checked=given,
            endpoint=self.hub.endpoint,
            head=head,
            changes=tuple(_changes(given.tree, base, stored or {})),
            remote=remote,
            base=base,
            drift=_drift(given.tree, head, base),
            landed=landed.commit if landed else None,
            landed_parent=landed.parent if landed else None,
            duplicates=landed.duplicates if landed else (),
            storage_asked=stored is not None,
        )

    def _remote_tag(self, source: Source) -> RemoteTag:
        remotes = self.source.remotes()
        if not remotes:
            return RemoteTag(None, "no remote is configured: the tag was compared with none")
        name, url = next(iter(remotes.items()))
        held = self.remote.tag(url, source.tag)
        if held is None:
            raise Refused(
                f"the remote {name} has no tag {source.tag}: nobody could check this release against it",
                hint=f"git push {name} {source.tag}",
            )
        if held[0] != source.tag_object:
            raise Conflict(
                f"the remote {name} has another {source.tag}: {held[0]} (commit {held[1]}); "
                f"here it is {source.tag_object} (commit {source.commit})"
                + ("; same commit, another tag object" if held[1] == source.commit else ""),
                hint=f"git fetch {name} +{source.tag.ref}:{source.tag.ref}, then look at it and prepare it again",
                facts={"remote": held[0], "local": source.tag_object},
            )
        return RemoteTag(name, f"{name} holds the same tag")

    def _landed(self, tree: Tree) -> "_Landed | None":
        """The oldest commit that names this release and holds exactly its files."""
        wanted = release_id(
            tree.config.repo_type.value, tree.config.repo, tree.source.tag, tree.source.tag_object, tree.dir_hash
        )
        commits = list(self._since(tree.previous.hub_commit if tree.previous else None))
        found: list[_Landed] = []
        for commit, parent in reversed([*pairwise(commits)]):
            if commit.trailers.get("Release-Id") != wanted:
                continue
            before = {file.path: file for file in self.hub.files(parent.oid)}
            gone = _to_be_deleted(tree, before)
            if not differences(tree.entries, self.hub.files(commit.oid), before, gone):
                found.append(_Landed(commit, parent.oid, tuple(before.values())))
        if not found:
            return None
        first = found[0]
        return _Landed(first.commit, first.parent, first.before, tuple(later.commit.oid for later in found[1:]))

    def _since(self, last: Oid | None) -> Iterator[HubCommit]:
        """The branch, newest first, down to the last recorded commit."""
        for commit in islice(self.hub.commits(), _FAR):
            yield commit
            if commit.oid == last:
                return

    def _tag_is_free(self, tree: Tree, head: HubHead, landed: "_Landed | None") -> None:
        refs, tag = self.hub.refs(), tree.source.tag
        if tag in refs.branches:
            raise Refused(
                f"the Hub has a branch named {tag}: whoever asks for {tag} would get the branch",
                hint="tag the release under another name, or delete that branch on the Hub",
            )
        held = refs.tags.get(tag)
        same_files = not differences(tree.entries, head.files, head.by_path, _to_be_deleted(tree, head.by_path))
        if held and held != (landed.commit.oid if landed else head.commit if same_files else None):
            raise Conflict(
                f"the Hub already has a tag {tag}, on {held}, which is not this release",
                hint="a published tag never moves: make a new one",
                facts={"hubTag": held, "releaseCommit": landed.commit.oid if landed else None},
            )

    def _storage(self, tree: Tree, base: Iterable[HubFile]) -> Mapping[str, tuple[Storage, bool]] | None:
        there = {file.path: file for file in base}
        new = [entry for entry in tree.entries if not (entry.path in there and there[entry.path].holds(entry))]
        ignore = tree.by_path.get(".gitignore")
        text = self.tree.read(RepoPath(ignore.path)).decode("utf-8", "replace") if ignore else None
        return self.hub.storage([(entry, self._sample(entry)) for entry in new], text)

    def _sample(self, entry: Entry) -> bytes:
        return next(iter(self.tree.chunks(RepoPath(entry.path))), b"")[:_SAMPLE]

    def _added(self, entry: Entry) -> Change:
        return _change(Kind.ADDED, entry, None, (guessed_storage(entry.path, entry.size), False))


@dataclass(frozen=True)
class _Landed:
    commit: HubCommit
    parent: Oid
    before: tuple[HubFile, ...]
    duplicates: tuple[Oid, ...] = ()


def _to_be_deleted(tree: Tree, before: Mapping[str, HubFile]) -> frozenset[str]:
    """What the last release published and this one does not; what was adopted stays."""
    if tree.previous is None:
        return frozenset()
    return frozenset(file.path for file in tree.previous.files if file.path in before and file.path not in tree.by_path)


def _changes(tree: Tree, base: Iterable[HubFile], stored: Mapping[str, tuple[Storage, bool]]) -> Iterator[Change]:
    there = {file.path: file for file in base if file.path != HUB_OWN}
    gone = _to_be_deleted(tree, there)
    adopted = {file.path for file in tree.previous.adopted} if tree.previous else set()
    for entry in tree.entries:
        file = there.pop(entry.path, None)
        if file is None:
            yield _change(Kind.ADDED, entry, None, stored.get(entry.path))
        elif file.holds(entry):
            storage = Storage.LFS if file.sha256 else Storage.REGULAR
            yield _change(Kind.UNCHANGED, entry, file.size, (storage, False))
        else:
            yield _change(Kind.CHANGED, entry, file.size, stored.get(entry.path))
    for path, file in sorted(there.items()):
        if path in gone:
            kept = any(e.path.startswith("archive/") and file.holds(e) for e in tree.entries)
            yield Change(Kind.DELETED, path, was=file.size, kept_in_archive=kept)
        else:
            kind = Kind.UNCHANGED if path in adopted else Kind.FOREIGN
            yield Change(kind, path, size=file.size, was=file.size)


def _change(kind: Kind, entry: Entry, was: int | None, stored: tuple[Storage, bool] | None) -> Change:
    return Change(
        kind=kind,
        path=entry.path,
        size=entry.size,
        was=was,
        storage=stored[0] if stored else guessed_storage(entry.path, entry.size),
        ignored=stored[1] if stored else False,
        loses_exec=entry.mode is Mode.EXECUTABLE,
    )


def _drift(tree: Tree, head: HubHead, base: Iterable[HubFile]) -> tuple[str, ...]:
    """Where the Hub is not what the last record says."""
    last = tree.previous
    if last is None or last.hub_commit == head.commit:
        return ()
    there = {file.path: file for file in base}
    found = []
    for path, recorded in sorted(last.managed.items()):
        if path not in there:
            found.append(f"{path}: recorded with {last.tag}, and no longer there")
        elif not there[path].holds(recorded):
            found.append(f"{path}: not the bytes that were recorded with {last.tag}")
    found += [f"{path}: in no record" for path in sorted(set(there) - set(last.managed)) if path != HUB_OWN]
    return tuple(found)
