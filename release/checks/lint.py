"""lint: no template holds a construct that an engine cannot read, or reads otherwise than the others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.compose.constructs import CannotRead, find_constructs
from release.compose.sources import files_below
from release.ports import ReadsSource, ReadsTree, SourceItem
from release.render.fixtures import find_package, read_package
from release.render.lint import explain
from release.render.reading import BadFixtures
from release.values import Finding, TemplateRule, Tree


@dataclass(frozen=True)
class Lint:
    """Templates as they are published. What a family promises nowhere (structure.json) is not looked for."""

    source: ReadsSource
    files: ReadsTree
    name: str = "lint"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        if not tree.config.template:
            return
        listing = tuple(self.source.listing(tree.source.tree))
        for rule in tree.config.template:
            path = rule.published(tree.source.tag).alias
            if path in tree.by_path:
                try:
                    text = self.files.read(path).decode("utf-8")
                except UnicodeDecodeError:
                    continue  # the check `render` says so
                # A template that cannot be read, the check `render` tells of, engine by engine.
                found = lint(text, path, self._without(rule, listing))
                yield from (one for one in found if one.rule != "lint/syntax")

    def _without(self, rule: TemplateRule, listing: tuple[SourceItem, ...]) -> frozenset[str]:
        """Engines in which the family promises nothing; none where its package cannot be read."""
        files = files_below(self.source, listing, rule.fixtures or rule.source)
        try:
            folder = find_package(rule, files)
            return frozenset(read_package(files, folder).family.without) if folder is not None else frozenset()
        except BadFixtures:
            return frozenset()


def lint(text: str, path: str, without: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """What is found in one template, named `path`; `without` are engines in which nothing is promised of it."""
    try:
        constructs = find_constructs(text)
    except CannotRead as error:
        yield Finding(
            "lint/syntax", f"Jinja2 cannot read it: {error.reason}", path=path, line=error.line, column=error.column
        )
        return
    for one in constructs:
        yield from explain(path, one.line, one.column, one.rule, one.name, without)
