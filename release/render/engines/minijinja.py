"""minijinja as servers written in Rust set it up for chat templates (ENGINES.md §2).

trim_blocks and lstrip_blocks, Python's methods on texts, lists and mappings (`pycompat`), nothing escaped,
`raise_exception`, `strftime_now`, and transformers' `tojson` instead of its own, which escapes HTML. It has no
`{% generation %}` and no `append`. An unknown filter is found when it is used. Its texts are Unicode: a lone surrogate
cannot be asked. The text of raise_exception comes without a line.
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, NoReturn

from minijinja import Environment, TemplateError  # type: ignore[import-not-found,unused-ignore]

from release.render.engines.given import PYTHON_FAULTS, VARIABLES, clock, encoded, tojson
from release.render.engines.host import Broken, Render

_NAME = "template"


class _Raised(Exception):
    """The template's own refusal; minijinja lets it pass through as it is."""


class Minijinja:
    def __init__(self, now: str) -> None:
        self.version = version("minijinja")
        self.clock = clock(now)

    def compile(self, source: str) -> Render:
        environment = Environment(
            trim_blocks=True,
            lstrip_blocks=True,
            pycompat=True,
            auto_escape_callback=lambda name: False,
            filters={"tojson": tojson},
            globals={"raise_exception": _raise_exception, "strftime_now": self.clock},
        )
        encoded(source)
        try:
            environment.add_template(_NAME, source)
        except TemplateError as error:
            raise _broken("syntax", error, source) from error

        def render(variables: Mapping[str, Any]) -> str:
            given = {**VARIABLES, **variables}
            encoded(given)
            try:
                return str(environment.render_template(_NAME, **given))
            except _Raised as error:
                raise Broken("raised", str(error)) from error
            except TemplateError as error:
                raise _broken("runtime", error, source) from error
            except PYTHON_FAULTS as error:
                raise Broken("runtime", f"{type(error).__name__}: {error}") from error

        return render


def host(now: str) -> Minijinja:
    return Minijinja(now)


def _raise_exception(message: object = None) -> NoReturn:
    raise _Raised("" if message is None else str(message))


def _broken(fault: str, error: TemplateError, source: str) -> Broken:
    """The error with its line, and its column where minijinja knows the bytes that it is about."""
    column = None
    if error.range is not None:
        before = source.encode("utf-8")[: error.range[0]].decode("utf-8", "ignore")
        column = len(before) - (before.rfind("\n") + 1) + 1
    return Broken(fault, f"{error.kind}: {error.detail or error.message}", error.line, column)
