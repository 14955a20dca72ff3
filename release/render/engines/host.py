"""What a file of this folder gives the worker. Imported in the child only, so it imports next to nothing."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Broken(Exception):
    """No prompt. `fault` is a value of `release.values.rendering.Fault`; `line` and `column` are the template's."""

    def __init__(self, fault: str, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
        self.line = line
        self.column = column


Render = Callable[[Mapping[str, Any]], str]


class Host(Protocol):
    """One engine, in the child. A module that the worker loads has a function `host(now, **options)` that makes one.

    `now` is what templates are told about the time, in ISO 8601, so that a prompt can be the same twice. The options
    are the catalogue's: in what an engine differs from another one with the same file. A host that cannot be had raises
    `ImportError`.
    """

    @property
    def version(self) -> str: ...

    def compile(self, source: str) -> Render:
        """A function from variables to the prompt. Both raise `Broken`, and nothing else by a template's doing."""
