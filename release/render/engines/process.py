"""ProcessEngine: a template engine at the other end of two pipes, by the port `release.ports.Engine`."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

from release.ports import CompiledTemplate
from release.render.engines.child import Child, Gone
from release.render.engines.limits import Limits
from release.values.rendering import Failed, Fault, Rendered

# Starting takes a tenth of a second; a machine that is very busy may take its time.
_START_SECONDS = 60.0
_MESSAGE = 2_000


@dataclass(frozen=True)
class Program:
    """What to start, and what to tell it first (worker.py has the whole conversation).

    `path` is the process's PATH. `ascii`: it reads strict UTF-8, so everything else is sent as escapes. `missing` says
    why there is nothing to start; None: there is.
    """

    name: str
    argv: tuple[str, ...]
    greeting: Mapping[str, object]
    path: str = "/usr/bin:/bin"
    ascii: bool = False
    missing: str | None = None


class ProcessEngine:
    """One engine, used in a `with`: its process starts when it is first needed and ends with the block.

    A render that hits a limit, or ends the process, is one `Failed`; the next one gets a fresh process.
    """

    def __init__(self, program: Program, limits: Limits | None = None) -> None:
        self.program = program
        self.limits = limits or Limits()
        self._child: Child | None = None
        self._version = ""
        self._unavailable = program.missing
        self._entered = False

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def version(self) -> str:
        """What runs, as it calls itself; empty where it cannot run."""
        self._know_it()
        return self._version

    @property
    def unavailable(self) -> str | None:
        self._know_it()
        return self._unavailable

    def __enter__(self) -> Self:
        self._entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        if self._child is not None:
            self._child.end()
            self._child = None

    def compile(self, source: str) -> CompiledTemplate | Failed:
        """Compiled once; after its process died, again where it is next needed."""
        template = _Template(self, source)
        return template.load() or template

    def ask(self, request: Mapping[str, object]) -> dict[str, Any] | Failed:
        """One request's answer; `Failed` also where there was none."""
        try:
            if self._child is None:
                self._child = self._start()
            answer = _understood(self._child.ask(self._encoded(request), self.limits.seconds, self._most_bytes()))
            if isinstance(answer, Failed) and answer.fault is Fault.MEMORY:
                # It lives, but what it has left is not what the next template is promised.
                self._drop()
            return answer
        except Gone as gone:
            self._drop()
            return Failed(gone.fault, gone.message)

    def _know_it(self) -> None:
        if not self._version and self._unavailable is None:
            try:
                self._child = self._child or self._start()
            except Gone as gone:
                self._unavailable = f"it does not start: {gone.message}"

    def _start(self) -> Child:
        """A process that has greeted us. Raises `Gone`."""
        if not self._entered:
            raise RuntimeError(f"the engine {self.name} is used outside its `with` block")
        if self._unavailable is not None:
            raise Gone(Fault.CRASH, self._unavailable)
        try:
            child = Child(self.program.argv, self.program.path)
        except OSError as error:
            raise Gone(Fault.CRASH, f"{self.program.argv[0]}: {error.strerror}") from error
        with ExitStack() as unless_it_greets:
            unless_it_greets.callback(child.end)
            greeting = {**self.program.greeting, "limits": asdict(self.limits)}
            answer = _understood(child.ask(self._encoded(greeting), _START_SECONDS, _MESSAGE * 8))
            if isinstance(answer, Failed) or not isinstance(answer.get("version"), str):
                reason = answer.message if isinstance(answer, Failed) else answer.get("unavailable")
                raise Gone(Fault.CRASH, str(reason))
            unless_it_greets.pop_all()
        self._version = answer["version"]
        return child

    def _drop(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def _encoded(self, request: Mapping[str, object]) -> bytes:
        return json.dumps(request, ensure_ascii=self.program.ascii).encode("utf-8", "surrogatepass")

    def _most_bytes(self) -> int:
        # JSON writes a control character in six bytes; the rest of an answer is a few dozen.
        return self.limits.characters * 6 + _MESSAGE * 8


class _Template:
    """One source in one engine, known to the process by its digest."""

    def __init__(self, engine: ProcessEngine, source: str) -> None:
        self.engine = engine
        self.source = source
        self.key = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()

    def load(self) -> Failed | None:
        answer = self.engine.ask({"compile": self.source, "key": self.key})
        return answer if isinstance(answer, Failed) else None

    def render(self, variables: Mapping[str, object]) -> Rendered | Failed:
        request = {"render": self.key, "variables": variables}
        answer = self.engine.ask(request)
        if not isinstance(answer, Failed) and "unknown" in answer:
            # A new process, or one that has seen many templates since.
            answer = self.load() or self.engine.ask(request)
        if isinstance(answer, Failed):
            return answer
        text = answer.get("text")
        return Rendered(text) if isinstance(text, str) else Failed(Fault.CRASH, "an answer without a prompt")


def _understood(line: bytes) -> dict[str, Any] | Failed:
    """An answer, as data from a process that ran somebody's template. Raises `Gone` for what is none."""
    try:
        answer = json.loads(line.decode("utf-8", "surrogatepass"))
        if not isinstance(answer, dict):
            raise ValueError("it is no object")
        if "fault" not in answer:
            return answer
        lines = [answer.get(key) for key in ("line", "column")]
        line_from_one, column = (number if isinstance(number, int) and number > 0 else None for number in lines)
        return Failed(Fault(answer["fault"]), str(answer.get("message", ""))[:_MESSAGE], line_from_one, column)
    except (ValueError, RecursionError) as error:
        raise Gone(Fault.CRASH, f"an answer that cannot be read: {error}") from error
