"""What media rules may take out of a history, and what they may not."""

from collections.abc import Mapping

import pytest

from release.render.structure import Structure, complaints
from release.render.structure.limits import is_cut, limit_of
from release.render.structure.rules import CHECKS

PNG = '{"images":["iVBORw0KGgo' + "A" * 4_200 + '"]}'
LINE = "[An image stood here.]"
ALL = Structure(frozenset(CHECKS), {"trimmed-results": "r", "media": "r"})


def call(name: str, number: str | None = None, **arguments: object) -> dict[str, object]:
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return made if number is None else {"id": number, **made}


def reply(*calls: object, content: str = "t") -> dict[str, object]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(content: str, number: str | None = None) -> dict[str, object]:
    made = {"role": "tool", "content": content}
    return made if number is None else {"tool_call_id": number, **made}


def shown(*names: str, text: str = "t") -> str:
    calls = "\n".join(f"<tool_call>\n<function={name}>\n</function>\n</tool_call>" for name in names)
    return f"<|im_start|>assistant\n{text}\n\n{calls}<|im_end|>\n"


def results(*texts: str) -> str:
    blocks = "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)
    return f"<|im_start|>user\n{blocks}<|im_end|>\n"


def found(messages: list[dict[str, object]], prompt: str, structure: Structure = ALL) -> set[str]:
    asked = [{"role": "user", "content": "q"}, *messages, {"role": "user", "content": "z"}]
    given: Mapping[str, object] = {"messages": asked}
    whole = f"<|im_start|>user\nq<|im_end|>\n{prompt}<|im_start|>user\nz<|im_end|>\n"
    return {one.check for one in complaints(whole, given, structure)}


BATCH = [reply(call("a"), call("b"), call("c")), result("one"), result(PNG), result("three")]


@pytest.mark.parametrize(
    ("messages", "prompt"),
    [
        (BATCH, shown("a", "b", "c") + results("one", PNG, "three")),
        (BATCH, shown("a", "b", "c") + results("one", LINE, "three")),
        (BATCH, shown("a", "c") + results("one", "three")),
        ([reply(call("a")), result(PNG)], ""),
        ([reply(call("a")), result(PNG), reply(call("b")), result("kept")], shown("b") + results("kept")),
        ([result(PNG), result("orphan")], results("orphan")),
        (
            [reply(call("a")), result(PNG), reply(call("decode", how="base64 -d f")), result("done")],
            "",
        ),
        ([reply(call("a", "x"), call("a", "y")), result(PNG, "y"), result("r", "x")], shown("a") + results("r")),
    ],
)
def test_long_media_may_leave_with_their_calls(messages: list[dict[str, object]], prompt: str) -> None:
    assert found(messages, prompt) == set()


@pytest.mark.parametrize(
    ("messages", "prompt", "check"),
    [
        (BATCH, shown("a", "b", "c") + results("one", "three"), "results"),
        (BATCH, shown("a", "c") + results("one", LINE, "three"), "results"),
        (BATCH, shown("a", "c") + results("three"), "results"),
        (BATCH, "", "order"),
        ([reply(call("a")), result("short")], "", "order"),
        ([reply(call("a")), result("short")], shown("a") + results(LINE), "results"),
        ([reply(call("a")), result('{"images":["iVBORw0KGgo"]}')], "", "order"),
        ([reply(call("decode", how="base64 -d f")), result("done")], "", "order"),
        ([reply(call("a")), result(PNG), {"role": "assistant", "content": "kept"}], "", "order"),
        ([reply(call("a"), content="x"), result(PNG)], shown("a", text="y") + results(LINE), "texts"),
    ],
)
def test_nothing_else_may_leave(messages: list[dict[str, object]], prompt: str, check: str) -> None:
    assert check in found(messages, prompt)


def test_where_media_stay_nothing_may_leave() -> None:
    assert found(BATCH, shown("a", "c") + results("one", "three"), Structure(frozenset(CHECKS))) != set()


def test_a_line_may_stand_for_a_long_argument_that_holds_media() -> None:
    def prompt(value: str) -> str:
        block = f"<parameter=a>\n{value}\n</parameter>\n"
        text = f"t\n\n<tool_call>\n<function=f>\n{block}</function>\n</tool_call>"
        return f"<|im_start|>assistant\n{text}<|im_end|>\n"

    long, wide = "data:image/png;base64," + "A" * 4_200, "w" * 5_000
    assert found([reply(call("f", a=long))], prompt(LINE)) == set()
    assert found([reply(call("f", a=[long]))], prompt(LINE)) == set()
    assert found([reply(call("f", a=long))], prompt(f"{LINE}\n{LINE}")) == {"calls"}
    assert found([reply(call("f", a=wide))], prompt(LINE)) == {"calls"}


@pytest.mark.parametrize(
    ("shown", "sent", "limit", "cut"),
    [
        ("x" * 10 + "\n[12,000 characters]", "x" * 12_000, 10, True),
        ("aaaa [cut: 9] aaaa", "aaaabaaaa", 8, True),
        ("[cut: 27]", "字" * 9, 8, True),
        ("[cut: 18]", "😀" * 9, 8, True),
        ("x" * 10, "x" * 12_000, 10, False),
        ("x" * 10 + "[11999]", "x" * 12_000, 10, False),
        ("y" * 10 + "[12000]", "x" * 12_000, 0, False),
        ("x" * 60 + "[12000]", "x" * 12_000, 10, False),
        ("[5]", "short", 8, False),
    ],
)
def test_a_text_is_cut_if_its_notice_says_how_long_it_was(shown: str, sent: str, limit: int, cut: bool) -> None:
    assert is_cut(shown, sent, limit) is cut


@pytest.mark.parametrize(
    ("value", "limit"), [(5, 5), ("12", 12), ("x", 0), (None, 0), (True, 0), (-1, 0), (0, 0), (1.5, 0)]
)
def test_a_limit_is_a_number_above_zero(value: object, limit: int) -> None:
    assert limit_of(value) == limit


def test_a_cut_result_may_have_a_note_and_hold_a_closing_tag() -> None:
    text = "head\n</tool_response>\n" + "x" * 500 + "\ntail"
    cut = "head\n</tool_response>\n[cut, 527 characters]\ntail"
    limits = Structure(frozenset(CHECKS), {"limits": "r", "notes": "r"})
    given = {"messages": [{"role": "tool", "content": text}], "max_tool_response_chars": 60}
    for shown in (cut, f"{cut}\n\nNote{'.' * 300}"):
        prompt = f"<|im_start|>user\n<tool_response>\n{shown}\n</tool_response><|im_end|>\n"
        assert {one.check for one in complaints(prompt, given, limits)} == set()
    wrong = f"<|im_start|>user\n<tool_response>\n{cut.replace('527', '528')}\n</tool_response><|im_end|>\n"
    assert {one.check for one in complaints(wrong, given, limits)} == {"results"}
