"""Invented conversations for the stable family, for Hypothesis."""

from hypothesis import strategies as st
from ordinary_strategies import ordinary_messages, system_messages, variables, wrong_contents

QUERY = {"role": "user", "content": "q"}
faults = st.one_of(
    wrong_contents.map(lambda content: {"role": "user", "content": content}),
    wrong_contents.map(lambda content: {"role": "assistant", "content": content}),
    st.just({"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": {}}}]}),
)
# What preserve_thinking may be without being true.
not_true = st.sampled_from([False, None, 1, "true"])
leading_texts = st.lists(
    st.sampled_from(["system", "developer"]).map(lambda role: {"role": role, "content": f" the {role}'s "}), max_size=2
)


@st.composite
def equality_class(draw, faulty=False):
    """S-021, and with it tools: what stock renders, or refuses, and ours does the same but for the policy."""
    messages = _without_results_at_the_top(draw(st.lists(ordinary_messages(), max_size=7)))
    messages.insert(draw(st.integers(0, min(1, len(messages)))), QUERY)
    if draw(st.booleans()):
        messages.insert(0, draw(system_messages))
    if faulty:
        messages.insert(draw(st.integers(1, len(messages))), draw(faults))
    given = {"messages": messages, **draw(variables)}
    return given | ({"preserve_thinking": draw(not_true)} if draw(st.booleans()) else {})


@st.composite
def class_of_the_original(draw):
    """What the family's reference renders without a fault: two texts at the top, no query, kept reasoning."""
    messages = _without_results_at_the_top(draw(st.lists(ordinary_messages(), max_size=7)))
    given = {"messages": draw(leading_texts) + messages or [QUERY], **draw(variables), "tools": None}
    return given | {"preserve_thinking": draw(st.sampled_from([True, False, 1]))}


def _without_results_at_the_top(messages):
    """X-14: a result as the first message is mended, so it is no parity input."""
    while messages and messages[0]["role"] == "tool":
        messages = messages[1:]
    return messages


@st.composite
def numbered_histories(draw):
    """(messages, words): every text, name and argument is a word of its own; `words` are all of them, in order."""
    words = []

    def word():
        words.append(f"w{len(words)}w")
        return words[-1]

    def content():
        if not draw(st.integers(0, 4)):
            return draw(st.sampled_from(["", " \n", None, []]))
        kind = draw(st.sampled_from(["plain", "padded", "part"]))
        return {"plain": word(), "padded": f"  {words[-1]}\n", "part": [{"type": "text", "text": words[-1]}]}[kind]

    def value():
        kind = draw(st.sampled_from(["text", "list", "mapping"]))
        return {"text": word(), "list": [words[-1]], "mapping": {"deep": words[-1]}}[kind]

    def arguments():
        kind = draw(st.sampled_from(["mapping", "text", "list", "none"]))
        if kind == "mapping":
            return {name: value() for name in draw(st.lists(st.sampled_from("ab"), unique=True))}
        return None if kind == "none" else {"text": f'{{"a": "{word()}"', "list": [words[-1]]}[kind]

    def call():
        bare = {"name": word(), "arguments": arguments()}
        return draw(st.sampled_from([bare, {"type": "function", "function": bare}, {**bare, "function": None}]))

    def calls():
        kind = draw(st.sampled_from(["none", "several", "several", "one", "older"]))
        if kind == "several":
            return {"tool_calls": [call() for _ in range(draw(st.integers(0, 3)))]}
        if kind == "older":
            return {"function_call": {"name": word(), "arguments": arguments()}}
        return {"tool_calls": call() if kind == "one" else None}

    roles = ["system", "developer", "user", "assistant", "assistant", "assistant", "tool", "tool", "function"]
    messages = []
    for role in draw(st.lists(st.sampled_from(roles), min_size=1, max_size=9)):
        messages.append({"role": role, "content": content(), **(calls() if role == "assistant" else {})})
    return messages, words
