"""llama.cpp's server: what it is asked, what it adds, what it refuses, and what its words mean."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.render.engines.catalogue import open_engines
from release.render.engines.host import Broken
from release.render.engines.llama_errors import from_answer, from_log, from_message
from release.render.engines.llama_server import request
from release.render.engines.process import ProcessEngine
from release.values.rendering import Failed, Fault, Rendered

USER = {"role": "user", "content": "hi"}
REPLY = {"role": "assistant", "content": "yo"}
SERVERS = ("llama.cpp", "llama.cpp-bare", "minja")
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def opened(name: str) -> ProcessEngine:
    (one,) = open_engines([name])
    return one


@pytest.fixture(scope="module", params=SERVERS)
def engine(request: pytest.FixtureRequest) -> Iterator[ProcessEngine]:
    with opened(request.param) as one:
        if one.unavailable is not None:
            pytest.skip(f"{one.name}: {one.unavailable}")
        yield one


def render(engine: ProcessEngine, source: str, *messages: object, **variables: object) -> Rendered | Failed:
    template = engine.compile(source)
    return template if isinstance(template, Failed) else template.render({"messages": list(messages), **variables})


def body(**variables: object) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(request(variables))
    return read


def called(arguments: object) -> dict[str, Any]:
    return {
        "role": "assistant",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": arguments}}],
    }


def test_what_the_interface_has_no_name_for_is_a_keyword_of_the_template() -> None:
    asked = body(
        messages=[USER], tools=[{"type": "function"}], add_generation_prompt=True, enable_thinking=False, x=[1]
    )
    assert asked == {
        "messages": [USER],
        "tools": [{"type": "function"}],
        "add_generation_prompt": True,
        "chat_template_kwargs": {"enable_thinking": False, "x": [1]},
    }


def test_nobody_asks_for_a_reply_unless_he_says_so() -> None:
    """A server would begin one of itself."""
    assert body(messages=[USER]) == {"messages": [USER], "add_generation_prompt": False, "chat_template_kwargs": {}}


@pytest.mark.parametrize("tools", [None, []])
def test_no_tools_are_none(tools: object) -> None:
    assert "tools" not in body(messages=[], tools=tools)


@given(arguments=VALUES.filter(lambda value: not isinstance(value, str)))
def test_arguments_go_out_as_the_json_text_that_clients_send(arguments: object) -> None:
    (message,) = body(messages=[called(arguments)])["messages"]
    sent = message["tool_calls"][0]["function"]["arguments"]
    assert isinstance(sent, str)
    assert json.loads(sent) == arguments


@pytest.mark.parametrize(
    "message",
    [
        called("{not json"),
        {"role": "assistant", "tool_calls": None},
        {"role": "assistant", "tool_calls": [3, {"function": 4}, {"function": {"name": "f"}}]},
        "no message",
    ],
)
def test_what_is_text_already_or_no_call_goes_out_as_it_is(message: object) -> None:
    assert body(messages=[message])["messages"] == [message]


def test_a_message_list_that_is_none_is_the_servers_to_refuse() -> None:
    assert body(messages="x")["messages"] == "x"


@pytest.mark.parametrize("value", ["\ud800", float("nan")])
def test_what_no_json_carries_cannot_be_asked(value: object) -> None:
    with pytest.raises(Broken) as caught:
        request({"messages": [], "x": value})
    assert caught.value.fault == "unasked"


def test_keywords_reach_the_template(engine: ProcessEngine) -> None:
    source = "{{ x }} {{ enable_thinking }} {{ add_generation_prompt is true }} {{ bos_token }}{{ eos_token }}"
    made = render(engine, source, USER, x="é", enable_thinking=False, add_generation_prompt=True)
    assert made == Rendered("é False True <|endoftext|><|im_end|>")


def test_arguments_reach_a_template_that_can_use_them_as_a_mapping(engine: ProcessEngine) -> None:
    source = (
        "{% for m in messages %}{{ m.role }}{% for c in m.tool_calls or [] %}"
        "{% for k, v in c.function.arguments|items %}{{ k }}={{ v }};{% endfor %}{% endfor %}{% endfor %}"
    )
    if engine.name == "minja":
        pytest.skip("minja: it hands calls over as text to a template without tools")
    made = render(engine, source, USER, called({"a": 1, "b": "é"}), {"role": "tool", "content": "r"})
    assert made == Rendered("userassistanta=1;b=é;tool")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": [{"type": "image", "image": "x"}]}, "unsupported content[].type"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}, "image input is not"),
        ({"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "Missing tool call type"),
        ({"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f"}}]}, "arguments"),
        ({"content": "x"}, "Missing 'role' in message"),
        ("x", "must contain 'content'"),
    ],
)
def test_what_the_interface_refuses_is_not_the_templates_failure(
    engine: ProcessEngine, message: object, said: str
) -> None:
    made = render(engine, "{{ messages|length }}", message, USER)
    assert isinstance(made, Failed)
    assert made.fault is Fault.UNASKED
    assert said in made.message


def test_thinking_is_true_or_false(engine: ProcessEngine) -> None:
    made = render(engine, "x", USER, enable_thinking="yes")
    assert isinstance(made, Failed)
    assert (made.fault, "enable_thinking" in made.message) == (Fault.UNASKED, True)


@pytest.mark.parametrize("source", ["", "chatml"])
def test_what_a_server_takes_for_no_template_is_not_rendered_by_another_one(engine: ProcessEngine, source: str) -> None:
    said = "the server takes it for no template and uses one of its own"
    assert engine.compile(source) == Failed(Fault.SYNTAX, said)


def test_a_template_that_refuses_the_servers_own_samples_does_not_start(engine: ProcessEngine) -> None:
    made = engine.compile("\n{{ raise_exception('never') }}")
    assert isinstance(made, Failed)
    assert (made.fault, made.message, made.line) == (Fault.RAISED, "never", 2)


@pytest.mark.parametrize(
    ("name", "preserves", "continues"),
    [("llama.cpp", True, True), ("llama.cpp-bare", False, False), ("minja", False, True)],
)
def test_the_defaults_of_the_command_are_those_of_one_engine_alone(name: str, preserves: bool, continues: bool) -> None:
    with opened(name) as engine:
        if engine.unavailable is not None:
            pytest.skip(f"{name}: {engine.unavailable}")
        source = "{% for m in messages %}<{{ m.content }}>{% endfor %}{{ 'kept' if preserve_thinking else 'not' }}"
        word = "kept" if preserves else "not"
        assert render(engine, source, USER) == Rendered(f"<hi>{word}")
        whole = render(engine, source, USER, REPLY)
        assert isinstance(whole, Rendered)
        assert (whole.text == f"<hi><yo>{word}") is not continues
        assert render(engine, source, USER, preserve_thinking=not preserves) == (
            Rendered(f"<hi>{'not' if preserves else 'kept'}")
        )


def told(broken: Broken) -> tuple[str, str, int | None, int | None]:
    return broken.fault, broken.message, broken.line, broken.column


WHERE = (
    "\n------------\nWhile executing CallExpression at line {}, column {} in source:\n...{{{{ x }}}}...\n   ^\nError: "
)


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        (WHERE.format(2, 3) + "Jinja Exception: no\nway", ("raised", "no\nway", 2, 3)),
        (WHERE.format(2, 3) + "Callee is not a function", ("runtime", "Callee is not a function", 2, 3)),
        (WHERE.format(2, 3) + "std::bad_alloc", ("memory", "it needed more memory than it may have", 2, 3)),
        (WHERE.format(1, 9) + WHERE.format(4, 5) + "deep", ("runtime", "deep", 4, 5)),
        ("Unable to generate parser for this template. Automatic parser generation failed: odd", ("runtime", "odd")),
    ],
)
def test_the_engines_words_are_understood(message: str, meaning: tuple[object, ...]) -> None:
    assert told(from_message(message)) == (*meaning, None, None)[:4]


def test_an_answer_about_no_place_is_about_the_request() -> None:
    assert told(from_answer("image input is not supported", "")) == (
        "unasked",
        "image input is not supported",
        None,
        None,
    )
    opening = "Unable to generate parser for this template. Automatic parser generation failed: "
    assert told(from_answer(opening + WHERE.format(1, 2) + "no", "")) == ("runtime", "no", 1, 2)


@pytest.mark.parametrize(
    ("log", "meaning"),
    [
        (
            "0.00.057.271 E common_chat_templates_init: error: Unexpected token\n...more\n"
            "0.00.057.273 E common_chat_templates_init: failed to initialize chat template\n",
            ("syntax", "Unexpected token", None, None),
        ),
        (
            "0.00.065.088 E srv          init: init: chat template parsing error: Unable to generate parser"
            + WHERE.format(2, 5)
            + "Jinja Exception: never\n0.00.065.090 E srv          init: init: please consider\n",
            ("raised", "never", 2, 5),
        ),
        (
            "0.00.057.281 E srv          init: init: chat template parsing error: something else\n",
            ("syntax", "something else", None, None),
        ),
        ("0.1.2.3 E cannot\nlisten\n", ("crash", "the server does not start: 0.1.2.3 E cannot listen", None, None)),
    ],
)
def test_the_log_of_a_failed_start_is_understood(log: str, meaning: tuple[object, ...]) -> None:
    assert told(from_log(log, "")) == meaning
