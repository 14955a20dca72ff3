"""What no rule of the family touches comes out byte for byte as from stock, errors included (M-001)."""

import pytest
from families import MEDIA_HISTORY, environments, outcome, stock
from hypothesis import given, settings
from ordinary_strategies import ordinary_variables


@environments
@settings(max_examples=300, deadline=None)
@given(variables=ordinary_variables())
def test_ordinary_histories_render_as_from_stock(environment, variables):
    ours = outcome(MEDIA_HISTORY.built, variables, environment)
    assert ours[0] == "prompt"
    assert ours == outcome(stock(), variables, environment)


@environments
@settings(max_examples=300, deadline=None)
@given(variables=ordinary_variables(faulty=True))
def test_faulty_histories_are_refused_as_by_stock(environment, variables):
    """The same message, whichever of several faults stock sees first."""
    assert outcome(MEDIA_HISTORY.built, variables, environment) == outcome(stock(), variables, environment)


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([], "No messages provided."),
        ([{"role": "system", "content": "s"}], "No user query found in messages."),
        ([{"role": "user", "content": "q"}, {"role": "system", "content": "s"}], "must be at the beginning."),
        ([{"role": "user", "content": "q"}, {"role": "developer", "content": "s"}], "Unexpected message role."),
        ([{"role": "user", "content": 5}], "Unexpected content type."),
        ([{"role": "user", "content": [{"type": "audio"}]}], "Unexpected item type in content."),
    ],
)
def test_the_words_of_a_refusal_are_those_of_stock(messages, error):
    ours = outcome(MEDIA_HISTORY.built, {"messages": messages})
    assert ours == outcome(stock(), {"messages": messages})
    assert error in ours[1]
