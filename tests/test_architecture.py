"""The house rules that a machine can keep: who imports whom, how long a file is, one exit code an error."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import release
from release import errors, steps

ROOT = Path(release.__file__).parent
PROJECT = ROOT.parent
FILES = sorted(ROOT.rglob("*.py"))
PURE = {"values", "errors"}
# Room → what it may import inside `release` (ARCHITECTURE.md §3). A room may always import itself, except steps.
ALLOWED = {
    "values": set(),
    "errors": set(),
    "ports": {"values"},
    "config": {*PURE, "ports"},
    "steps": {*PURE, "ports"},
    "checks": {*PURE, "ports", "compose", "render"},
    "compose": {*PURE, "ports"},
    "render": {*PURE, "ports"},
    "pipeline": {*PURE, "ports", "steps"},
    "adapters": {*PURE, "ports"},
    "rehearsal": {*PURE, "ports"},
}
# `build` composes; everything else among the steps knows only values, errors and ports.
STEP_EXTRAS = {"build": {"compose"}}
# Rooms that touch nothing of the world: no third party beyond these, no files, clock or environment.
NO_WORLD = {
    "values": set(),
    "errors": set(),
    "ports": set(),
    "config": set(),
    "steps": set(),
    "checks": {"yaml"},
    "compose": {"jinja2"},
    "render": set(),
    "pipeline": set(),
}
WORLD = {
    "os",
    "io",
    "time",
    "socket",
    "subprocess",
    "shutil",
    "tempfile",
    "pathlib",
    "random",
    "urllib",
    "http",
    "fcntl",
}
LONGEST = 350


def _room(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "release":
                yield from (f"release.{alias.name}" for alias in node.names)


def _of(*rooms: str) -> list[Path]:
    return [file for file in FILES if _room(file) in rooms]


def _is_engine(file: Path) -> bool:
    return "engines" in file.relative_to(ROOT).parts


@pytest.mark.parametrize("file", _of(*ALLOWED), ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_only_what_its_room_may(file: Path) -> None:
    room = _room(file)
    inside = {name.split(".")[1] for name in _imports(file) if name.startswith("release.")}
    may = ALLOWED[room] | {room} | (STEP_EXTRAS.get(file.stem, set()) if room == "steps" else set())
    assert inside - may == {"__version__"} & inside


@pytest.mark.parametrize("room", ["steps", "adapters", "checks"])
def test_no_step_adapter_or_check_knows_another(room: str) -> None:
    """Each may be a file or a folder; what lies in a folder belongs to it alone."""
    known = set()
    for file in _of(room):
        own = file.relative_to(ROOT).parts[1].removesuffix(".py")
        names = {name.split(".")[2] for name in _imports(file) if name.startswith(f"release.{room}.")}
        known |= {(own, name) for name in names - {own}}
    assert known == set()


@pytest.mark.parametrize(
    "file", [file for file in _of(*NO_WORLD) if not _is_engine(file)], ids=lambda file: str(file.relative_to(ROOT))
)
def test_only_adapters_touch_the_world(file: Path) -> None:
    """An engine is an adapter of its own."""
    outside = {name.split(".")[0] for name in _imports(file)} - {"release"}
    third_party = {name for name in outside if name not in _STANDARD} - NO_WORLD[_room(file)]
    assert (third_party, outside & WORLD) == (set(), set())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_file_is_long(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize("file", sorted((PROJECT / "tests").rglob("*.py")), ids=lambda file: file.name)
def test_no_test_patches_or_is_long(file: Path) -> None:
    text = file.read_text()
    patches = re.findall(r"monkeypatch\.setattr|mock\.patch|mocker\.|patch\.object", text)
    if file.name == Path(__file__).name:
        patches = []
    assert (patches, len(text.splitlines()) <= LONGEST) == ([], True)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_is_caught_wholesale(file: Path) -> None:
    handlers = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ExceptHandler)]
    caught = {ast.unparse(handler.type) if handler.type else "everything" for handler in handlers}
    assert caught & {"everything", "Exception", "BaseException"} == set()


def test_each_error_has_an_exit_code_of_its_own() -> None:
    kinds = errors.ReleaseError.__subclasses__()
    direct = [kind for kind in kinds if kind.__module__ == "release.errors"]
    assert sorted(kind.exit_code for kind in direct) == [2, 3, 4, 5, 6, 7]


def test_only_the_command_line_exits() -> None:
    found = {
        str(file.relative_to(ROOT))
        for file in FILES
        if re.search(r"\bsys\.exit\(|\bos\._exit\(|raise SystemExit", file.read_text())
    }
    assert {name for name in found if "engines" not in name} == {"cli.py"}


def test_only_the_step_check_makes_a_checked_tree() -> None:
    makers = {
        file.relative_to(ROOT).as_posix()
        for file in FILES
        if re.search(r"(?<!class )\bCheckedTree\(", file.read_text())
    }
    assert makers == {"steps/check.py"}


def test_the_table_of_contents_of_the_steps_names_every_step() -> None:
    named = re.findall(r"^(\w+)   |(reopen):", steps.__doc__ or "", re.MULTILINE)
    assert {a or b for a, b in named} == {file.stem for file in _of("steps")} - {"__init__"}


@pytest.mark.parametrize(
    "folder", [path.parent for path in ROOT.rglob("__init__.py")], ids=lambda path: str(path.relative_to(PROJECT))
)
def test_a_folder_opens_with_its_table_of_contents(folder: Path) -> None:
    """Every file of the folder is named in the docstring of its `__init__`."""
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    inside = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    missing = {name for name in inside - {"__init__", "__main__"} if not re.search(rf"\b{name}\b", docstring)}
    assert missing == set()


def test_heavy_libraries_are_not_imported_for_help() -> None:
    import subprocess
    import sys

    code = "import sys, release.cli as c; c.run(['--help'], {}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"huggingface_hub", "git", "jinja2", "rich", "yaml", "starlette", "uvicorn", "minijinja", "httpx2"}
    assert heavy & set(done.stderr.split()) == set()


_STANDARD = __import__("sys").stdlib_module_names
