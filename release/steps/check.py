"""Tree → CheckedTree: hear every check out, then stop or go on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Refused
from release.ports import Check, State
from release.values import CheckedTree, EngineRun, Finding, Level, Tree
from release.values.documents import Document

FINDINGS = "findings.json"
_SCHEMA = "hf-release/findings/v1"


@dataclass(frozen=True)
class CheckTree:
    """The only maker of a CheckedTree. `tools` are the versions that end up in the record."""

    title: ClassVar[str] = "Checking the tree"

    checks: tuple[Check, ...]
    state: State
    tools: tuple[tuple[str, str], ...]

    def run(self, given: Tree, /) -> CheckedTree:
        """Raises `ChecksFailed` with all findings where one is an error."""
        said = [*_of_the_build(given), *(one for check in self.checks for one in check(given))]
        findings = tuple(sorted((one for one in said if isinstance(one, Finding)), key=_order))
        engines = tuple(one for one in said if isinstance(one, EngineRun))
        self.state.save(FINDINGS, _to_json(given, findings, engines, self.tools))
        if any(finding.level is Level.ERROR for finding in findings):
            self.state.forget("manifest.json")
            raise ChecksFailed(given, findings)
        return CheckedTree(given, findings, engines, self.tools)


@dataclass(frozen=True)
class Recall:
    """The CheckedTree of a tree that was checked before, from what the checks said then."""

    title: ClassVar[str] = "Reading what the checks said"

    state: State

    def run(self, given: Tree, /) -> CheckedTree:
        """Raises `Refused` where no checks passed for exactly this tree."""
        content = self.state.load(FINDINGS)
        try:
            document = Document.read(content or b"{}", _SCHEMA)
            if document.text("dirHash") != given.dir_hash:
                raise ValueError("they are not about this tree")
            findings = tuple(_finding(item) for item in document.tables("findings"))
            engines = tuple(_engine(item) for item in document.tables("engines"))
            tools = document.pairs("tools")
        except ValueError as wrong:
            raise Refused(
                f"the findings about {given.source.tag} cannot be used: {wrong}",
                hint=f"release prepare {given.source.tag}",
            ) from wrong
        if any(finding.level is Level.ERROR for finding in findings):
            raise ChecksFailed(given, findings)
        return CheckedTree(given, findings, engines, tools)


class ChecksFailed(Refused):
    """At least one check found an error. All `findings` come along, warnings too."""

    def __init__(self, tree: Tree, findings: tuple[Finding, ...]) -> None:
        errors = sum(finding.level is Level.ERROR for finding in findings)
        super().__init__(
            f"{tree.source.tag} does not pass its checks: {errors} error{'s' if errors != 1 else ''}",
            hint="mend what is named, commit it and tag again",
            facts={"findings": [vars(finding) for finding in findings]},
        )
        self.findings = findings


def _of_the_build(tree: Tree) -> Iterator[Finding]:
    for path, why in tree.problems:
        yield Finding("build/failed", why, Level.ERROR, path)
    for rule in tree.idle:
        yield Finding("build/idle-rule", f"the pattern {rule!r} matches no file of the tag", Level.WARNING)


def _order(finding: Finding) -> tuple[int, str, str, int]:
    levels = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}
    return levels[finding.level], finding.rule, finding.path or "", finding.line or 0


def _finding(item: Document) -> Finding:
    return Finding(
        rule=item.text("rule"),
        message=item.text("message"),
        level=Level(item.text("level")),
        path=item.text_or_none("path"),
        line=item.count_or_none("line"),
        column=item.count_or_none("column"),
    )


def _engine(item: Document) -> EngineRun:
    return EngineRun(item.text("name"), item.text("version"), item.count("renders"), item.text_or_none("not_run"))


def _to_json(
    tree: Tree,
    findings: tuple[Finding, ...],
    engines: tuple[EngineRun, ...],
    tools: tuple[tuple[str, str], ...],
) -> bytes:
    document = {
        "schema": _SCHEMA,
        "tag": tree.source.tag,
        "dirHash": tree.dir_hash,
        "findings": [vars(finding) for finding in findings],
        "engines": [vars(engine) for engine in engines],
        "tools": dict(tools),
    }
    return (json.dumps(document, indent=1) + "\n").encode()
