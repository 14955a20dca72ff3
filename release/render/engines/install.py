"""Fetch what pip does not bring, for the engines that need it: `python -m release.render.engines.install [ENGINE ...]`.

    hf-jinja        npm ci with the lock file beside the engine, no scripts: its digests are checked
    llama.cpp-raw   nothing is fetched; machine code is made of the module, so that the engine starts at once
    minja           pip install of one old release of xllamacpp into a folder of its own, wheels only

Without names all three. It is the only part of the
engines that reaches the network, and no template ever reaches it. What is there already is left alone; what is made
appears when it is whole.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from release.errors import Unavailable, UsageError
from release.render.engines.places import LOCK, MINJA, NODE, engines_folder, jinja_folder, minja_folder


def install(engine: str) -> Path:
    """Where the engine finds what it needs. Raises `UsageError` for another name, `Unavailable` where it fails."""
    if engine not in _INSTALLS:
        raise UsageError(
            f"there is nothing to install for {engine!r}", hint=f"these engines need it: {', '.join(_INSTALLS)}"
        )
    return _INSTALLS[engine]()


def _jinja() -> Path:
    return _filled(jinja_folder(), _fetch_jinja)


def _minja() -> Path:
    return _filled(minja_folder(), _fetch_minja)


def _raw() -> Path:
    try:
        from release.render.engines.llama_cpp_raw import make_code

        engines_folder().mkdir(parents=True, exist_ok=True)
        return make_code(engines_folder())
    except ImportError as error:
        raise Unavailable(f"it cannot be imported: {error}", hint="pip install 'hf-release[engines]'") from error


def _filled(target: Path, fetch: Callable[[Path], None]) -> Path:
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetching-") as place:
            made = Path(place, target.name)
            made.mkdir()
            fetch(made)
            _appear(made, target)
    return target


def _appear(made: Path, target: Path) -> None:
    try:
        made.rename(target)
    except OSError:
        # Somebody else was first. What is named for its content is the same.
        if not target.is_dir():
            raise


def _fetch_jinja(place: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed", hint="install node 20 or newer, with npm")
    for file in (NODE / "package.json", LOCK):
        shutil.copy(file, place)
    _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(place)])


def _fetch_minja(place: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    _run([*pip, "--no-deps", "--only-binary", ":all:", "--target", str(place), f"xllamacpp=={MINJA}"])


def _run(argv: Sequence[str]) -> None:
    # No token is anybody's business there, and constraints are about this project's own packages, not an old one.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HF_") and name != "PIP_CONSTRAINT"
    }
    done = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment
    )
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        raise Unavailable(f"{argv[0]} failed: {lines[-1] if lines else 'it says nothing'}", hint=" ".join(argv))


_INSTALLS = {"hf-jinja": _jinja, "llama.cpp-raw": _raw, "minja": _minja}


def main(engines: Sequence[str]) -> int:
    """Exit code 0 where all is there, else that of the first thing that went wrong; the others are still done."""
    code = 0
    for engine in engines or _INSTALLS:
        try:
            sys.stdout.write(f"{engine}: {install(engine)}\n")
        except (Unavailable, UsageError) as error:
            sys.stderr.write(f"{engine}: {error.message}\n  {error.hint}\n")
            code = code or error.exit_code
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
