"""CannotBuild and NoTwin: why a template, or its one-line twin, could not be made."""

from release.errors import Refused

MEND_THE_SOURCE = "mend the template's source, commit it and tag again"


class CannotBuild(Refused):
    """A template that could not be made.

    `reason` is the complaint alone; `path` and `line` (from 1) say where it stands, as far as that is known.
    """

    def __init__(
        self, reason: str, *, path: str | None = None, line: int | None = None, hint: str = MEND_THE_SOURCE
    ) -> None:
        place = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(
            f"{place}: {reason}" if place else reason, hint=hint, facts={"path": path, "line": line, "reason": reason}
        )
        self.reason = reason
        self.path = path
        self.line = line


class NoTwin(CannotBuild):
    """A template without a one-line twin that means the same everywhere."""
