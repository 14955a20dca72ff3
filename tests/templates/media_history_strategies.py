"""Invented histories with media, for Hypothesis."""

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
