"""Whatever comes, blocks are well-formed and nothing is left out (D-11)."""

import re

from families import STABLE, render
from hypothesis import given, settings
from prompts import assert_blocks_are_well_formed, blocks
from stable_strategies import numbered_histories

TOOLS = [{"type": "function", "function": {"name": "f"}}]


def words_of(prompt):
    return re.findall(r"w\d+w", prompt)


@settings(max_examples=400, deadline=None)
@given(numbered=numbered_histories())
def test_every_text_name_and_argument_is_printed_once_and_in_order(numbered):
    messages, words = numbered
    assert words_of(render(STABLE.built, {"messages": messages, "add_generation_prompt": True})) == words


@settings(max_examples=400, deadline=None)
@given(numbered=numbered_histories())
def test_every_block_is_closed_and_the_prompt_for_a_reply_stands_alone(numbered):
    messages, _ = numbered
    made = blocks(render(STABLE.built, {"messages": messages, "add_generation_prompt": True, "tools": TOOLS}))
    assert_blocks_are_well_formed(made)
    results = [message for message in messages if message["role"] in ("tool", "function")]
    assert sum(text.count("<tool_response>") for _, text in made) == len(results)


@settings(max_examples=400, deadline=None)
@given(numbered=numbered_histories())
def test_blocks_stand_in_the_order_of_the_messages(numbered):
    """One block a message, but for results that are neighbours, leading texts, and system texts without words."""
    messages, _ = numbered
    made = blocks(render(STABLE.built, {"messages": messages, "add_generation_prompt": True}))
    assert [role for role, _ in made] == list(expected_roles(messages))


def expected_roles(messages):
    speaks = ["system" if message["role"] == "developer" else message["role"] for message in messages]
    silent = [not words_of(str(message["content"])) for message in messages]
    leading = next((n for n, role in enumerate([*speaks[:2], "end"]) if role != "system"), 2)
    if not all(silent[:leading]):
        yield "system"
    before = None
    for role, says_nothing in zip(speaks[leading:], silent[leading:], strict=True):
        if role == "system" and says_nothing:
            continue
        if role in ("tool", "function"):
            if before != "result":
                yield "user"
            before = "result"
        else:
            yield role
            before = role


@settings(max_examples=200, deadline=None)
@given(numbered=numbered_histories())
def test_kept_reasoning_stands_in_every_reply(numbered):
    messages, _ = numbered
    given = [
        {**message, "reasoning_content": "t"} if message["role"] == "assistant" else message for message in messages
    ]
    variables = {"messages": given, "preserve_thinking": True, "add_generation_prompt": True}
    replies = [text for role, text in blocks(render(STABLE.built, variables)) if role == "assistant"]
    assert [text for text in replies if not text.startswith("<think>\nt\n</think>\n\n")] == []


@settings(max_examples=200, deadline=None)
@given(numbered=numbered_histories())
def test_the_prompt_only_grows_while_reasoning_is_kept(numbered):
    """Cached prefixes stay valid, as long as the history does not end between results, which share a block."""
    messages, _ = numbered
    whole = render(STABLE.built, {"messages": messages, "preserve_thinking": True})
    for size in range(2, len(messages)):
        if messages[size]["role"] not in ("system", "developer", "tool", "function"):
            begun = render(STABLE.built, {"messages": messages[:size], "preserve_thinking": True})
            assert whole.startswith(begun)
