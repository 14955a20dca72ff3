"""@huggingface/jinja in node: what its program adds to the package, and how it ends."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.render.engines.catalogue import open_engines
from release.render.engines.limits import Limits
from release.render.engines.places import LOCK, NODE, jinja_package
from release.render.engines.process import ProcessEngine
from release.render.engines.programs import node_program
from release.values.rendering import Failed, Fault, Rendered

SCRIPT = NODE / "hf_jinja.mjs"
USER = [{"role": "user", "content": "hi"}]


@pytest.fixture(scope="module")
def engine() -> Iterator[ProcessEngine]:
    (one,) = open_engines(["hf-jinja"])
    with one:
        if one.unavailable is not None:
            pytest.skip(f"hf-jinja: {one.unavailable}")
        yield one


def render(engine: ProcessEngine, source: str, **variables: object) -> Rendered | Failed:
    template = engine.compile(source)
    return template if isinstance(template, Failed) else template.render({"messages": USER, **variables})


def test_it_runs_the_version_that_the_lock_file_pins(engine: ProcessEngine) -> None:
    pinned = json.loads(LOCK.read_text())["packages"]["node_modules/@huggingface/jinja"]
    assert engine.version.split(" (node ")[0] == pinned["version"]
    assert pinned["integrity"].startswith("sha512-")
    wanted = json.loads((NODE / "package.json").read_text())["dependencies"]
    assert wanted == {"@huggingface/jinja": pinned["version"]}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ value|tojson }}", '{"z": "<é> & \'\\"", "a": [1, 1.5, true, null]}'),
        ("a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc"),
        ("{{ strftime_now('%d %b %Y') }}", "02 Jan 2026"),
        ("{{ tools is none }} {{ documents is none }} {{ add_generation_prompt }}", "true true false"),
        ("{{ raise_exception is defined }}", "true"),
    ],
)
def test_it_renders_as_transformers_js_does(engine: ProcessEngine, source: str, text: str) -> None:
    value = {"z": "<é> & '\"", "a": [1, 1.5, True, None]}
    assert render(engine, source, value=value) == Rendered(text)


@pytest.mark.parametrize(
    ("source", "said"),
    [("{{ raise_exception() }}", ""), ("{{ raise_exception(3) }}", "3"), ("{{ raise_exception('é\n') }}", "é\n")],
)
def test_a_refusal_keeps_its_text(engine: ProcessEngine, source: str, said: str) -> None:
    assert render(engine, source) == Failed(Fault.RAISED, said)


def test_a_variable_with_the_name_of_a_function_is_an_error(engine: ProcessEngine) -> None:
    said = "Variable already declared: raise_exception"
    assert render(engine, "x", raise_exception=1) == Failed(Fault.RUNTIME, said)


def test_a_number_that_json_does_not_have_cannot_be_asked(engine: ProcessEngine) -> None:
    made = render(engine, "x", number=float("nan"))
    assert isinstance(made, Failed)
    assert made.fault is Fault.UNASKED


@pytest.mark.parametrize(
    "source",
    [
        "{% set ns = namespace(x=[]) %}{% for a in range(9999) %}{% for b in range(9999) %}"
        "{% set ns.x = [ns.x, [a, b]] %}{% endfor %}{% endfor %}",
        "{{ range(30000000)|length }}",
    ],
)
def test_a_heap_that_is_full_ends_the_render(source: str) -> None:
    """Little by little ends the thread, all at once may end node; either is told for what it is."""
    (engine,) = open_engines(["hf-jinja"], Limits(memory=32 << 20))
    with engine:
        if engine.unavailable is not None:
            pytest.skip(f"hf-jinja: {engine.unavailable}")
        made = render(engine, source)
        assert isinstance(made, Failed)
        assert made.fault is Fault.MEMORY
        assert "memory" in made.message or made.message == f"it needed more than {32 << 20} bytes"
        assert render(engine, "x") == Rendered("x")


def test_many_templates_are_more_than_it_keeps_and_all_still_render(engine: ProcessEngine) -> None:
    first = engine.compile("first {{ messages[0].content }}")
    assert [engine.ask({"compile": "x", "key": f"key {n}"}) for n in range(70)] == [{"ok": True}] * 70
    assert engine.ask({"render": "key 0", "variables": {}}) == {"unknown": "key 0"}
    assert not isinstance(first, Failed)
    assert first.render({"messages": USER}) == Rendered("first hi")


def test_a_template_that_never_ends_does_not_outlive_who_asked() -> None:
    """The end of the requests ends the program, whatever its thread does."""
    node = shutil.which("node")
    if node is None or not jinja_package().is_dir():
        pytest.skip("hf-jinja: it is not installed")
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    greeting = {"package": str(jinja_package()), "now": "2026-01-02", "limits": {"memory": None, "characters": 10}}
    requests = [greeting, {"compile": endless, "key": "k"}, {"render": "k", "variables": {}}]
    process = subprocess.Popen([node, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdin.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
        process.stdin.flush()
        assert "version" in json.loads(process.stdout.readline())
        assert json.loads(process.stdout.readline()) == {"ok": True}
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_without_its_package_it_says_how_to_get_it(tmp_path: Path) -> None:
    with ProcessEngine(node_program("hf-jinja", SCRIPT, tmp_path)) as engine:
        said = engine.unavailable or ""
    assert said.startswith("its npm package is not installed: ") or said.startswith("node is not installed")
    if said.startswith("its npm"):
        assert said.endswith("-m release.render.engines.install hf-jinja")


def test_without_node_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with ProcessEngine(node_program("hf-jinja", SCRIPT, tmp_path)) as engine:
        assert engine.unavailable == "node is not installed: it takes node 20 or newer, and npm"


def test_an_old_node_is_refused_by_the_program_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapper stands for an old node: it says another version and runs the same program."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    lies = tmp_path / "lies.cjs"
    lies.write_text("Object.defineProperty(process.versions, 'node', { value: '18.1.0' });\n")
    (tmp_path / "package.json").write_text("{}")
    wrapper = tmp_path / "node"
    wrapper.write_text(f'#!/bin/sh\nexec {node} --require {lies} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with ProcessEngine(node_program("hf-jinja", SCRIPT, tmp_path)) as engine:
        assert engine.unavailable == "it does not start: node 18.1.0 is too old, it takes 20"


def test_a_package_that_is_broken_is_a_reason_too(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    (tmp_path / "package.json").write_text('{"version": "1"}')
    with ProcessEngine(node_program("hf-jinja", SCRIPT, tmp_path)) as engine:
        assert engine.unavailable is not None
        assert "ended with exit code 1" in engine.unavailable
        assert "Cannot find module" in engine.unavailable


def test_a_thread_that_is_killed_with_its_process_is_one_crash(engine: ProcessEngine) -> None:
    template = engine.compile("x")
    assert not isinstance(template, Failed)
    child = engine._child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert template.render({"messages": USER}) == Failed(Fault.CRASH, "its process was killed: Killed")
    assert template.render({"messages": USER}) == Rendered("x")
