"""Case and Outcome: a template with what it must pass, and what one engine made of one of its fixtures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from release.render.family import Family
from release.render.fixtures import Fixture
from release.values import Finding
from release.values.rendering import Failed, Fault, Rendered


class Kind(StrEnum):
    """What a template is to the release, which says how it is judged and how much of it is rendered (matrix.py).

    CURRENT: by its fixtures' expectations and its family's structure. TWIN: it must do as the template does whose
    one-line twin it is. ARCHIVED: expectations have changed since; it must be read and rendered, alike in all engines.
    """

    CURRENT = "current"
    TWIN = "twin"
    ARCHIVED = "archived"


@dataclass(frozen=True)
class Case:
    """One template with the fixtures that it must pass.

    `path` names it in findings. `stock` is the text that it was derived from; None: there is none to compare with.
    `others` are the templates that `equals` may name, by name. `twin_of` is the text whose twin this is.
    """

    path: str
    text: str
    fixtures: tuple[Fixture, ...]
    stock: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    family: Family = field(default_factory=Family)
    kind: Kind = Kind.CURRENT
    twin_of: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What one engine made of one fixture, with the template and, where a stock is given, with that."""

    case: Case
    engine: str
    fixture: Fixture
    ours: Rendered | Failed
    stock: Rendered | Failed | None
    findings: tuple[Finding, ...]

    @property
    def not_asked(self) -> str | None:
        """Why the engine was not given the fixture, or its host took no such conversation; None where it was."""
        if isinstance(self.ours, Failed) and self.ours.fault is Fault.UNASKED:
            return self.ours.message
        return None
