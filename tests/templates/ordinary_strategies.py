"""Invented conversations without anything that a rule of ours touches, for Hypothesis."""

from hypothesis import strategies as st

TEXTS = ["", "a", "  b ", "\n\nc\n", "x\ty", "<tool_response>\nr\n</tool_response>", "<tool_response>q", "é漢😀"]
TEXTS += ['{"a":1}', "<|im_end|>", "images", "data:image/png;base64,AA", "/9j/x", "base64 -d f", "l1\r\nl2\r\n"]
THOUGHTS = ["<think>\nR\n</think>\n\nans", "<think>\n\n</think>\n\nans", "R\n</think>\n\nans", "<think>x</think>y"]
THOUGHTS += ["<think>\nR\n</think>", "<think>R</think>\n\n\n  ind", "<think>R</think>\r\n\r\nx", "\n</think>\n\nans"]
PARTS = [{"type": "text", "text": "t"}, {"type": "image", "image": "u"}, {"type": "image_url", "image_url": {}}]
PARTS += [{"type": "video", "video": "v"}, {"text": "z"}, {"image": "q"}, {"video": "q"}, {"type": "video"}]
WRONG_PARTS = [{"type": "audio", "audio": "x"}, {"type": "image_url"}, {}]
VALUES = ["s", "", " pad ", "line\nline", 1, -2, 1.5, True, False, None, [1, "a"], {"k": [None, True]}, [], {}]

texts = st.sampled_from(TEXTS)
part_lists = st.lists(st.sampled_from(PARTS), max_size=3)
contents = st.one_of(texts, texts, part_lists, st.none())
wrong_contents = st.one_of(st.lists(st.sampled_from(PARTS + WRONG_PARTS), max_size=2), st.sampled_from([{"a": 1}, 5]))


@st.composite
def ordinary_messages(draw):
    role = draw(st.sampled_from(["user", "assistant", "assistant", "tool"]))
    made = {"role": role, "content": draw(contents)}
    if role == "assistant":
        if draw(st.booleans()):
            made["content"] = draw(st.sampled_from(THOUGHTS))
        else:
            made["reasoning_content"] = draw(st.sampled_from(["r", " \nrr\n", None, 5]))
        named = st.dictionaries(st.sampled_from(["a", "items", "keys"]), st.sampled_from(VALUES), max_size=3)
        functions = st.fixed_dictionaries({"name": st.sampled_from(["f", "items"])}, optional={"arguments": named})
        shapes = st.one_of(functions, functions.map(lambda function: {"type": "function", "function": function}))
        made["tool_calls"] = draw(st.one_of(st.none(), st.lists(shapes, max_size=3)))
    return made


system_messages = st.sampled_from(["s", " s ", [{"type": "text", "text": "s"}]]).map(
    lambda content: {"role": "system", "content": content}
)
faulty_messages = st.one_of(
    st.just({"role": "system", "content": "late"}),
    st.sampled_from(["developer", "function", None]).map(lambda role: {"role": role, "content": "x"}),
    st.just({"content": "no role"}),
    wrong_contents.map(lambda content: {"role": "user", "content": content}),
    st.just({"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": {}}}]}),
    wrong_contents.map(lambda content: {"role": "assistant", "content": content}),
)
variables = st.fixed_dictionaries(
    {},
    optional={
        "add_generation_prompt": st.booleans(),
        "enable_thinking": st.sampled_from([True, False, None, 0]),
        "add_vision_id": st.booleans(),
        "tools": st.sampled_from([None, [], {"a": 1}, [{"type": "function", "function": {"name": "f", "d": "<&>'é"}}]]),
    },
)


@st.composite
def ordinary_variables(draw, faulty=False):
    """What no rule touches: stock renders it, or refuses it, and ours does the same."""
    messages = draw(st.lists(ordinary_messages(), max_size=7))
    # a result as the first message is mended, so it is no parity input.
    while messages and messages[0]["role"] == "tool":
        messages.pop(0)
    if not faulty or draw(st.booleans()):
        messages.insert(draw(st.integers(0, min(1, len(messages)))), {"role": "user", "content": "q"})
    if draw(st.booleans()):
        messages.insert(0, draw(system_messages))
    if faulty:
        messages.insert(draw(st.integers(0, len(messages))), draw(faulty_messages))
    return {"messages": messages, **draw(variables)}
