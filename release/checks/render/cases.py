"""The templates of a configuration with their fixtures: what the suite is given, for a tag and for a folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from release.compose import CannotBuild, NoTwin, build_template, make_twin
from release.compose.sources import files_below, template_files
from release.errors import Refused
from release.ports import FetchesPins, ReadsSource, SourceItem
from release.render.cases import Case, Kind
from release.render.expectations import STOCK_NAME
from release.render.fixtures import Package, find_package, read_package
from release.render.reading import BadFixtures
from release.values import Config, Finding, Level, TagName, TemplateRule, UpstreamPin


@dataclass(frozen=True)
class Templates:
    """A configuration's templates: sources and fixtures come from `source`, whose paths `listing` holds."""

    source: ReadsSource
    listing: Sequence[SourceItem]
    pins: FetchesPins
    config: Config
    tag: TagName

    def built(self) -> Iterator[tuple[str, str] | Finding]:
        """(published path, text) of each template and its twin, made from the sources; a Finding for what cannot be.

        A check reads the published files instead: they are what leaves.
        """
        for rule in self.config.template:
            names = rule.published(self.tag)
            try:
                text = build_template(rule, template_files(self.source, self.listing, rule))
                yield names.alias, text
                yield names.oneline, make_twin(text)
            except NoTwin as none:
                yield Finding(
                    "render/no-twin", f"it has no one-line twin: {none.reason}", path=names.alias, line=none.line
                )
            except CannotBuild as error:
                yield Finding("render/not-built", error.reason, path=error.path, line=error.line)

    def cases(self, published: Mapping[str, str]) -> Iterator[Case | Finding]:
        """The templates among these texts by path, with as much of their fixtures and stock as can be used.

        First each template and its twin, then the archived versions of all. Raises `Unavailable` where a stock text is
        needed and nobody has it.
        """
        current: list[tuple[TemplateRule, Case]] = []
        for rule in self.config.template:
            names = rule.published(self.tag)
            if names.alias not in published:
                yield Finding("render/not-built", "the template was not built", path=names.alias)
                continue
            made = [*self._current(rule, names.alias, published)]
            yield from made
            for case in made:
                if isinstance(case, Case):
                    current.append((rule, case))
                    if names.oneline in published:
                        text = published[names.oneline]
                        yield Case(
                            names.oneline,
                            text,
                            case.fixtures,
                            family=case.family,
                            kind=Kind.TWIN,
                            twin_of=case.text,
                        )
        for rule, case in current:
            for path in sorted(published):
                if _is_archived(path, rule):
                    yield Case(path, published[path], case.fixtures, family=case.family, kind=Kind.ARCHIVED)

    def _current(self, rule: TemplateRule, path: str, published: Mapping[str, str]) -> Iterator[Case | Finding]:
        package = Package(())
        try:
            files = files_below(self.source, self.listing, rule.fixtures or rule.source)
            folder = find_package(rule, files)
            if folder is None:
                what = "the template has no fixtures: engines read it, and nothing is known of what it prints"
                yield Finding("render/no-fixtures", what, Level.WARNING, path)
            else:
                package = read_package(files, folder)
        except BadFixtures as bad:
            yield from bad.findings
        stock = self._stock(package.stock) if package.stock is not None else None
        if isinstance(stock, Finding):
            yield stock
            stock = None
        others: dict[str, str] = {}
        for name in _named(package):
            other = self._other(name, rule, published)
            if isinstance(other, Finding):
                yield other
            else:
                others[name] = other
        yield Case(path, published[path], package.fixtures, stock, others, package.family)

    def _stock(self, named: str) -> str | Finding:
        """The pinned text of the upstream file with this path, published name, or REPO:PATH."""
        found = self._upstream(named)
        if len(found) != 1:
            known = ", ".join(f"{pin.repo}:{pin.path}" for pin in found or self.config.upstream) or "none"
            how = "several" if found else "no"
            return Finding("render/stock", f"{how} [[upstream]] entries are called {named!r} (there are: {known})")
        return self._pinned(found[0], named)

    def _upstream(self, named: str) -> list[UpstreamPin]:
        pins = self.config.upstream
        return [pin for pin in pins if named in (pin.name, pin.path, f"{pin.repo}:{pin.path}")]

    def _pinned(self, pin: UpstreamPin, named: str) -> str | Finding:
        try:
            return self.pins.fetch(pin).decode("utf-8")
        except Refused as refused:
            return Finding("render/stock", f"the stock text cannot be had: {refused.message}")
        except UnicodeDecodeError as error:
            return Finding("render/stock", f"the stock text {named!r} is not UTF-8: {error.reason}")

    def _other(self, named: str, rule: TemplateRule, published: Mapping[str, str]) -> str | Finding:
        """The template that `equals` names: another one of the configuration by its published name or its folder, one
        of [[upstream]], or a version of the template's own build.toml.
        """
        for other in self.config.template:
            text = published.get(f"{other.name}.jinja")
            if text is not None and named in (other.name, other.source, other.source.rpartition("/")[2]):
                return text
        if found := self._upstream(named):
            return self._pinned(found[0], named)
        try:
            return build_template(rule, template_files(self.source, self.listing, rule), named)
        except CannotBuild as error:
            known = ", ".join(other.name for other in self.config.template)
            what = f"'equals' names {named!r}, which is neither a template ({known}) nor an [[upstream]] entry"
            return Finding("render/equals", f"{what}, nor can it be built as a version: {error.reason}")


def _is_archived(path: str, rule: TemplateRule) -> bool:
    """Whether a released version of the template lies at this path (archive/NAME-TAG.jinja)."""
    folder, _, name = path.rpartition("/")
    return folder == "archive" and name.startswith(f"{rule.name.rpartition('/')[2]}-") and name.endswith(".jinja")


def _named(package: Package) -> list[str]:
    """The templates that the package's expectations name, but stock."""
    names: dict[str, None] = {}
    for fixture in package.fixtures:
        for expected in (fixture.expected, *(own for own, _ in fixture.allowances.per_engine.values())):
            names |= dict.fromkeys(expected.equals)
    return [name for name in names if name != STOCK_NAME]
