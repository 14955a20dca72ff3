"""What the family refuses and says in words of its own, beyond what a fixture can tell."""

import json
import re

import pytest
from families import STABLE, environments, outcome, render
from test_stable_parity import ORIGINAL, instructions

QUERY = {"role": "user", "content": "q"}


@environments
@pytest.mark.parametrize(
    ("role", "said"),
    [("critic", "'critic'"), ("System", "'System'"), ("", "''"), (None, "no text"), (7, "no text"), ([], "no text")],
)
def test_an_unknown_role_is_refused_with_its_name_and_index(environment, role, said):
    messages = [QUERY, QUERY, {"role": role, "content": "x"}]
    refusal = f"Unexpected message role. messages[2].role is {said}."
    assert outcome(STABLE.built, {"messages": messages}, environment) == ("error", refusal)


@environments
def test_a_message_without_a_role_is_refused_with_its_index(environment):
    refusal = "Unexpected message role. messages[0].role is no text."
    assert outcome(STABLE.built, {"messages": [{"content": "x"}, QUERY]}, environment) == ("error", refusal)


@environments
def test_a_part_that_is_a_bare_text_is_refused(environment):
    """Stock searches it for the keys of a part, finds `text` or `image`, and prints nothing, or a picture."""
    for words in ("some text", "an image", "words"):
        refusal = ("error", "Unexpected item type in content.")
        assert outcome(STABLE.built, {"messages": [{"role": "user", "content": [words]}]}, environment) == refusal


@environments
@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
def test_calls_that_come_as_a_text_are_refused(environment, key):
    """Stock refuses the first by an accident, and does not know the second."""
    reply = {"role": "assistant", "content": "x", key: json.dumps([{"name": "f"}])}
    refusal = "Unexpected tool calls. messages[1] has them as a text."
    assert outcome(STABLE.built, {"messages": [QUERY, reply]}, environment) == ("error", refusal)


@environments
@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
@pytest.mark.parametrize("nothing", [None, "", " ", {}, []])
def test_an_empty_field_for_calls_is_no_call(environment, key, nothing):
    reply = {"role": "assistant", "content": "x", key: nothing}
    prompt = render(STABLE.built, {"messages": [QUERY, reply]}, environment)
    assert prompt.endswith("\n\nx<|im_end|>\n")


@pytest.mark.parametrize("kind", ["image", "video"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
@pytest.mark.parametrize("role", ["system", "developer"])
def test_no_system_text_may_hold_media_wherever_it_stands(kind, place, role):
    texts = [{"role": role, "content": "s"}] * place
    messages = [*texts, {"role": role, "content": [{"type": kind}]}, QUERY]
    assert outcome(STABLE.built, {"messages": messages}) == ("error", f"System message cannot contain {kind}s.")


def test_media_in_a_refused_message_do_not_hide_what_is_wrong_with_it():
    messages = [QUERY, {"role": "critic", "content": [{"type": "image"}]}]
    assert "messages[1].role is 'critic'" in outcome(STABLE.built, {"messages": messages})[1]


@environments
@pytest.mark.parametrize(
    ("value", "kept"), [(True, True), (False, False), (None, False), (1, False), (1.0, False), ("true", False)]
)
def test_only_true_keeps_the_reasoning(environment, value, kept):
    reply = {"role": "assistant", "content": "a", "reasoning_content": "thought"}
    variables = {"messages": [QUERY, reply, QUERY], "preserve_thinking": value}
    assert ("thought" in render(STABLE.built, variables, environment)) == kept


def test_the_policy_is_short_and_of_our_own_words():
    policy = instructions(STABLE)
    assert len(policy) < 1800
    assert policy.isascii()
    if not ORIGINAL.is_file():
        pytest.skip("the original of the stable template is not beside the repository")
    assert runs_of_words(policy) & runs_of_words(ORIGINAL.read_text(encoding="utf-8")) == set()


def runs_of_words(text, size=5):
    """Every five words in a row."""
    words = re.findall(r"[a-z]+", text.lower())
    return {tuple(words[n : n + size]) for n in range(len(words) - size + 1)}


def test_the_policy_has_its_tags_in_the_example_alone():
    """A server, or a reader of prompts, that looks for calls finds one, whole."""
    policy = instructions(STABLE)
    assert re.findall(r"</?[a-z_]+", policy) == [
        *("<tool_call", "<function", "<parameter", "</parameter", "<parameter", "</parameter", "</function"),
        "</tool_call",
    ]


@pytest.mark.skipif(not ORIGINAL.is_file(), reason="the original of the stable template is not beside the repository")
def test_no_long_line_of_the_original_is_in_the_program_but_for_the_wire_format():
    def lines(text):
        return {line.strip() for line in text.splitlines() if len(line.strip()) > 40}

    shared = lines(STABLE.built) & lines(ORIGINAL.read_text(encoding="utf-8"))
    wire_format = re.compile(r"\{\{- (?:raise_exception\('[^']*'\)|'<\|vision_start\|>[^']*') \}\}")
    assert {line for line in shared if not wire_format.fullmatch(line)} == {
        "{%- if tools and tools is iterable and tools is not mapping %}"
    }
