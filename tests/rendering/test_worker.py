"""The child's side, seen from inside: what it answers, what it keeps, and the limits that it puts on itself."""

import io
import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import release
from release.errors import UsageError
from release.render.engines import worker
from release.render.engines.catalogue import NAMES, open_engines
from release.render.engines.host import Broken, Render
from release.render.engines.programs import python_program

LIMITS = {"cpu_seconds": 1_000_000, "file_bytes": 1 << 20, "memory": None, "characters": 10}


class Echo:
    """Renders its variables' `text`, once it is compiled; `broken` is no template."""

    version = "1"

    def compile(self, source: str) -> Render:
        if source == "broken":
            raise Broken("syntax", "no", 2)

        def render(variables: Mapping[str, Any]) -> str:
            if source == "large":
                raise MemoryError
            return str(variables["text"])

        return render


def answers(*requests: object) -> list[object]:
    lines = io.BytesIO(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
    told = io.BytesIO()
    worker.serve(Echo(), lines, told, LIMITS)
    return [json.loads(line) for line in told.getvalue().split(b"\n")[:-1]]


def test_every_request_has_one_answer() -> None:
    assert answers(
        {"compile": "ok", "key": "a"},
        {"compile": "ok", "key": "a"},
        {"render": "a", "variables": {"text": "hé"}},
        {"render": "b", "variables": {}},
        {"render": "a", "variables": {"text": "x" * 11}},
    ) == [
        {"ok": True},
        {"ok": True},
        {"text": "hé"},
        {"unknown": "b"},
        {"fault": "memory", "message": "the prompt has 11 characters, more than 10"},
    ]


def test_a_failure_is_an_answer_with_its_place() -> None:
    assert answers(
        {"compile": "broken", "key": "a"},
        {"compile": "large", "key": "b"},
        {"render": "b", "variables": {}},
    ) == [
        {"fault": "syntax", "message": "no", "line": 2, "column": None},
        {"ok": True},
        {"fault": "memory", "message": "it needed more than None bytes"},
    ]


def test_the_templates_used_last_are_kept() -> None:
    compiles = [{"compile": "ok", "key": str(n)} for n in range(64)]
    renders = [{"render": key, "variables": {"text": "x"}} for key in ("0", "1")]
    told = answers(*compiles, renders[0], {"compile": "ok", "key": "new"}, *renders)
    assert told[64:] == [{"text": "x"}, {"ok": True}, {"text": "x"}, {"unknown": "1"}]


def test_limits_are_put_on_the_process_where_the_system_has_them() -> None:
    told: dict[int, tuple[int, int]] = {}

    def refuses_memory(kind: int, most: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")
        told[kind] = most

    worker.confine(LIMITS | {"memory": 1 << 30}, refuses_memory)
    assert told == {resource.RLIMIT_CORE: (0, 0), resource.RLIMIT_FSIZE: (1 << 20, 1 << 20)}
    worker.confine(LIMITS | {"memory": 1 << 30}, told.__setitem__)
    assert told[resource.RLIMIT_AS] == (1 << 30, 1 << 30)


def test_processor_time_is_allowed_for_one_request_at_a_time() -> None:
    told: dict[int, tuple[int, int]] = {}
    worker.allow_time(10, told.__setitem__)
    soft, hard = told[resource.RLIMIT_CPU]
    assert soft >= 11
    assert hard == resource.getrlimit(resource.RLIMIT_CPU)[1]


@pytest.mark.parametrize(
    ("host", "said"),
    [("hosts/odd.py", {"version": "odd 1"}), ("hosts/needy.py", {"unavailable": "it cannot be imported: No module"})],
)
def test_the_program_greets_on_plain_pipes_and_ends_with_them(host: str, said: dict[str, str]) -> None:
    greeting = {
        "host": str(Path(__file__).parent / host),
        "package": str(Path(release.__file__).parent),
        "path": [],
        "now": "2026-01-02",
        "limits": LIMITS,
        "options": {},
    }
    done = subprocess.run(
        [sys.executable, "-P", worker.__file__],
        input=json.dumps(greeting).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert {key: str(value)[: len(said.get(key, ""))] for key, value in answer.items()} == said


def test_an_engine_that_nobody_knows_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        open_engines(["jinja2", "mustache"])
    assert "'mustache'" in caught.value.message
    assert all(name in caught.value.hint for name in NAMES)


def test_a_package_that_is_not_installed_is_named_without_trying() -> None:
    program = python_program("x", Path("x.py"), ("jinja2", "no_such_package", "typing_extensions"))
    assert program.missing == "the package no_such_package is not installed: pip install 'hf-release[engines]'"


def test_only_the_folders_of_the_named_packages_are_searched() -> None:
    import jinja2
    import typing_extensions

    program = python_program("x", Path("x.py"), ("jinja2", "typing_extensions"))
    folders = {str(Path(jinja2.__file__).parents[1]), str(Path(typing_extensions.__file__).parent)}
    assert set(program.greeting["path"]) == folders  # type: ignore[call-overload]
    assert program.missing is None


def test_what_an_engine_is_told_besides_the_time_comes_with_the_greeting(tmp_path: Path) -> None:
    program = python_program("x", Path("x.py"), (), options={"defaults": True}, beside=tmp_path)
    assert (program.greeting["options"], program.greeting["path"]) == ({"defaults": True}, [])
    assert python_program("x", Path("x.py"), ()).greeting["options"] == {}
    (tmp_path / "other").mkdir()
    assert python_program("x", Path("x.py"), ("other",), beside=tmp_path).greeting["path"] == [str(tmp_path)]
    assert "install x" in str(python_program("x", Path("x.py"), ("missing",), beside=tmp_path).missing)
