"""Finding and CheckedTree: what the checks said of a tree, and a tree that they let pass."""

from dataclasses import dataclass
from enum import StrEnum

from release.values.tree import Tree


class Level(StrEnum):
    """ERROR stops the release; WARNING and NOTE are shown and recorded."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, order=True)
class Finding:
    """One complaint. `rule` is `check/what` ("names/case-collision"); `line` and `column` count from 1."""

    rule: str
    message: str
    level: Level = Level.ERROR
    path: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class EngineRun:
    """What one template engine did: `renders` fixtures rendered, or why it did not run."""

    name: str
    version: str
    renders: int
    not_run: str | None = None


@dataclass(frozen=True)
class CheckedTree:
    """A tree without an error among its findings. Only the step `check` makes one."""

    tree: Tree
    findings: tuple[Finding, ...]
    engines: tuple[EngineRun, ...]
    tools: tuple[tuple[str, str], ...]
