"""aliases: each template's four files are there, agree, and are what the tag builds; its twin renders the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.compose import CannotBuild, NoTwin, build_template, make_twin
from release.compose.sources import files_below, template_files
from release.ports import Engine, ReadsSource, SourceItem
from release.render.fixtures import Fixture, find_package, read_package
from release.render.reading import BadFixtures
from release.render.suite import describe, difference, excerpt
from release.values import Finding, Sha256, TemplateRule, Tree
from release.values.rendering import Failed, Rendered


@dataclass(frozen=True)
class Aliases:
    """Everything is made again from the tag's own objects; the tree's files are compared by their digests."""

    source: ReadsSource
    engines: tuple[Engine, ...]
    name: str = "aliases"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        if not tree.config.template:
            return
        listing = tuple(self.source.listing(tree.source.tree))
        twins: list[_Twin] = []
        for rule in tree.config.template:
            yield from self._files(tree, rule, listing, twins)
        yield from _renders(twins, self.engines)

    def _files(
        self, tree: Tree, rule: TemplateRule, listing: tuple[SourceItem, ...], twins: list["_Twin"]
    ) -> Iterator[Finding]:
        """Compares the rule's files; adds its text and twin to those that are to be rendered."""
        names = rule.published(tree.source.tag)
        told = names.alias in dict(tree.problems)  # the build says it itself
        try:
            text = build_template(rule, template_files(self.source, listing, rule))
            yield from _pair(tree, names.alias, names.versioned, text)
            twin = make_twin(text)
            yield from _pair(tree, names.oneline, names.versioned_oneline, twin)
        except NoTwin as none:
            if not told:
                what = f"the template has no one-line twin: {none.reason}"
                yield Finding("aliases/no-twin", what, path=names.alias, line=none.line)
            return
        except CannotBuild as error:
            if not told:
                yield Finding("aliases/not-built", f"the tag does not build it: {error}", path=names.alias)
            return
        twins.append(_Twin(names.oneline, text, twin, self._fixtures(rule, listing)))

    def _fixtures(self, rule: TemplateRule, listing: tuple[SourceItem, ...]) -> tuple[Fixture, ...]:
        """None for a package that cannot be read: the check `render` says what is wrong with it."""
        files = files_below(self.source, listing, rule.fixtures or rule.source)
        try:
            folder = find_package(rule, files)
            return read_package(files, folder).fixtures if folder is not None else ()
        except BadFixtures:
            return ()


@dataclass(frozen=True)
class _Twin:
    path: str
    text: str
    twin: str
    fixtures: tuple[Fixture, ...]


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


def _renders(twins: list[_Twin], engines: tuple[Engine, ...]) -> Iterator[Finding]:
    for engine in engines:
        with engine:
            if engine.unavailable is None:
                for twin in twins:
                    yield from _rendered_twice(twin, engine)


def _rendered_twice(twin: _Twin, engine: Engine) -> Iterator[Finding]:
    whole, line = engine.compile(twin.text), engine.compile(twin.twin)
    if isinstance(whole, Failed):
        return  # the check `render` says so
    if isinstance(line, Failed):
        what = f"{engine.name} reads the template and not its twin: {describe(line)}"
        yield Finding("aliases/twin-renders", what, path=twin.path)
        return
    for fixture in twin.fixtures:
        if differs := _compared(whole.render(fixture.variables), line.render(fixture.variables)):
            message = f"{engine.name}, fixture {excerpt(fixture.name)}: {differs}"
            yield Finding("aliases/twin-renders", message, path=twin.path)


def _compared(whole: Rendered | Failed, line: Rendered | Failed) -> str | None:
    """How the twin's result differs from the template's; None where it does not. Lines of errors may differ."""
    if isinstance(whole, Rendered):
        if isinstance(line, Failed):
            return f"the template renders and its twin does not: {describe(line)}"
        return difference(line.text, whole.text, "the template's") if line != whole else None
    if isinstance(line, Rendered):
        return f"the twin renders and its template does not: {describe(whole)}"
    same = (whole.fault, whole.message) == (line.fault, line.message)
    return None if same else f"the template fails ({describe(whole)}), its twin otherwise ({describe(line)})"
