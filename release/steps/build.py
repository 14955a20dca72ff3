"""Source → Tree: lay out what this tag publishes, from git objects alone."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from release.compose import CannotBuild, build_template, make_twin
from release.compose.sources import template_files
from release.errors import UsageError
from release.ports import FetchesPins, ReadsConfig, ReadsSource, SourceItem, State, WritesTree
from release.values import (
    Config,
    Entry,
    Mode,
    Oid,
    Origin,
    Record,
    RepoPath,
    Source,
    TagName,
    Tree,
    git_blob_id,
    path_faults,
)
from release.values.manifest import Manifest
from release.values.record import read_records
from release.values.tree import RECORDS, SUMS, collisions

_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_LIMIT = 1024


@dataclass(frozen=True)
class Build:
    """The same bytes on every machine: blobs by id, sorted, and nothing of this machine or this moment.

    `tool` is the version of this tool, for the manifest.
    """

    title: ClassVar[str] = "Building the publishing tree"

    source: ReadsSource
    config: ReadsConfig
    pins: FetchesPins
    tree: WritesTree
    state: State
    tool: str

    def run(self, given: Source, /) -> Tree:
        """Raises `UsageError` for a config that does not fit the tag, `Unavailable` for a pin that nobody has."""
        config, config_bytes = self.config(given)
        listing = tuple(self.source.listing(given.tree))
        layout = _Layout(config, listing, given.tag)
        made, problems, sources = self._made(given, config, listing)
        pinned = {pin.name: (pin, self.pins.fetch(pin)) for pin in config.upstream if pin.name}
        copied = {name: item for name, item in layout.copies.items() if name not in made and name not in pinned}
        wanted = {*copied, *made, *pinned}
        if SUMS in wanted:
            problems.append((SUMS, "the release writes this file itself: publish nothing under this name"))
            copied.pop(SUMS, None)
        meeting = collisions({SUMS, *wanted})
        self.tree.start()
        entries = list(self._copy(copied, meeting))
        for name, (origin, where, content) in made.items():
            if name not in meeting and name != SUMS:
                entries.append(self._write(name, content, origin, where))
        for name, (pin, content) in pinned.items():
            try:
                published = pin.newline.apply(content)
            except ValueError as wrong:
                problems.append((name, f"{pin.repo}@{pin.revision}:{pin.path}: {wrong}"))
                continue
            if name not in meeting and name != SUMS:
                where = f"{pin.repo}@{pin.revision}:{pin.path}"
                entries.append(self._write(name, published, Origin.PINNED, where))
        entries += [Entry(path, Mode.REGULAR, Origin.BUILT, "") for path in meeting if path not in copied]
        records, broken = self._records(listing)
        tree = Tree(
            source=given,
            config=config,
            entries=_ordered(entries),
            records=records,
            broken_records=broken,
            unmatched=tuple(path for path in layout.unmatched if path not in sources),
            idle=layout.idle,
            problems=tuple(sorted(problems)),
        )
        sums = self._write(SUMS, tree.sums, Origin.SUMS, "")
        tree = replace(tree, entries=_ordered([*entries, sums]))
        self.state.save("config.toml", config_bytes)
        self.state.save("SHA256SUMS", tree.sums)
        if all(entry.has_bytes for entry in tree.entries):
            self.state.save("manifest.json", Manifest.of(tree, self.tool).to_json())
        else:
            self.state.forget("manifest.json")
        return tree

    def _copy(self, copies: Mapping[str, SourceItem], meeting: Mapping[str, str]) -> Iterator[Entry]:
        """Copies, in the order of their paths; what must not be written is listed without bytes."""
        wanted = []
        for name, item in copies.items():
            if not item.is_file or name in meeting or path_faults(name):
                yield Entry(name, item.mode, Origin.COPIED, item.path)
            else:
                wanted.append((RepoPath(name), item))
        for (name, item), blob in zip(wanted, self.source.blobs([item.oid for _, item in wanted]), strict=True):
            hub_id = hashlib.sha1(b"blob %d\0" % blob.size, usedforsecurity=False) if len(item.oid) != 40 else None
            written = self.tree.write(name, _hashed(blob.chunks, hub_id), item.mode)
            yield Entry(
                path=name,
                mode=item.mode,
                origin=Origin.COPIED,
                source=item.path,
                size=written.size,
                sha256=written.sha256,
                blob=Oid(hub_id.hexdigest()) if hub_id else item.oid,
                pointer=written.size < _POINTER_LIMIT and written.start.startswith(_POINTER),
            )

    def _write(self, name: RepoPath, content: bytes, origin: Origin, source: str) -> Entry:
        written = self.tree.write(name, (content,), Mode.REGULAR)
        return Entry(name, Mode.REGULAR, origin, source, written.size, written.sha256, git_blob_id(content))

    def _made(
        self, source: Source, config: Config, listing: tuple[SourceItem, ...]
    ) -> tuple[dict[RepoPath, tuple[Origin, str, bytes]], list[tuple[str, str]], set[str]]:
        """Each template's four files, what could not be made, and the paths of all that templates are made of."""
        made: dict[RepoPath, tuple[Origin, str, bytes]] = {}
        problems: list[tuple[str, str]] = []
        sources: set[str] = set()
        for rule in config.template:
            names = rule.published(source.tag)
            try:
                files = template_files(self.source, listing, rule)
                sources |= files.keys()
                text = build_template(rule, files)
                for name in (names.alias, names.versioned):
                    made[name] = (Origin.BUILT, rule.source, text.encode())
                twin = make_twin(text)
                for name in (names.oneline, names.versioned_oneline):
                    made[name] = (Origin.ONELINE, rule.source, twin.encode())
            except CannotBuild as error:
                problems.append((names.alias, str(error)))
        return made, problems, sources

    def _records(self, listing: tuple[SourceItem, ...]) -> tuple[tuple[Record, ...], tuple[tuple[str, str], ...]]:
        files = [i for i in listing if i.path.startswith(RECORDS) and i.path.endswith(".json") and i.is_file]
        blobs = self.source.blobs([item.oid for item in files])
        return read_records((item.path, b"".join(blob.chunks)) for item, blob in zip(files, blobs, strict=True))


class _Layout:
    """Which path of the tag is published under which name: explicit mappings first, then the allow-list."""

    def __init__(self, config: Config, listing: tuple[SourceItem, ...], tag: TagName) -> None:
        by_path = {item.path: item for item in listing}
        complaints = []
        for index, rule in enumerate(config.file):
            if rule.source not in by_path:
                complaints.append(f"file[{index}].source: the tag holds no file {rule.source!r}")
        for index, template in enumerate(config.template):
            folder = f"{template.source}/"
            if template.source not in by_path and not any(path.startswith(folder) for path in by_path):
                complaints.append(f"template[{index}].source: the tag holds no file or folder {template.source!r}")
        complaints += _names_of_this_tag(config, tag)
        if complaints:
            raise UsageError(
                f"the release configuration in {config.read_from} does not fit the tag",
                hint="correct it and tag again, or name a corrected file with --config-from",
                complaints=complaints,
            )
        matched = {glob: [item for item in listing if glob.matches(item.path)] for glob in config.files}
        self.copies = {item.path: item for items in matched.values() for item in items}
        self.copies |= {rule.name: by_path[rule.source] for rule in config.file}
        self.idle = tuple(glob for glob, items in matched.items() if not items)
        used = {item.path for item in self.copies.values()}
        sources = tuple(template.source for template in config.template)
        self.unmatched = tuple(
            path
            for path in by_path
            if path not in used and path not in sources and not path.startswith(tuple(f"{s}/" for s in sources))
        )


def _names_of_this_tag(config: Config, tag: TagName) -> Iterator[str]:
    """Why the names that hold the tag's cannot be published."""
    taken = {rule.name for rule in config.file} | {pin.name for pin in config.upstream}
    taken |= {RepoPath(f"{rule.name}{ending}") for rule in config.template for ending in (".jinja", "_oneline.txt")}
    for index, template in enumerate(config.template):
        try:
            names = template.published(tag)
        except ValueError as wrong:
            yield f"template[{index}].name: with {tag} in it, {template.name!r} cannot be published: {wrong}"
            continue
        for name in (names.versioned, names.versioned_oneline):
            if name in taken:
                yield f"template[{index}].name: {name!r} is published by another rule as well"
            taken.add(name)


def _hashed(chunks: Iterable[bytes], digest: "hashlib._Hash | None") -> Iterable[bytes]:
    if digest is None:
        return chunks
    return _through(chunks, digest)


def _through(chunks: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk


def _ordered(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.path.encode("utf-8", "surrogateescape")))
