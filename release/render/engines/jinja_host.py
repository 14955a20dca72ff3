"""What the Jinja2 engines share: compiling, rendering, and telling what went wrong and on which line."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NoReturn

from jinja2 import Environment, Template, TemplateError, TemplateSyntaxError

from release.render.engines.given import PYTHON_FAULTS
from release.render.engines.host import Broken, Render


class Raised(TemplateError):
    """The template's own refusal, by raise_exception."""


def raise_exception(message: object = None) -> NoReturn:
    raise Raised(None if message is None else str(message))


class JinjaHost:
    """A Host around one Jinja2 environment. `prepare` turns the caller's variables into what templates see."""

    def __init__(
        self, environment: Environment, version: str, prepare: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> None:
        self.environment = environment
        self.version = version
        self.prepare = prepare

    def compile(self, source: str) -> Render:
        """Raises `Broken` with the line of a syntax error, an unknown filter or an unknown tag."""
        try:
            template = self.environment.from_string(source)
        except TemplateSyntaxError as error:
            raise Broken("syntax", error.message or str(error), error.lineno) from error
        except (SyntaxError, RecursionError, ValueError) as error:
            # Python cannot compile what Jinja2 made of it: blocks or expressions nested too deeply.
            raise Broken("syntax", f"{type(error).__name__}: {error}") from error

        def render(variables: Mapping[str, Any]) -> str:
            return self._render(template, variables)

        return render

    def _render(self, template: Template, variables: Mapping[str, Any]) -> str:
        try:
            return template.render(self.prepare(variables))
        except Raised as error:
            raise Broken("raised", error.message or "", _line(error.__traceback__)) from error
        except (TemplateError, *PYTHON_FAULTS) as error:
            raise Broken("runtime", f"{type(error).__name__}: {error}", _line(error.__traceback__)) from error


def _line(traceback: TracebackType | None) -> int | None:
    """The innermost line of the template in a traceback, which Jinja2 has rewritten to template lines."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == "<template>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
