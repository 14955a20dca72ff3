"""render: each template renders its fixtures as they expect it, alike in each engine; so do its twin and its archive.

cases   the templates of a configuration, with their fixtures, as the suite takes them
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from release.checks.render.cases import Templates
from release.ports import Engine, FetchesPins, ReadsSource, ReadsTree
from release.render.hosts import ENGINES
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun, Finding, Level, RepoPath, Tree


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
        told = {path for path, _ in tree.problems}
        published: dict[str, str] = {}
        yield from self._published(tree, published)
        cases: list[Case] = []
        listing = tuple(self.source.listing(tree.source.tree))
        templates = Templates(self.source, listing, self.pins, tree.config, tree.source.tag)
        for made in templates.cases(published):
            if isinstance(made, Case):
                cases.append(made)
            elif made.rule != "render/not-built" or made.path not in told:  # the build says it itself
                yield made
        ran: dict[str, EngineRun] = {}
        for one in run_suite(cases, self.engines):
            if isinstance(one, Outcome):
                yield from one.findings
                continue
            if isinstance(one, EngineRun):
                ran[one.name] = one
            yield one
        yield from missing_engines(tree.config.engines, ran)

    def _published(self, tree: Tree, texts: dict[str, str]) -> Iterator[Finding]:
        """Fills in the texts of the tree's templates by path; yields what is no text."""
        for path in (entry.path for entry in tree.entries):
            if path.endswith((".jinja", "_oneline.txt")):
                try:
                    texts[path] = self.files.read(RepoPath(path)).decode("utf-8")
                except UnicodeDecodeError as error:
                    yield Finding("render/not-utf8", f"the template is not UTF-8: {error.reason}", path=path)


def missing_engines(required: Iterable[str], ran: Mapping[str, EngineRun]) -> Iterator[Finding]:
    """What keeps a run from being one for a release: a required engine that nobody knows, or that did not run."""
    for name in required:
        if name not in ENGINES:
            known = ", ".join(ENGINES)
            yield Finding(
                "render/unknown-engine", f"the configuration requires the engine {name!r} (there are: {known})"
            )
        elif name not in ran or ran[name].not_run is not None:
            why = (ran[name].not_run if name in ran else None) or "it was left out"
            yield Finding(
                "render/required-engine", f"the engine {name} is required for a release and did not run: {why}"
            )
    if not any(run.not_run is None for run in ran.values()):
        yield Finding("render/no-engine", "no engine ran: nothing was compiled or rendered", Level.WARNING)
