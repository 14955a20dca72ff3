"""Histories with media come out as stock renders the pruned history, and well-formed whatever comes."""

import re
from itertools import pairwise

import media_history as mh
import pytest
from hypothesis import given, settings
from media_history_policy import prune
from media_history_strategies import complete_histories, media_histories

environments = pytest.mark.parametrize("environment", [mh.PLAIN, mh.SANDBOX])
TEXT = r"((?:(?!<\|im_(?:start|end)\|>).)*)"
BLOCK = re.compile(rf"<\|im_start\|>(system|user|assistant)\n{TEXT}<\|im_end\|>\n", re.DOTALL)
PROMPT = "<|im_start|>assistant\n<think>\n"


def blocks(prompt):
    """(role, text) of each block; fails where one is not closed or something stands between two."""
    assert prompt.endswith(PROMPT)
    history = prompt.removesuffix(PROMPT)
    found = list(BLOCK.finditer(history))
    assert "".join(match[0] for match in found) == history
    return [(match[1], match[2]) for match in found]


@environments
@settings(max_examples=400, deadline=None)
@given(messages=media_histories())
def test_the_template_renders_what_stock_renders_of_the_pruned_history(environment, messages):
    ours = mh.render(mh.built(), {"messages": messages, "add_generation_prompt": True}, environment)
    pruned = {"messages": prune(messages), "add_generation_prompt": True}
    assert ours == mh.render(mh.stock(), pruned, environment)


@settings(max_examples=200, deadline=None)
@given(messages=media_histories())
def test_every_block_is_closed_and_the_prompt_for_a_reply_stands_alone(messages):
    made = blocks(mh.render(mh.built(), {"messages": messages, "add_generation_prompt": True}))
    for role, text in made:
        assert text.count("<tool_response>") == text.count("</tool_response>")
        assert text.count("<tool_call>") == text.count("</tool_call>")
        if "<tool_response>" in text:
            assert role == "user"
            assert text.startswith("<tool_response>\n")


@settings(max_examples=200, deadline=None)
@given(messages=media_histories())
def test_no_payload_of_an_image_result_reaches_the_prompt(messages):
    prompt = mh.render(mh.built(), {"messages": messages, "add_generation_prompt": True})
    long_images = [
        message["content"]
        for message in messages
        if message["role"] == "tool" and len(message["content"]) > 4096 and '"images":["/srv' not in message["content"]
    ]
    assert not [text for text in long_images if '"images":' in text and text in prompt]


@settings(max_examples=200, deadline=None)
@given(messages=complete_histories())
def test_every_kept_call_has_its_result(messages):
    """Complete exchanges, one result a call in any order: what is left is complete too."""
    made = blocks(mh.render(mh.built(), {"messages": messages, "add_generation_prompt": True}))
    for (role, text), (_, below) in pairwise(made):
        called = re.findall(r"<function=(\w+)>", text) if role == "assistant" else []
        assert sorted(called) == sorted(re.findall(r'\{"of":"(\w+)"', below))
