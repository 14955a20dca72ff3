"""The two Jinja2 engines: what they render, byte for byte, and how they fail.

Expected texts are those of the hosts they stand for: transformers 5.24.0, and Jinja2 3.1.6 as it comes.
"""

from collections.abc import Iterator

import pytest

from release.render.engines import jinja2 as plain
from release.render.engines import transformers
from release.render.engines.catalogue import open_engines
from release.render.engines.host import Broken
from release.render.engines.process import ProcessEngine
from release.render.engines.programs import NOW
from release.values.rendering import Failed, Fault, Rendered

HOSTS = {"transformers": transformers.host, "jinja2": plain.host}
VALUE = {"z": "<é> & '\"", "a": [1, 1.5, True, None, "\u2028"]}


def made(engine: str, source: str, **variables: object) -> str:
    """What an engine's host renders, in this process."""
    return HOSTS[engine](NOW).compile(source)({"messages": [], **variables})


def broken(engine: str, source: str, **variables: object) -> tuple[str, str, int | None]:
    with pytest.raises(Broken) as caught:
        made(engine, source, **variables)
    return caught.value.fault, caught.value.message, caught.value.line


@pytest.fixture(params=HOSTS)
def engine(request: pytest.FixtureRequest) -> Iterator[ProcessEngine]:
    (one,) = open_engines([request.param])
    with one:
        yield one


def test_an_engine_renders_in_its_process_as_its_host_does_here(engine: ProcessEngine) -> None:
    source = "{%- for m in messages %}\n  {{ m.role }}: {{ m.content }}{% if tools %}!{% endif %}\n{% endfor %}\n\n"
    messages = [{"role": "user", "content": "é"}, {"role": "tool", "content": "\ud800"}]
    template = engine.compile(source)
    assert not isinstance(template, Failed)
    assert template.render({"messages": messages}) == Rendered(made(engine.name, source, messages=messages))
    assert "3.1" in engine.version


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ value|tojson }}", '{"z": "<é> & \'\\"", "a": [1, 1.5, true, null, "\u2028"]}'),
        ("{{ {'b': 1, 'a': 'é'}|tojson(sort_keys=true, ensure_ascii=true) }}", '{"a": "\\u00e9", "b": 1}'),
        ("{{ [1, {'a': 2}]|tojson(separators=(',', ':')) }}", '[1,{"a":2}]'),
        ("{{ {'a': [1]}|tojson(indent=2) }}", '{\n  "a": [\n    1\n  ]\n}'),
        ("{{ [1e22, 1e-7, 1.0]|tojson }}", "[1e+22, 1e-07, 1.0]"),
        ("a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\nb\nc"),
        ("{% for n in [1, 2, 3] %}{% if n == 2 %}{% continue %}{% endif %}{{ n }}{% endfor %}", "13"),
        ("{% generation %}\na{{ 1 }}\n{% endgeneration %}\nb", "a1\nb"),
        ("{{ strftime_now('%d %b %Y') }}", "02 Jan 2026"),
        ("{% set ns = namespace(self=1, n=2) %}{% set ns.n = ns.n + 1 %}{{ ns.self }}{{ ns.n }}", "13"),
        ("{{ dict(a=1) }}{{ dict.fromkeys(['b'], 0) }}", "{'a': 1}{'b': 0}"),
        ("{{ tools }} {{ documents }} {{ add_generation_prompt }}", "None None False"),
        ("{{ missing }}|{{ none }}", "|None"),
    ],
)
def test_transformers_renders_as_transformers_does(source: str, text: str) -> None:
    assert made("transformers", source, value=VALUE) == text


@pytest.mark.parametrize(
    ("message", "seen"),
    [
        ({"role": "a", "content": None, "tool_calls": None}, {"role": "a"}),
        ({"role": "a", "reasoning": "r"}, {"thinking": "r", "role": "a", "reasoning": "r", "reasoning_content": "r"}),
        ({"thinking": "t", "reasoning": "r"}, {"thinking": "t", "reasoning": "r", "reasoning_content": "t"}),
        (
            {"reasoning_content": "c", "reasoning": "r"},
            {"thinking": "c", "reasoning_content": "c", "reasoning": "r"},
        ),
        ({"role": "a", "content": "", "x": 0}, {"role": "a", "content": "", "x": 0}),
    ],
)
def test_transformers_sees_a_message_as_apply_chat_template_hands_it_over(
    message: dict[str, object], seen: dict[str, object]
) -> None:
    assert made("transformers", "{{ messages[0] }}", messages=[message]) == str(seen)


@pytest.mark.parametrize(
    ("source", "fault", "message", "line"),
    [
        ("\n{{ raise_exception('not so') }}", "raised", "not so", 2),
        ("{% macro f() %}\n\n{{ raise_exception('deep') }}{% endmacro %}\n{{ f() }}", "raised", "deep", 3),
        ("{{ raise_exception() }}", "raised", "", 1),
        ("\n{{ missing.attribute }}", "runtime", "UndefinedError: 'missing' is undefined", 2),
        ("{% if %}", "syntax", "Expected an expression, got 'end of statement block'", 1),
        ("\n\n{{ 1|shout }}", "syntax", "No filter named 'shout'.", 3),
        (
            "\n{{ [].append(1) }}",
            "runtime",
            "SecurityError: access to attribute 'append' of 'list' object is unsafe.",
            2,
        ),
        (
            "\n{{ ''.__class__.__mro__ }}",
            "runtime",
            "SecurityError: access to attribute '__class__' of 'str' object",
            2,
        ),
        ("{% set n = namespace(_a=1) %}", "runtime", "SecurityError: a namespace takes no attribute", 1),
        (
            "{% set n = namespace() %}\n{% set n._a = 1 %}",
            "runtime",
            "SecurityError: a namespace takes no attribute",
            2,
        ),
        ("\n{{ 1 / 0 }}", "runtime", "ZeroDivisionError: division by zero", 2),
        ("\n{{ 'a'|items|list }}", "runtime", "TypeError: Can only get item pairs from a mapping.", 2),
        (
            "{% macro f(n) %}\n{{ f(n) }}{% endmacro %}{{ f(1) }}",
            "runtime",
            "RecursionError: maximum recursion depth",
            2,
        ),
        ("{% for a in [] %}" * 25 + "{% endfor %}" * 25, "syntax", "SyntaxError: too many statically nested", None),
        ("{{ strftime_now('\ud800') }}", "runtime", "UnicodeEncodeError: ", 1),
    ],
)
def test_transformers_fails_with_a_reason_and_a_line(source: str, fault: str, message: str, line: int | None) -> None:
    told = broken("transformers", source)
    assert (told[0], told[1][: len(message)], told[2]) == (fault, message, line)


@pytest.mark.parametrize("messages", [None, "text", ["text"], [None]])
def test_transformers_takes_a_list_of_mappings_alone(messages: object) -> None:
    fault, message, line = broken("transformers", "x", messages=messages)
    assert (fault, line) == ("runtime", None)
    assert "a list of messages" in message


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "{{ value|tojson }}",
            '{"a": [1, 1.5, true, null, "\\u2028"], "z": "\\u003c\\u00e9\\u003e \\u0026 \\u0027\\""}',
        ),
        ("a\n  {% if true %}\nb\n  {% endif %}\nc\n", "a\n  \nb\n  \nc"),
        ("{{ missing.attribute.of }}|{{ tools }}|{{ strftime_now is defined }}", "|[]|False"),
        ("{% set list = [1] %}{% set _ = list.append(2) %}{{ list }}", "[1, 2]"),
        ("{{ messages }}", "[None]"),
    ],
)
def test_jinja2_renders_as_it_comes(source: str, text: str) -> None:
    assert made("jinja2", source, value=VALUE, messages=[None]) == text


@pytest.mark.parametrize(
    ("source", "fault", "message", "line"),
    [
        ("\n{{ raise_exception('not so') }}", "raised", "not so", 2),
        ("{% for a in [1] %}\n{% break %}{% endfor %}", "syntax", "Encountered unknown tag 'break'.", 2),
        (
            "\n{{ cycler.__init__.__globals__.os.popen('id') }}",
            "runtime",
            "SecurityError: access to attribute '__init__'",
            2,
        ),
    ],
)
def test_jinja2_fails_with_a_reason_and_a_line(source: str, fault: str, message: str, line: int) -> None:
    told = broken("jinja2", source)
    assert (told[0], told[1][: len(message)], told[2]) == (fault, message, line)


def test_a_text_that_doubles_for_ever_is_one_failure(engine: ProcessEngine) -> None:
    template = engine.compile(
        "{% set ns = namespace(x='x' * 1000) %}{% for n in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}"
    )
    assert not isinstance(template, Failed)
    made = template.render({"messages": []})
    assert isinstance(made, Failed)
    assert made.fault is Fault.MEMORY
    assert isinstance(engine.compile("x"), type(template))
