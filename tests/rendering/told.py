"""Engines in memory: what they make of each source and conversation is told beforehand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from release.render.expectations import Expectation
from release.render.fixtures import Fixture
from release.values.rendering import Failed, Fault, Rendered

Makes = Callable[[str, Mapping[str, Any]], str | Failed]


@dataclass
class Engine:
    """`makes` is given a source and the variables. What it compiled and rendered is kept, in order."""

    name: str
    makes: Makes = lambda source, variables: source
    unavailable: str | None = None
    version: str = "1"
    unreadable: Mapping[str, Failed] = field(default_factory=dict)
    is_open: bool = False
    compiled: list[str] = field(default_factory=list)
    rendered: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def compile(self, source: str) -> "Template | Failed":
        assert self.is_open
        self.compiled.append(source)
        return self.unreadable.get(source) or Template(self, source)

    def __enter__(self) -> Self:
        self.is_open = True
        return self

    def __exit__(self, *exc: object) -> None:
        self.is_open = False


@dataclass
class Template:
    engine: Engine
    source: str

    def render(self, variables: Mapping[str, object]) -> Rendered | Failed:
        assert self.engine.is_open
        self.engine.rendered.append((self.source, variables))
        made = self.engine.makes(self.source, variables)
        return Rendered(made) if isinstance(made, str) else made


def last_text(source: str, variables: Mapping[str, Any]) -> str:
    """The last message's content: a prompt that depends on the conversation."""
    return f"{source}:{variables['messages'][-1]['content']}"


def fixture(name: str = "one", expected: Expectation | None = None, **more: Any) -> Fixture:
    variables = {"messages": [{"role": "user", "content": "q"}], **more.pop("variables", {})}
    return Fixture(name, "", variables, expected or Expectation(True), **more)


REFUSED = Failed(Fault.RAISED, "no")
UNASKED = Failed(Fault.UNASKED, "media are refused")
