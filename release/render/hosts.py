"""What the hosts of the engines do to a conversation before a template sees it, and in what they are alike.

A host is the program around an engine: transformers' apply_chat_template, llama.cpp's server. What it hands over was
read off a template that prints its own variables (tests/rendering/test_hosts.py does it again), so that a prompt which
differs because the conversation did is told from one that differs because the engine does (ENGINES.md, section 2).
"""

import json
from collections.abc import Mapping
from typing import Any

Variables = Mapping[str, Any]

# Every engine that fixtures may name, in the order in which they are told.
ENGINES = (
    "transformers",
    "jinja2",
    "minijinja",
    "hf-jinja",
    "llama.cpp",
    "llama.cpp-bare",
    "llama.cpp-raw",
    "minja",
)
# They render a fixture in well under a millisecond, so that they can be given everything.
FAST = frozenset({"transformers", "jinja2", "minijinja"})
# Behind an HTTP interface that takes messages apart and puts them together again.
SERVERS = frozenset({"llama.cpp", "llama.cpp-bare", "minja"})
# With the options of the command line, which thinks that a last word of the assistant's is to be continued.
_CONTINUES = frozenset({"llama.cpp", "minja"})
_REPLY = "<|im_start|>assistant\n"
_REASONING = ("reasoning_content", "thinking", "reasoning")
_KEPT = ("name", "tool_call_id", "reasoning_content")


def seen(engine: str, variables: Variables) -> dict[str, Any]:
    """The variables that a template is given in this engine, of what the host is asked to render.

    What a host refuses comes back as it was: no template sees it.
    """
    given = dict(variables)
    messages = given.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return given
    if engine == "transformers":
        given["messages"] = [_through_transformers(message) for message in messages]
    elif engine in SERVERS:
        given["messages"] = [_through_a_server(message) for message in messages]
        given.setdefault("enable_thinking", True)
        if not given.get("tools"):
            given.pop("tools", None)
        if engine == "llama.cpp":
            given.setdefault("preserve_thinking", True)
    return given


def is_left_open(engine: str, variables: Variables) -> bool:
    """Whether the host has the model go on with the last message: with the assistant's, in a server.

    The host prints that message by itself, in a block without an end; no template sees it.
    """
    messages = variables.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    return engine in _CONTINUES and isinstance(last, dict) and last.get("role") == "assistant"


def handed_over(engine: str, variables: Variables) -> dict[str, Any]:
    """`seen`, less a last message that the host prints by itself."""
    given = seen(engine, variables)
    if is_left_open(engine, variables):
        return {**given, "messages": given["messages"][:-1], "add_generation_prompt": False}
    return given


def own_part(engine: str, variables: Variables, prompt: str) -> str:
    """The part of a prompt that the template made: all of it, but for a last message that the host printed."""
    return prompt[: prompt.rfind(_REPLY)] if is_left_open(engine, variables) and _REPLY in prompt else prompt


def is_alike(one: Variables, other: Variables) -> bool:
    """Whether two conversations are the same to a template: one name for a thought, or three with the same text."""
    return _plain(one) == _plain(other)


def _plain(variables: Variables) -> dict[str, Any]:
    messages = variables.get("messages")
    if not isinstance(messages, list):
        return dict(variables)
    return {**variables, "messages": [_with_one_thought(message) for message in messages]}


def _with_one_thought(message: object) -> object:
    if not isinstance(message, dict) or "reasoning_content" not in message:
        return message
    thought = message["reasoning_content"]
    return {key: value for key, value in message.items() if key not in ("thinking", "reasoning") or value != thought}


def _through_transformers(message: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that hold None are gone, and reasoning stands under the names that templates look for."""
    given = {key: value for key, value in message.items() if value is not None}
    for name in _REASONING:
        if name in given:
            return {"thinking": given[name], **given, "reasoning_content": given[name]}
    return given


def _through_a_server(message: Mapping[str, Any]) -> dict[str, Any]:
    """Only the keys of OpenAI's interface are kept, texts in their place and arguments as what their JSON says."""
    content = message.get("content")
    if isinstance(content, list):
        content = [_part(part) for part in content]
    role = "system" if message.get("role") == "developer" else message.get("role")
    given = {"role": role, "content": content or ""}
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        given["tool_calls"] = [_call(call) for call in calls]
    return given | {key: message[key] for key in _KEPT if message.get(key) is not None}


def _part(part: object) -> object:
    return {"type": "text", "text": part.get("text")} if isinstance(part, dict) and part.get("type") == "text" else part


def _call(call: object) -> object:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        return call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return call  # the server refuses it
    made = {"type": "function", "function": {"name": function.get("name"), "arguments": arguments}}
    return made | ({"id": call["id"]} if "id" in call else {})
