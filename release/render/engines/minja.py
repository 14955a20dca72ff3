"""minja, the template engine that llama.cpp's server had until January 2026, by xllamacpp 0.2.9.

For servers that have not moved on; their defaults, so a conversation that ends with the assistant is continued, and
nothing is preserved. llama_server.py tells the rest. The package lies in a folder of its own, since the same package
of today is another engine. What it cannot read, or use for its own samples, it replaces by a template of its own and
says so in its log alone: that is a failure here. To a template that it takes for one without tools it hands calls and
results over as texts of other roles. It looks filters up when they are used.
"""

import re

import xllamacpp  # type: ignore[import-not-found,import-untyped,unused-ignore]

from release.render.engines.host import Broken
from release.render.engines.llama_server import LlamaServers

# The first place is the innermost.
_PLACE = re.compile(r" at row (\d+), column (\d+):\n")
_CANNOT_READ = "failed to parse chat template (defaulting to chatml): "
_CANNOT_USE = "Failed to generate tool call example: "
# It points at the end of a call.
_RAISED = re.compile(r"\braise_exception\s*\([^()]*\)?\s*$")


def host(now: str) -> LlamaServers:
    """`now` is not used: the server reads the machine's clock."""
    return LlamaServers(f"xllamacpp {xllamacpp.__version__}", {}, _from_log, _from_answer)


def _from_log(log: str, source: str) -> Broken:
    for opening in (_CANNOT_READ, _CANNOT_USE):
        _, found, said = log.partition(opening)
        if found:
            return _explained(said, source, "syntax" if opening is _CANNOT_READ else "runtime")
    return Broken("crash", f"the server does not start: {' '.join(log.split())}")


def _from_answer(message: str, source: str) -> Broken:
    return _explained(message, source, "runtime") if _PLACE.search(message) else Broken("unasked", message)


def _explained(message: str, source: str, fault: str) -> Broken:
    """The words in front of the innermost place. Raised is what happens at the end of a call of raise_exception."""
    place = _PLACE.search(message)
    if place is None:
        return Broken(fault, message.strip())
    line, column = int(place[1]), int(place[2])
    if message.startswith("std::bad_alloc"):
        return Broken("memory", "it needed more memory than it may have", line, column)
    before = source.split("\n")[line - 1 : line]
    raised = before and _RAISED.search(before[0][: column - 1])
    return Broken("raised" if raised else fault, message[: place.start()], line, column)
