"""Jinja2 as transformers 5.24.0 sets it up in utils/chat_template_utils.py, and messages as it hands them over.

An immutable sandbox (no append, no update), trim_blocks and lstrip_blocks, loop controls, `{% generation %}`, a
`tojson` that is json.dumps, `raise_exception`, `strftime_now`. Before a template sees them, apply_chat_template drops
a message's keys that hold None and gives its reasoning under the names that templates look for.
"""

from collections.abc import Mapping
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from release.render.engines.given import VARIABLES, clock, tojson
from release.render.engines.jinja_host import JinjaHost, raise_exception

AS_IN = "5.24.0"
# In the order in which a message's reasoning is looked for.
_REASONING = ("reasoning_content", "thinking", "reasoning")


def host(now: str) -> JinjaHost:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = clock(now)
    environment.globals["dict"] = _Dict()
    environment.globals["namespace"] = _Namespace
    return JinjaHost(environment, f"{AS_IN} (Jinja2 {jinja2.__version__})", _prepare)


class _Generation(Extension):
    """`{% generation %}`: marks the assistant's own tokens for training, and prints what stands in it."""

    tags = {"generation"}  # noqa: RUF012 - Jinja2 reads a plain set here

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_print"), [], [], body).set_lineno(line)

    def _print(self, caller: Macro) -> str:
        return str(caller())


class _Dict:
    """`dict(...)` without the class that it makes instances of."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Namespace(Namespace):
    """A namespace that takes no name with an underscore in front."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        # No name of our own, so that a template may say namespace(self=...).
        values = dict(*args[1:], **kwargs)
        for name in values:
            _check_name(name)
        Namespace.__init__(args[0], values)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace takes no attribute that begins with an underscore, such as {name!r}")


def _prepare(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    messages = variables.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise TypeError("transformers takes a list of messages, each of them a mapping")
    return {**VARIABLES, **variables, "messages": [_message(message) for message in messages]}


def _message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    given = {key: value for key, value in message.items() if value is not None}
    for name in _REASONING:
        if name in given:
            return {"thinking": given[name], **given, "reasoning_content": given[name]}
    return given
