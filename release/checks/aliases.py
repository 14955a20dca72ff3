"""aliases: each template's four files are there, agree, and are what the tag builds.

That a twin renders as its template does, the check `render` looks at.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.compose import CannotBuild, NoTwin, build_template, make_twin
from release.compose.sources import template_files
from release.ports import ReadsSource, SourceItem
from release.values import Finding, Sha256, TemplateRule, Tree


@dataclass(frozen=True)
class Aliases:
    """Everything is made again from the tag's own objects; the tree's files are compared by their digests."""

    source: ReadsSource
    name: str = "aliases"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        if not tree.config.template:
            return
        listing = tuple(self.source.listing(tree.source.tree))
        for rule in tree.config.template:
            yield from self._files(tree, rule, listing)

    def _files(self, tree: Tree, rule: TemplateRule, listing: tuple[SourceItem, ...]) -> Iterator[Finding]:
        names = rule.published(tree.source.tag)
        told = names.alias in dict(tree.problems)  # the build says it itself
        try:
            text = build_template(rule, template_files(self.source, listing, rule))
            yield from _pair(tree, names.alias, names.versioned, text)
            yield from _pair(tree, names.oneline, names.versioned_oneline, make_twin(text))
        except NoTwin as none:
            if not told:
                what = f"the template has no one-line twin: {none.reason}"
                yield Finding("aliases/no-twin", what, path=names.alias, line=none.line)
        except CannotBuild as error:
            if not told:
                yield Finding("aliases/not-built", f"the tag does not build it: {error}", path=names.alias)


def _pair(tree: Tree, alias: str, versioned: str, text: str) -> Iterator[Finding]:
    """An alias and its versioned copy, each of which must be exactly this text."""
    wanted = Sha256.of(text.encode("utf-8"))
    entries = {path: tree.by_path.get(path) for path in (alias, versioned)}
    for path, entry in entries.items():
        if entry is None:
            yield Finding("aliases/missing", "the file is missing from the tree", path=path)
        elif entry.sha256 != wanted:
            yield Finding("aliases/not-from-tag", "the file is not what the tag builds", path=path)
    one, other = entries.values()
    if one is not None and other is not None and one.sha256 != other.sha256:
        yield Finding("aliases/differs", f"the file differs from its versioned copy {versioned}", path=alias)
