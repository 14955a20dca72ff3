"""What hosts do to a conversation: read off templates that print what they are given, where the engine is installed."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from built import built

from release.render.engines.catalogue import NAMES, open_engines
from release.render.hosts import ENGINES, handed_over, is_alike, is_left_open, own_part, seen
from release.values.rendering import Failed, Rendered

USER = {"role": "user", "content": "q"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": 1, "b": {"c": None}}}}
# Prints what it is given where it is asked to. Otherwise one of ours, so that a server that tries it out learns what
# it can take: to a template that takes no parts of a content it would hand over their joined texts.
PRINTS = "{%- if prints %}{{ messages|tojson }}{% else %}" + built("stable") + "{% endif %}"
CONVERSATIONS: list[list[dict[str, Any]]] = [
    [USER],
    [{"role": "developer", "content": "d"}, USER],
    [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "content": "r"}],
    [USER, {"role": "assistant", "content": "a", "tool_calls": []}, USER],
    [USER, {"role": "assistant", "content": "a", "tool_calls": None, "name": "n", "extra": 1}, USER],
    [USER, {"role": "assistant", "content": "a", "reasoning_content": "r", "reasoning": "s"}, USER],
    [USER, {"role": "assistant", "content": "a", "thinking": "t"}, USER],
    [USER, {"role": "assistant", "content": "a", "reasoning": "t", "thinking": None}, USER],
    [{"role": "user", "content": [{"type": "text", "text": "a", "cache": 1}, {"type": "text", "text": "b"}]}],
    [{"role": "user", "content": []}],
    [USER, {"role": "assistant", "tool_calls": [CALL | {"index": 0}]}, {"role": "tool", "content": "r"}],
]
STRINGS = ['{"a": 1}', "[1, 2]", '"x"', "null"]
CONVERSATIONS += [
    [
        USER,
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": text}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ]
    for text in STRINGS
]


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_given_what_we_say_that_it_is(name: str) -> None:
    """Not in engines whose hosts are older than our knowledge of them."""
    (engine,) = open_engines([name])
    with engine:
        if engine.unavailable is not None or name == "minja":
            pytest.skip(f"{name} is not here")
        template = engine.compile(PRINTS)
        assert not isinstance(template, Failed)
        for messages in CONVERSATIONS:
            given = {"messages": messages, "prints": True, "add_generation_prompt": True}
            made = template.render(given)
            assert isinstance(made, Rendered), (messages, made)
            assert is_alike({"messages": json.loads(made.text)}, {"messages": seen(name, given)["messages"]}), messages


def test_every_engine_is_one_that_fixtures_may_name() -> None:
    assert set(NAMES) <= set(ENGINES)


@pytest.mark.parametrize("messages", [None, "x", ["x"]])
def test_what_is_no_conversation_is_left_as_it_is(messages: object) -> None:
    for engine in ENGINES:
        assert seen(engine, {"messages": messages}) == {"messages": messages}
        assert not is_left_open(engine, {"messages": messages})


def test_a_server_has_words_of_its_own_for_the_template() -> None:
    given = {"messages": [USER], "tools": []}
    assert seen("llama.cpp", given) == {"messages": [USER], "enable_thinking": True, "preserve_thinking": True}
    assert seen("llama.cpp-bare", given) == {"messages": [USER], "enable_thinking": True}
    asked = {"messages": [USER], "tools": [{}], "enable_thinking": False, "preserve_thinking": False}
    assert seen("llama.cpp", asked) == asked
    assert seen("llama.cpp-raw", given) == seen("jinja2", given) == given


def test_what_a_server_refuses_comes_back_as_it_was() -> None:
    calls = [{"function": {"name": "f", "arguments": "{"}}, {"name": "g"}, 5]
    parts = [{"type": "image"}, "bare"]
    message = {"role": "assistant", "content": parts, "tool_calls": calls}
    assert seen("llama.cpp", {"messages": [message]})["messages"] == [message]


@pytest.mark.parametrize(("engine", "is_open"), [("llama.cpp", True), ("llama.cpp-bare", False), ("jinja2", False)])
def test_a_server_goes_on_with_the_assistants_last_message(engine: str, is_open: bool) -> None:
    given: Mapping[str, Any] = {
        "messages": [USER, {"role": "assistant", "content": "a"}],
        "add_generation_prompt": True,
    }
    assert is_left_open(engine, given) is is_open
    assert not is_left_open(engine, {"messages": [USER]})
    prompt = "x<|im_start|>assistant\na"
    assert own_part(engine, given, prompt) == ("x" if is_open else prompt)
    assert own_part(engine, given, "x") == "x"
    handed = handed_over(engine, given)
    assert (len(handed["messages"]), handed["add_generation_prompt"]) == ((1, False) if is_open else (2, True))


def test_three_names_for_one_thought_are_alike() -> None:
    one = {"messages": [{"reasoning_content": "r", "thinking": "r"}]}
    assert is_alike(one, {"messages": [{"reasoning_content": "r"}]})
    assert not is_alike(one, {"messages": [{"reasoning_content": "r", "thinking": "s"}]})
    assert is_alike({"messages": ["x"]}, {"messages": ["x"]})
    assert not is_alike({"messages": None}, {})
