"""whitespace: what changed since the last release is clean, as `git diff --check` means it.

patterns    a pattern of .gitattributes → an expression over paths
attributes  .gitattributes of the tag → the rules for a path
patch       a patch → the lines it adds
rules       a line → what is wrong with it
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from release.checks.whitespace.attributes import Attributes, Rules
from release.checks.whitespace.patch import ChangedFile, changed_files
from release.checks.whitespace.rules import blank_lines_at_end, complaint, may_be_wrong, number_of_lines
from release.ports import ReadsSource, ReadsTree
from release.values import Entry, Finding, Level, Oid, Origin, RepoPath, Tree

_TEXT_SAMPLE = 8000
_LARGEST = 16 << 20


@dataclass(frozen=True)
class Whitespace:
    """Attributes come from the tag, never from the worktree; without an earlier release all complaints are warnings."""

    source: ReadsSource
    files: ReadsTree
    name: str = "whitespace"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        attributes = self._attributes(tree.source.tree)
        if tree.previous is None:
            for entry in tree.entries:
                yield from self._whole_file(entry, attributes.rules(entry.source), Level.WARNING)
            return
        for changed in changed_files(self.source.diff(tree.previous.source_tree, tree.source.tree)):
            yield from self._changed(changed, attributes.rules(changed.path))

    def _attributes(self, tree: Oid) -> Attributes:
        listing = self.source.listing(tree)
        found = [item for item in listing if item.is_file and item.path.rpartition("/")[2] == ".gitattributes"]
        blobs = self.source.blobs([item.oid for item in found])
        return Attributes({item.path: b"".join(blob.chunks) for item, blob in zip(found, blobs, strict=True)})

    def _whole_file(self, entry: Entry, rules: Rules, level: Level) -> Iterator[Finding]:
        """All lines of a published copy: what a comparison with nothing adds."""
        if not entry.has_bytes or entry.origin is not Origin.COPIED or entry.size > _LARGEST:
            return
        if rules.contradict:
            yield _contradiction(entry.source, level)
        content = self.files.read(RepoPath(entry.path))
        if _is_binary(content, rules) or not may_be_wrong(content, rules):
            return
        lines = content.split(b"\n")
        if not lines[-1]:
            lines.pop()
        yield from _findings(entry.source, enumerate(lines, 1), rules, level)
        yield from _end_of_file(entry.source, b"", content, rules, level)

    def _changed(self, changed: ChangedFile, rules: Rules) -> Iterator[Finding]:
        if changed.is_link:
            # For git a link's target is text, whatever `diff` says of the path.
            rules = replace(rules, is_binary=None)
        if rules.contradict:
            yield _contradiction(changed.path, Level.ERROR)
        content = self.source.object(changed.oid)[1]
        if _is_binary(content, rules):
            return
        yield from _findings(changed.path, changed.lines, rules, Level.ERROR)
        before = self.source.object(changed.old)[1] if changed.old and rules.blank_at_eof else b""
        yield from _end_of_file(changed.path, before, content, rules, Level.ERROR)


def _is_binary(content: bytes, rules: Rules) -> bool:
    return rules.is_binary if rules.is_binary is not None else b"\0" in content[:_TEXT_SAMPLE]


def _contradiction(path: str, level: Level) -> Finding:
    message = "its attributes ask for tab-in-indent and indent-with-non-tab, and git refuses to check both"
    return Finding("whitespace/contradiction", message, level, path)


def _findings(path: str, lines: Iterable[tuple[int, bytes]], rules: Rules, level: Level) -> Iterator[Finding]:
    for number, line in lines:
        for rule, message in complaint(line, rules):
            yield Finding(f"whitespace/{rule}", message, level, path, number)


def _end_of_file(path: str, before: bytes, after: bytes, rules: Rules, level: Level) -> Iterator[Finding]:
    added = blank_lines_at_end(after)
    if rules.blank_at_eof and added > blank_lines_at_end(before):
        line = number_of_lines(after) - added + 1
        yield Finding("whitespace/blank-at-eof", "new blank line at the end of the file", level, path, line)
