"""The engines by name. Nothing of an engine is imported here: whether it is installed is looked up, not tried."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import release
from release.errors import UsageError
from release.render.engines.limits import Limits
from release.render.engines.process import ProcessEngine, Program

# What templates are told about the time, unless somebody asks for another: the same prompt on every day.
NOW = "2026-01-02T03:04:05"
_HERE = Path(__file__).parent
_PACKAGE = Path(release.__file__).parent
# Engine → the packages that its process imports.
_PYTHON_ENGINES = {
    "transformers": ("jinja2", "markupsafe"),
    "jinja2": ("jinja2", "markupsafe"),
}
NAMES = tuple(_PYTHON_ENGINES)


def open_engines(
    names: Sequence[str] = NAMES, limits: Limits | None = None, now: str = NOW
) -> tuple[ProcessEngine, ...]:
    """The named engines, in that order, each to be used in a `with`. Raises `UsageError` for a name that is none."""
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageError(
            f"no such engine: {', '.join(map(repr, unknown))}", hint=f"the engines are: {', '.join(NAMES)}"
        )
    return tuple(
        ProcessEngine(python_program(name, _HERE / f"{name}.py", _PYTHON_ENGINES[name], now), limits) for name in names
    )


def python_program(name: str, host: Path, needs: Sequence[str], now: str = NOW) -> Program:
    """The worker around one host file, with the folders of the packages that it needs and no others.

    `-I -S` keeps out the environment, the working directory, the user's and the site's packages; `-B` writes no
    compiled files.
    """
    folders: list[str] = []
    missing = None if sys.executable else "Python does not know its own program"
    for package in needs:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            missing = f"the package {package} is not installed"
            continue
        # A package lies in a folder of its own, a module does not.
        inside = Path(spec.origin).parent
        folders.append(str(inside.parent if spec.submodule_search_locations else inside))
    greeting = {"host": str(host), "package": str(_PACKAGE), "path": list(dict.fromkeys(folders)), "now": now}
    argv = (sys.executable, "-I", "-S", "-B", str(_HERE / "worker.py"))
    return Program(name, argv, greeting, missing=missing)
