"""Where the family has no rule of its own it prints and refuses what stock does (S-021), or the original (S-009)."""

import pytest
from families import MEDIA_HISTORY, SHARED, STABLE, environments, outcome, stock
from hypothesis import given, settings
from stable_strategies import class_of_the_original, equality_class

ORIGINAL = SHARED / "oracle" / "stable" / "chat_template_stable.jinja"


def instructions(family):
    """What stands below the list of tools."""
    text = (family.sources / "parts" / "instructions.jinja").read_text(encoding="utf-8")
    return text.split("%>")[-1].strip()


def stock_with_the_policy(variables, environment):
    """Stock's outcome; the policy stands where its instructions were."""
    kind, text = outcome(stock(), variables, environment)
    return kind, text.replace(instructions(MEDIA_HISTORY), instructions(STABLE), 1)


@environments
@settings(max_examples=300, deadline=None)
@given(variables=equality_class())
def test_the_equality_class_renders_as_from_stock_but_for_the_policy(environment, variables):
    ours = outcome(STABLE.built, variables, environment)
    assert ours[0] == "prompt"
    assert ours == stock_with_the_policy(variables, environment)


@environments
@settings(max_examples=300, deadline=None)
@given(variables=equality_class(faulty=True))
def test_faults_in_the_equality_class_are_refused_as_by_stock(environment, variables):
    """The same message, whichever of several faults stock sees first (S-018)."""
    assert outcome(STABLE.built, variables, environment) == stock_with_the_policy(variables, environment)


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([], "No messages provided."),
        ([{"role": "system", "content": [{"type": "image"}]}], "System message cannot contain images."),
        ([{"role": "system", "content": [{"type": "video"}]}], "System message cannot contain videos."),
        ([{"role": "user", "content": 5}], "Unexpected content type."),
        ([{"role": "user", "content": [{"type": "audio"}]}], "Unexpected item type in content."),
        ([{"role": "user", "content": ["bare words"]}], "Unexpected item type in content."),
    ],
)
def test_the_words_of_a_refusal_are_those_of_stock(messages, error):
    ours = outcome(STABLE.built, {"messages": messages})
    assert ours == outcome(stock(), {"messages": messages})
    assert error in ours[1]


@pytest.mark.skipif(not ORIGINAL.is_file(), reason="the original of the stable template is not beside the repository")
@environments
@settings(max_examples=300, deadline=None)
@given(variables=class_of_the_original())
def test_without_tools_and_faults_the_original_prints_the_same(environment, variables):
    """Two texts at the top, no query, kept reasoning: S-001, S-002, S-009, S-011 as they were measured."""
    original = ORIGINAL.read_text(encoding="utf-8")
    assert outcome(STABLE.built, variables, environment) == outcome(original, variables, environment)
