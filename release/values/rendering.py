"""Rendered and Failed: what one engine made of one template and one conversation."""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """SYNTAX: the engine cannot read the template. RAISED: the template itself refused, by raise_exception.

    RUNTIME: the engine stopped it. TIMEOUT, MEMORY: our limits did. CRASH: the engine's process died. UNASKED: the
    host around the engine takes no such conversation, or the engine no such text, so the template was not asked.
    """

    SYNTAX = "syntax"
    RAISED = "raised"
    RUNTIME = "runtime"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"
    UNASKED = "unasked"


@dataclass(frozen=True)
class Rendered:
    """The prompt."""

    text: str


@dataclass(frozen=True)
class Failed:
    """No prompt, and why. `line` and `column` are the template's, from 1, where the engine tells."""

    fault: Fault
    message: str
    line: int | None = None
    column: int | None = None
