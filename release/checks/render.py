"""render: each template can be read by each engine, and renders its fixtures as they expect it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.compose.sources import files_below
from release.errors import Refused
from release.ports import Engine, FetchesPins, ReadsSource, ReadsTree, SourceItem
from release.render.fixtures import Package, find_package, read_package
from release.render.reading import BadFixtures
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun, Finding, Level, RepoPath, TemplateRule, Tree


@dataclass(frozen=True)
class Render:
    """Templates as they are published (`files`), fixtures as the tag holds them (`source`), stock as it is pinned."""

    source: ReadsSource
    files: ReadsTree
    pins: FetchesPins
    engines: tuple[Engine, ...]
    name: str = "render"

    def __call__(self, tree: Tree, /) -> Iterable[Finding | EngineRun]:
        """Raises `Unavailable` where a stock text is needed and nobody has it."""
        if not tree.config.template:
            yield Finding("render/none", "files only: no template is declared", Level.NOTE)
            return
        listing = tuple(self.source.listing(tree.source.tree))
        cases: list[Case] = []
        for rule in tree.config.template:
            yield from self._prepare(tree, rule, listing, cases)
        ran = False
        for made in run_suite(cases, self.engines):
            if isinstance(made, Outcome):
                yield from made.findings
            else:
                ran = ran or (isinstance(made, EngineRun) and made.not_run is None)
                yield made
        if not ran:
            yield Finding("render/no-engine", "no engine ran: nothing was compiled or rendered", Level.WARNING)

    def _prepare(
        self, tree: Tree, rule: TemplateRule, listing: tuple[SourceItem, ...], cases: list[Case]
    ) -> Iterator[Finding]:
        """Adds the rule's case, with as much of its fixtures and stock as can be used; yields what cannot."""
        path = RepoPath(f"{rule.name}.jinja")
        if path not in tree.by_path:
            if path not in dict(tree.problems):  # the build says it itself
                yield Finding("render/not-built", "the template was not built", path=path)
            return
        try:
            text = self.files.read(path).decode("utf-8")
        except UnicodeDecodeError as error:
            yield Finding("render/not-utf8", f"the template is not UTF-8: {error.reason}", path=path)
            return
        package = Package(())
        try:
            files = files_below(self.source, listing, rule.fixtures or rule.source)
            folder = find_package(rule, files)
            if folder is None:
                what = "the template has no fixtures: engines read it, and nothing is known of what it prints"
                yield Finding("render/no-fixtures", what, Level.WARNING, path)
            else:
                package = read_package(files, folder)
        except BadFixtures as bad:
            yield from bad.findings
        stock = self._stock(tree, package.stock) if package.stock is not None else None
        if isinstance(stock, Finding):
            yield stock
            stock = None
        cases.append(Case(path, text, package.fixtures, stock))

    def _stock(self, tree: Tree, named: str) -> str | Finding:
        """The pinned text of the upstream file with this path, published name, or REPO:PATH."""
        pins = tree.config.upstream
        found = [pin for pin in pins if named in (pin.name, pin.path, f"{pin.repo}:{pin.path}")]
        if len(found) != 1:
            known = ", ".join(f"{pin.repo}:{pin.path}" for pin in found or pins) or "none"
            how = "several" if found else "no"
            return Finding("render/stock", f"{how} [[upstream]] entries are called {named!r} (there are: {known})")
        try:
            return self.pins.fetch(found[0]).decode("utf-8")
        except Refused as refused:
            return Finding("render/stock", f"the stock text cannot be had: {refused.message}")
        except UnicodeDecodeError as error:
            return Finding("render/stock", f"the stock text {named!r} is not UTF-8: {error.reason}")
