"""minijinja, and llama.cpp's engine without its server: what they render, byte for byte, and what they tell."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from release.render.engines.catalogue import open_engines
from release.render.engines.limits import Limits
from release.render.engines.process import ProcessEngine
from release.values.rendering import Failed, Fault, Rendered

VALUE = {"z": "<é> & '\"", "a": [1, 1.5, True, None]}


def opened(name: str, limits: Limits | None = None) -> ProcessEngine:
    (one,) = open_engines([name], limits)
    return one


def skip_unless_there(engine: ProcessEngine) -> None:
    if engine.unavailable is not None:
        pytest.skip(f"{engine.name}: {engine.unavailable}")


@pytest.fixture(scope="module")
def minijinja() -> Iterator[ProcessEngine]:
    with opened("minijinja") as one:
        skip_unless_there(one)
        yield one


@pytest.fixture(scope="module")
def raw() -> Iterator[ProcessEngine]:
    with opened("llama.cpp-raw") as one:
        skip_unless_there(one)
        yield one


def render(engine: ProcessEngine, source: str, **variables: object) -> Rendered | Failed:
    template = engine.compile(source)
    return template if isinstance(template, Failed) else template.render({"messages": [], **variables})


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ value|tojson }}", '{"z": "<é> & \'\\"", "a": [1, 1.5, true, null]}'),
        ("{{ {'b': 1, 'a': 'é'}|tojson(sort_keys=true, ensure_ascii=true) }}", '{"a": "\\u00e9", "b": 1}'),
        ("{{ [1, {'a': 2}]|tojson(separators=(',', ':')) }}", '[1,{"a":2}]'),
        ("{{ {'a': [1]}|tojson(indent=2) }}", '{\n  "a": [\n    1\n  ]\n}'),
        ("{{ value.z }}", "<é> & '\""),
        ("a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc"),
        ("{{ 'a-b'.split('-') }}{{ ' x '.strip() }}{{ value.items()|length }}", "['a', 'b']x2"),
        ("{{ strftime_now('%d %b %Y') }}", "02 Jan 2026"),
        ("{{ tools }} {{ documents }} {{ add_generation_prompt }}", "None None False"),
        ("{{ missing }}|{{ none }}", "|None"),
    ],
)
def test_minijinja_renders_as_servers_set_it_up(minijinja: ProcessEngine, source: str, text: str) -> None:
    assert render(minijinja, source, value=VALUE) == Rendered(text)


@pytest.mark.parametrize(
    ("source", "failed"),
    [
        (
            "é\n é{{ [].append(1) }}",
            Failed(Fault.RUNTIME, "UnknownMethod: sequence has no method named append", 2, 8),
        ),
        ("{% generation %}", Failed(Fault.SYNTAX, "SyntaxError: unknown statement generation", 1, 4)),
        ("{{ raise_exception() }}", Failed(Fault.RAISED, "")),
        ("{{ strftime_now(3) }}", Failed(Fault.RUNTIME, "TypeError: strftime() argument 1 must be str, not int")),
        ("{{ [1]|tojson(nothing=1) }}", None),
        ("{% include 'other' %}", None),
        ("\ud800", Failed(Fault.UNASKED, "its texts are Unicode, and here is '\\ud800'")),
    ],
)
def test_minijinja_fails_with_a_reason_and_a_place(
    minijinja: ProcessEngine, source: str, failed: Failed | None
) -> None:
    made = render(minijinja, source)
    assert isinstance(made, Failed)
    assert failed in (made, None)
    assert made.fault is not Fault.CRASH


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ value|tojson }}", '{"z": "<é> & \'\\"", "a": [1, 1.5, true, null]}'),
        ("{{ bos_token is defined }} {{ enable_thinking is defined }} {{ tools is none }}", "False False True"),
        ("{% set l = [1] %}{% set _ = l.append(2) %}{{ l|tojson }}", "[1, 2]"),
        ("{{ strftime_now('%d %b %Y') }}", "01 Jan 2026"),
        ("", ""),
    ],
)
def test_the_raw_engine_is_given_nothing_that_nobody_asked_for(raw: ProcessEngine, source: str, text: str) -> None:
    assert render(raw, source, value=VALUE) == Rendered(text)


def test_the_raw_engine_hands_media_and_arguments_over_as_they_are(raw: ProcessEngine) -> None:
    source = "{% for m in messages %}{{ m.content[0].type }}{{ m.arguments.a }}{{ m.own }}{% endfor %}"
    message = {"role": "user", "content": [{"type": "image"}], "arguments": {"a": 1}, "own": "x"}
    assert render(raw, source, messages=[message]) == Rendered("image1x")


def test_the_raw_engine_renders_histories_on_which_its_package_gives_up(raw: ProcessEngine) -> None:
    """Its package burns a fixed number of steps and then stops."""
    messages = [{"role": "user", "content": "x" * 200} for _ in range(2_000)]
    source = "{% for m in messages %}{{ m.role }}{{ m.content }}{% for n in range(30) %}{% endfor %}{% endfor %}"
    assert render(raw, source, messages=messages) == Rendered(("user" + "x" * 200) * 2_000)


def test_the_raw_engine_has_no_more_memory_than_it_may() -> None:
    with opened("llama.cpp-raw", Limits(memory=4 << 20)) as engine:
        skip_unless_there(engine)
        made = render(engine, "{{ text }}{{ text }}", text="x" * 10_000_000)
        assert isinstance(made, Failed)
        assert made.fault is Fault.MEMORY
        assert render(engine, "{{ text }}", text="x") == Rendered("x")
    with opened("llama.cpp-raw", Limits(memory=None)) as engine:
        assert render(engine, "{{ text }}", text="x" * 1_000_000) == Rendered("x" * 1_000_000)


def test_a_trap_is_told_by_its_cause(raw: ProcessEngine) -> None:
    made = render(raw, "{% macro f(n) %}{{ f(n) }}{% endmacro %}{{ f(1) }}")
    assert made == Failed(Fault.RUNTIME, "the engine stopped: wasm trap: out of bounds memory access")


def test_machine_code_is_made_once_and_used(tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    pytest.importorskip("ggufdoctor")
    from release.render.engines import llama_cpp_raw

    file = llama_cpp_raw.make_code(tmp_path)
    made_at = file.stat().st_mtime_ns
    assert llama_cpp_raw.make_code(tmp_path) == file
    assert [*tmp_path.iterdir()] == [file]
    assert file.stat().st_mtime_ns == made_at
    host = llama_cpp_raw.host("2026-01-02", memory=1 << 28, code=str(tmp_path))
    assert host.compile("{{ x }}")({"x": "hé"}) == "hé"


def test_code_that_is_no_code_for_this_machine_is_made_anew(tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    pytest.importorskip("ggufdoctor")
    from release.render.engines import llama_cpp_raw

    (tmp_path / "made").mkdir()
    name = llama_cpp_raw.make_code(tmp_path / "made").name
    (tmp_path / name).write_bytes(b"half of it")
    assert llama_cpp_raw.host("2026-01-02", code=str(tmp_path)).compile("{{ x }}")({"x": 1}) == "1"
