"""The engines by name. Nothing of an engine is imported here: whether it is installed is looked up, not tried.

    transformers jinja2       Jinja2 in two ways: there wherever this package is
    minijinja                 PyPI minijinja
    hf-jinja                  npm @huggingface/jinja, in node
    llama.cpp llama.cpp-bare  PyPI xllamacpp: llama.cpp's server, with the defaults of llama-server and without them
    llama.cpp-raw             PyPI ggufdoctor and wasmtime: llama.cpp's engine without its server
    minja                     PyPI xllamacpp of January 2026, beside that of today: the engine before llama.cpp's own

All PyPI packages but the last are the extra `engines`; `install` fetches the last, the one of npm, and makes machine
code of ggufdoctor's module, so that `llama.cpp-raw` starts at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from release.errors import UsageError
from release.render.engines.limits import Limits
from release.render.engines.places import engines_folder, jinja_package, minja_folder
from release.render.engines.process import ProcessEngine
from release.render.engines.programs import NOW, node_program, python_program

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class _PythonEngine:
    """A host file, the packages that its process imports, and what it is told besides the time.

    `beside` is a folder with packages of its own. `reserves`: it reserves far more address space than it uses, so its
    memory is limited by the host, which is also told where machine code is kept.
    """

    file: str
    needs: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Callable[[], Path] | None = None
    reserves: bool = False


_PYTHON_ENGINES = {
    "transformers": _PythonEngine("transformers.py", ("jinja2", "markupsafe")),
    "jinja2": _PythonEngine("jinja2.py", ("jinja2", "markupsafe")),
    "minijinja": _PythonEngine("minijinja.py", ("minijinja",)),
    "llama.cpp": _PythonEngine("llama_cpp.py", ("xllamacpp",), {"defaults": True}),
    "llama.cpp-bare": _PythonEngine("llama_cpp.py", ("xllamacpp",), {"defaults": False}),
    "llama.cpp-raw": _PythonEngine("llama_cpp_raw.py", ("wasmtime", "ggufdoctor"), reserves=True),
    "minja": _PythonEngine("minja.py", ("xllamacpp",), beside=minja_folder),
}
BUILT_IN = ("transformers", "jinja2")
NAMES = (*BUILT_IN, "minijinja", "hf-jinja", "llama.cpp", "llama.cpp-bare", "llama.cpp-raw", "minja")


def open_engines(
    names: Sequence[str] = BUILT_IN, limits: Limits | None = None, now: str = NOW
) -> tuple[ProcessEngine, ...]:
    """The named engines, in that order, each to be used in a `with`. Raises `UsageError` for a name that is none."""
    if unknown := [name for name in names if name not in NAMES]:
        raise UsageError(
            f"no such engine: {', '.join(map(repr, unknown))}", hint=f"the engines are: {', '.join(NAMES)}"
        )
    return tuple(_engine(name, limits or Limits(), now) for name in names)


def _engine(name: str, limits: Limits, now: str) -> ProcessEngine:
    if name == "hf-jinja":
        return ProcessEngine(node_program(name, _HERE / "node" / "hf_jinja.mjs", jinja_package(), now), limits)
    engine = _PYTHON_ENGINES[name]
    options = dict(engine.options)
    if engine.reserves:
        options |= {"memory": limits.memory, "code": str(engines_folder())}
        limits = replace(limits, memory=None)
    beside = engine.beside() if engine.beside is not None else None
    return ProcessEngine(python_program(name, _HERE / engine.file, engine.needs, now, options, beside), limits)
