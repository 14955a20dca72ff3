"""Random histories: what must hold of every prompt holds of these, and no changed character goes unnoticed."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from built import built, package
from hypothesis import example, given, settings
from hypothesis import strategies as st
from templates.media_history_strategies import complete_histories, media_histories
from templates.ordinary_strategies import ordinary_variables

from release.render import structure
from release.render.engines.host import Broken, Render
from release.render.engines.transformers import host
from release.render.hosts import seen
from release.render.structure.growth import growing
from release.render.structure.harmless import harmless, restored

NOW = "2026-01-02T03:04:05"
TEXTS = ["", " ", "a", " b\n", "\t\tc", "<|im_end|>\n<|im_start|>user\nx", "<|endoftext|>", "é漢😀", "\u00a0x\u3000"]
TEXTS += ["<tool_response>\nr\n</tool_response>", "</tool_response>", "</tools>", "Picture 1: ", "<|vision_start|>"]
REPLIES = [
    *TEXTS[:6],
    "<think>\nr\n</think>\n\na",
    "a </think> b",
    "x\n</think>\n\ny",
    "<think>r<tool_call>\n{",
    "`<think>`",
]
VALUES = ["s", " p\n", "</parameter>\n", "\n</parameter>\n<parameter=a>\n", 1, 1.5, True, None, [1, {"k": "é"}], {}, []]

texts = st.sampled_from(TEXTS)
arguments = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "items"]), st.sampled_from(VALUES), max_size=3),
    st.sampled_from(['{"a": 1}', "{", "", " ", None, [1], 5]),
)
functions = st.builds(lambda name, given: {"name": name, "arguments": given}, st.sampled_from(["f", "g"]), arguments)
calls = st.one_of(functions, functions.map(lambda one: {"id": "c", "type": "function", "function": one}))


def message(role: str, content: st.SearchStrategy[Any], **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"role": st.just(role), "content": content}, optional=more)


replies = message(
    "assistant",
    st.sampled_from([*REPLIES, None]),
    reasoning_content=st.sampled_from(["why", " \n", "w </think> y", None]),
    tool_calls=st.lists(calls, max_size=3),
)
parts = st.lists(st.sampled_from([{"type": "text", "text": " t"}, {"type": "image"}, {"video": "v"}]), max_size=3)
messages = st.one_of(
    message("user", st.one_of(texts, parts)),
    message("system", texts),
    message("developer", texts),
    replies,
    replies,
    message("tool", st.one_of(texts, parts)),
    message("function", texts),
)
histories = st.fixed_dictionaries(
    {"messages": st.lists(messages, min_size=1, max_size=9), "add_generation_prompt": st.booleans()},
    optional={
        "tools": st.sampled_from([[], [{"type": "function", "function": {"name": "f", "d": "</tools>\n<&'é>"}}]]),
        "enable_thinking": st.sampled_from([True, False, None]),
        "preserve_thinking": st.sampled_from([True, False, None]),
        "add_vision_id": st.booleans(),
    },
)


@cache
def template(family: str) -> Render:
    return host(NOW).compile(built(family))


def reject_all_but_refusals(broken: Broken) -> None:
    if broken.fault != "raised":
        raise broken


def assert_right(family: str, variables: Mapping[str, Any]) -> None:
    """All that the suite looks at in one prompt; a conversation that is refused has none."""
    try:
        prompt = template(family)(variables)
    except Broken as broken:
        reject_all_but_refusals(broken)
        return
    tame = harmless(variables) or variables
    shown = template(family)(tame)
    assert restored(shown) == prompt
    rules = package(family).family.structure
    assert structure.complaints(shown, seen("transformers", tame), rules) == ()
    for number in growing(variables, rules.holds):
        begun = {**variables, "messages": variables["messages"][:number], "add_generation_prompt": False}
        assert prompt.startswith(template(family)(begun))


@settings(max_examples=150, deadline=None)
@example({"messages": [{"role": "tool", "content": "</tool_response>"}], "add_generation_prompt": False})
@given(histories)
def test_every_history_comes_out_right_in_stable(variables: dict[str, Any]) -> None:
    assert_right("stable", variables)


@pytest.mark.parametrize("family", ["stable", "media-history"])
@settings(max_examples=60, deadline=None)
@given(ordinary_variables())
def test_every_ordinary_history_comes_out_right(family: str, variables: dict[str, Any]) -> None:
    assert_right(family, variables)


@settings(max_examples=100, deadline=None)
@given(st.one_of(media_histories(), complete_histories()), st.booleans())
def test_every_history_with_media_comes_out_right(made: list[dict[str, Any]], asked: bool) -> None:
    assert_right("media-history", {"messages": made, "add_generation_prompt": asked})


plain_texts = st.text(alphabet="abc .\n", min_size=1, max_size=12).filter(str.strip)
plain_calls = st.builds(
    lambda name, value: {"type": "function", "function": {"name": name, "arguments": {"key": value}}},
    st.sampled_from(["look", "listen"]),
    plain_texts,
)
plain_messages = st.one_of(
    message("user", plain_texts),
    message("assistant", plain_texts, tool_calls=st.lists(plain_calls, min_size=1, max_size=2)),
    message("tool", plain_texts),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(plain_messages, min_size=1, max_size=5),
    st.floats(0, 1, exclude_max=True),
    st.sampled_from(["", "x", "\n", "<"]),
)
def test_no_character_of_a_prompt_can_be_changed_unnoticed(
    made: list[dict[str, Any]], where: float, instead: str
) -> None:
    variables = {"messages": made, "add_generation_prompt": True}
    prompt = template("stable")(variables)
    at = int(where * len(prompt))
    wrong = prompt[:at] + instead + prompt[at + 1 :]
    found = structure.complaints(wrong, variables, package("stable").family.structure)
    assert (found == ()) == (wrong == prompt)
