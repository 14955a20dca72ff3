"""Histories with media come out as stock renders the pruned history, and well-formed whatever comes."""

import re
from itertools import pairwise

from families import MEDIA_HISTORY, environments, render, stock
from hypothesis import given, settings
from media_history_policy import prune
from media_history_strategies import complete_histories, media_histories
from prompts import assert_blocks_are_well_formed, blocks


@environments
@settings(max_examples=400, deadline=None)
@given(messages=media_histories())
def test_the_template_renders_what_stock_renders_of_the_pruned_history(environment, messages):
    ours = render(MEDIA_HISTORY.built, {"messages": messages, "add_generation_prompt": True}, environment)
    pruned = {"messages": prune(messages), "add_generation_prompt": True}
    assert ours == render(stock(), pruned, environment)


@settings(max_examples=200, deadline=None)
@given(messages=media_histories())
def test_every_block_is_closed_and_the_prompt_for_a_reply_stands_alone(messages):
    prompt = render(MEDIA_HISTORY.built, {"messages": messages, "add_generation_prompt": True})
    assert_blocks_are_well_formed(blocks(prompt))


@settings(max_examples=200, deadline=None)
@given(messages=media_histories())
def test_no_payload_of_an_image_result_reaches_the_prompt(messages):
    prompt = render(MEDIA_HISTORY.built, {"messages": messages, "add_generation_prompt": True})
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
    made = blocks(render(MEDIA_HISTORY.built, {"messages": messages, "add_generation_prompt": True}))
    for (role, text), (_, below) in pairwise(made):
        called = re.findall(r"<function=(\w+)>", text) if role == "assistant" else []
        assert sorted(called) == sorted(re.findall(r'\{"of":"(\w+)"', below))


def test_python_engines_measure_length_in_characters():
    """3,000 characters of three bytes each are below the threshold here, and above it in llama.cpp."""
    content = '{"images":["iVBORw0KGgo' + "字" * 3000 + '"]}'
    result = {"role": "tool", "content": content}
    messages = [{"role": "user", "content": "q"}, result, {"role": "user", "content": "z"}]
    assert content in render(MEDIA_HISTORY.built, {"messages": messages})
