"""What to start for an engine: Python with a host file, or node with a program of its own; and why there is nothing.

A package is looked up where it would be imported from, not imported: nothing heavy happens before an engine is used.
"""

import importlib.util
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import release
from release.render.engines.places import install_command
from release.render.engines.process import Program

# What templates are told about the time, unless somebody asks for another: the same prompt on every day.
NOW = "2026-01-02T03:04:05"
_HERE = Path(__file__).parent
_PACKAGE = Path(release.__file__).parent
# Who brings a package that is not one of this project's own.
_EXTRA = "pip install 'hf-release[engines]'"


def python_program(
    name: str,
    host: Path,
    needs: Sequence[str],
    now: str = NOW,
    options: Mapping[str, Any] | None = None,
    beside: Path | None = None,
) -> Program:
    """The worker around one host file, with the folders of the packages that it needs and no others.

    `-I -S` keeps out the environment, the working directory, the user's and the site's packages; `-B` writes no
    compiled files. `beside` is the folder of the packages, where they do not lie among this Python's own.
    """
    folders: list[str] = []
    missing = None if sys.executable else "Python does not know its own program"
    for package in needs:
        if beside is not None:
            folder: Path | None = beside if (beside / package).is_dir() else None
            mend = install_command(name)
        else:
            folder, mend = _folder_of(package), _EXTRA
        if folder is None:
            missing = f"the package {package} is not installed: {mend}"
        else:
            folders.append(str(folder))
    greeting = {
        "host": str(host),
        "package": str(_PACKAGE),
        "path": list(dict.fromkeys(folders)),
        "now": now,
        "options": dict(options or {}),
    }
    argv = (sys.executable, "-I", "-S", "-B", str(_HERE / "worker.py"))
    return Program(name, argv, greeting, missing=missing)


def node_program(name: str, script: Path, package: Path, now: str = NOW) -> Program:
    """A script that takes the same requests, with the folder of the npm package that it imports.

    By way of a shell, since node cannot forgo by itself the image of its memory that it leaves where it is killed.
    """
    node = shutil.which("node")
    missing = None
    if not (package / "package.json").is_file():
        missing = f"its npm package is not installed: {install_command(name)}"
    if node is None:
        missing = "node is not installed: it takes node 20 or newer, and npm"
    greeting = {"package": str(package), "now": now}
    argv = ("/bin/sh", "-c", 'ulimit -c 0; exec "$0" "$1"', node or "node", str(script))
    return Program(name, argv, greeting, ascii=True, missing=missing)


def _folder_of(package: str) -> Path | None:
    """Where Python would look for it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    # A package lies in a folder of its own, a module does not.
    inside = Path(spec.origin).parent
    return inside.parent if spec.submodule_search_locations else inside
