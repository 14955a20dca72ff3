"""Source → Tree: the one that `prepare` built, found again and hashed again."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Conflict, Refused
from release.ports import ReadsConfig, ReadsSource, ReadsTree, SourceItem, State
from release.values import Origin, RepoPath, Source, Tree
from release.values.manifest import Manifest
from release.values.record import read_records
from release.values.tree import RECORDS, SUMS


@dataclass(frozen=True)
class Reopen:
    """Nothing that lies in the workspace is believed: the tag may have moved, and the bytes may have changed."""

    title: ClassVar[str] = "Reading the prepared tree"

    source: ReadsSource
    config: ReadsConfig
    tree: ReadsTree
    state: State

    def run(self, given: Source, /) -> Tree:
        """Raises `Refused` where nothing usable was prepared, `Conflict` where the tag or the bytes changed since."""
        manifest = self._manifest(given)
        if moved := manifest.moved(given):
            raise Conflict(
                f"{given.tag} moved after it was prepared: {moved}",
                hint="a published tag never moves: make a new one; or, if nothing was published, prepare it again",
                facts={"prepared": manifest.tag_object, "now": given.tag_object},
            )
        config, _ = self.config(given)
        if config.sha256 != manifest.config_sha256:
            raise _altered(given, ["config.toml: it is not the configuration that was prepared"])
        listing = tuple(self.source.listing(given.tree))
        files = [i for i in listing if i.path.startswith(RECORDS) and i.path.endswith(".json") and i.is_file]
        blobs = self.source.blobs([item.oid for item in files])
        records, broken = read_records(
            (item.path, b"".join(blob.chunks)) for item, blob in zip(files, blobs, strict=True)
        )
        tree = Tree(given, config, manifest.entries, records, broken, manifest.unmatched)
        complaints = [*self._differences(tree), *_not_of_the_tag(tree, listing)]
        sums = tree.by_path.get(SUMS)
        if tree.dir_hash != manifest.dir_hash or sums is None or sums.sha256 != tree.dir_hash:
            complaints.append("manifest.json: its digests do not add up")
        if complaints:
            raise _altered(given, complaints)
        return tree

    def _manifest(self, given: Source) -> Manifest:
        content = self.state.load("manifest.json")
        hint = f"release prepare {given.tag}"
        if content is None:
            raise Refused(f"{given.tag} is not prepared", hint=hint)
        try:
            return Manifest.from_json(content)
        except ValueError as wrong:
            raise Refused(f"what was prepared for {given.tag} cannot be read: {wrong}", hint=hint) from wrong

    def _differences(self, tree: Tree) -> list[str]:
        wanted = set(tree.by_path)
        present = self.tree.present()
        found = [f"{path}: it is gone" for path in sorted(wanted - present)]
        found += [f"{path}: it was not built" for path in sorted(present - wanted)]
        found += [
            f"{path}: its bytes are not those that were built"
            for path in sorted(wanted & present)
            if self._digest(path) != tree.by_path[path].sha256
        ]
        return found

    def _digest(self, path: str) -> str:
        digest = hashlib.sha256()
        for chunk in self.tree.chunks(RepoPath(path)):
            digest.update(chunk)
        return digest.hexdigest()


def _not_of_the_tag(tree: Tree, listing: Iterable[SourceItem]) -> Iterator[str]:
    """Copies that the manifest, changed together with the tree, says to be what they are not."""
    blobs = {item.path: item.oid for item in listing}
    for entry in tree.entries:
        # In a SHA-256 repository the tag's ids are not those of the Hub.
        if entry.origin is Origin.COPIED and len(tree.source.commit) == 40 and blobs.get(entry.source) != entry.blob:
            yield f"{entry.path}: the tag holds other bytes under {entry.source!r}"


def _altered(given: Source, complaints: list[str]) -> Conflict:
    return Conflict(
        f"the prepared tree of {given.tag} was changed after it was checked",
        hint=f"release prepare {given.tag}",
        complaints=complaints,
    )
