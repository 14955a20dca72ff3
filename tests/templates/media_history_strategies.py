"""Invented histories for Hypothesis: with media, and (`ordinary_variables`) without anything that a rule touches."""

from hypothesis import strategies as st

PNG = "iVBORw0KGgoPNG" + "A" * 4200
JPEG = "/9j/JPEG" + "B" * 4200
WAV = "data:audio/wav;base64,WAV" + "C" * 4200
MP4 = "data:video/mp4;base64,MP4" + "D" * 4200

results = st.sampled_from(
    [
        "three files",
        "",
        '{"images":["' + PNG + '"]}',
        '{"images":["' + JPEG + '"]}',
        '{"images":["' + PNG + '"],"audio":"' + WAV + '"}',
        '{"audio":"' + WAV + '"}',
        '{"audios":["' + WAV + '"]}',
        '{"video":"' + MP4 + '"}',
        '{"audio":"' + WAV + '","video":"' + MP4 + '"}',
        '{"image":"' + PNG + '"}',
        "a log about data:audio/ and audio " + "w" * 4200,
        '{"images":["' + PNG[:4081] + '"]}',
        '{"images":["' + PNG[:4082] + '"]}',
        '{"images":["/srv/9j/a.jpg"],"log":"' + "w" * 4200 + '"}',
    ]
)
values = ["x", "", "base64 -d clip", "base64.b64decode(c)", 7, True, None, ["base64 --decode c"], PNG, JPEG, ["x", MP4]]
values += ["see /9j/ " + "w" * 4200, "w" * 5000]
arguments = st.dictionaries(st.sampled_from(["a", "b", "items"]), st.sampled_from(values), max_size=2)
ids = st.sampled_from([None, "c1", "c2", "c3", "same"])


@st.composite
def calls(draw):
    made = {"type": "function", "function": {"name": draw(st.sampled_from(["f", "g"])), "arguments": draw(arguments)}}
    name = draw(ids)
    return made if name is None else {"id": name, **made}


@st.composite
def tool_messages(draw):
    made = {"role": "tool", "content": draw(results)}
    name = draw(ids)
    return made if name is None else {"tool_call_id": name, **made}


@st.composite
def batches(draw):
    """An assistant message with calls, and about as many results."""
    made = draw(st.lists(calls(), min_size=1, max_size=3))
    answers = draw(st.lists(tool_messages(), min_size=0, max_size=len(made) + 1))
    return [{"role": "assistant", "content": draw(st.sampled_from(["", "text"])), "tool_calls": made}, *answers]


user_messages = st.sampled_from(["z", "go on"]).map(lambda text: {"role": "user", "content": text})
pieces = st.one_of(
    batches(),
    batches(),
    batches(),
    user_messages.map(lambda message: [message]),
    st.just([{"role": "assistant", "content": "done"}]),
    tool_messages().map(lambda message: [message]),
)


@st.composite
def media_histories(draw):
    """Begins with a user message; anything may follow, results without a call and unanswered calls too."""
    made = draw(st.lists(pieces, max_size=7))
    return [{"role": "user", "content": "q"}, *(message for piece in made for message in piece)]


payloads = st.sampled_from([f',"images":["{PNG}"]', f',"audio":"{WAV}"', f',"video":"{MP4}"', ""])


@st.composite
def complete_histories(draw):
    """Every call has an id and one result, which begins with that id; the last message is the user's."""
    made = [{"role": "user", "content": "q"}]
    for batch in range(draw(st.integers(1, 5))):
        names = [f"c{batch}{number}" for number in range(draw(st.integers(1, 3)))]
        called = [{"id": name, "type": "function", "function": {"name": name, "arguments": {}}} for name in names]
        made.append({"role": "assistant", "content": "", "tool_calls": called})
        for name in draw(st.permutations(names)):
            content = '{"of":"' + name + '"' + draw(payloads) + "}"
            made.append({"role": "tool", "tool_call_id": name, "content": content})
        if draw(st.booleans()):
            made.append({"role": "user", "content": "go on"})
    return [*made, {"role": "user", "content": "z"}]


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
