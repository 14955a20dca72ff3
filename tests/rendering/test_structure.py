"""What must hold of every prompt: right prompts pass, and each way to be wrong is found under its name."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from release.render.structure import Structure, complaints
from release.render.structure.growth import growing
from release.render.structure.harmless import harmless, restored
from release.render.structure.rules import CHECKS, MODULO

TOOLS = [{"type": "function", "function": {"name": "look", "description": "<&'é>"}}, {"name": "bare"}]
CALLS = [
    {
        "id": "c1",
        "type": "function",
        "function": {"name": "look", "arguments": {"at": " a\n b ", "deep": {"x": [1.5]}}},
    },
    {"id": "c2", "type": "function", "function": {"name": "count", "arguments": {"n": 2, "all": True, "of": None}}},
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": " You watch. "},
    {"role": "user", "content": "Look twice.\n"},
    {"role": "assistant", "content": "Both.", "reasoning_content": "a plan", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "c1", "content": "\topen\n"},
    {"role": "tool", "tool_call_id": "c2", "content": "two"},
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "raw", "arguments": "{"}}]},
    {"role": "tool", "content": ""},
    {"role": "assistant", "content": "It is open."},
]
HEAD = (
    "<|im_start|>system\n# Tools\n\nThese are the tools:\n\n<tools>\n"
    '{"type": "function", "function": {"name": "look", "description": "<&\'é>"}}\n{"name": "bare"}\n</tools>\n\n'
    "Call so: <tool_call>\n<function=f>\n</function>\n</tool_call>\n\nYou watch.<|im_end|>\n"
)
BODY = (
    "<|im_start|>user\nLook twice.<|im_end|>\n"
    "<|im_start|>assistant\n<think>\na plan\n</think>\n\nBoth.\n\n"
    "<tool_call>\n<function=look>\n<parameter=at>\n a\n b \n</parameter>\n"
    '<parameter=deep>\n{"x": [1.5]}\n</parameter>\n</function>\n</tool_call>\n'
    "<tool_call>\n<function=count>\n<parameter=n>\n2\n</parameter>\n<parameter=all>\nTrue\n</parameter>\n"
    "<parameter=of>\nnull\n</parameter>\n</function>\n</tool_call><|im_end|>\n"
    "<|im_start|>user\n<tool_response>\n\topen\n\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    "<tool_call>\n<function=raw>\n<arguments_json>\n{\n</arguments_json>\n</function>\n</tool_call><|im_end|>\n"
    "<|im_start|>user\n<tool_response>\n\n</tool_response><|im_end|>\n"
    "<|im_start|>assistant\nIt is open.<|im_end|>\n"
)
PROMPT = HEAD + BODY + "<|im_start|>assistant\n<think>\n"
GIVEN = {"messages": MESSAGES, "tools": TOOLS, "add_generation_prompt": True}
ALL = frozenset(CHECKS)


def found(prompt: str, given: Mapping[str, object] = GIVEN, *modulo: str, holds: frozenset[str] = ALL) -> set[str]:
    return {one.check for one in complaints(prompt, given, Structure(holds, dict.fromkeys(modulo, "r")))}


def swap(old: str, new: str) -> Callable[[str], str]:
    def change(prompt: str) -> str:
        assert prompt.count(old) >= 1, old
        return prompt.replace(old, new, 1)

    return change


def talk(*messages: tuple[str, str], **more: object) -> dict[str, object]:
    said = [{"role": role, "content": content} for role, content in messages]
    return {"messages": said, "add_generation_prompt": False, **more}


def block(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def test_a_right_prompt_has_nothing_wrong_with_it() -> None:
    assert complaints(PROMPT, GIVEN, Structure(ALL)) == ()


def test_nothing_is_looked_at_that_does_not_hold() -> None:
    assert found("nonsense", holds=frozenset()) == set()
    wrong = PROMPT.replace("two", "three")
    assert complaints(wrong, GIVEN, Structure(ALL), exceptions=["results"]) == ()


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (swap("It is open.<|im_end|>\n", "It is open."), "turns"),
        (swap("<|im_start|>user\n<tool_response>\n\topen", "\n<tool_response>\n\topen"), "turns"),
        (lambda prompt: "\n" + prompt, "turns"),
        (swap("It is open.<|im_end|>\n", "It is open.<|im_end|>\n\n"), "turns"),
        (swap(block("assistant", "It is open."), block("tool", "It is open.")), "turns"),
        (swap(block("assistant", "It is open."), ""), "order"),
        (swap(block("assistant", "It is open."), block("user", "It is open.")), "order"),
        (swap(block("assistant", "It is open."), block("assistant", "It is open.") * 2), "order"),
        (swap(block("user", "Look twice."), ""), "order"),
        (swap(block("user", "<tool_response>\n\n</tool_response>"), ""), "order"),
        (swap("Look twice.", "Look twice"), "texts"),
        (swap("Look twice.", "Look  twice."), "texts"),
        (swap("Look twice.<|im_end|>", "Look twice.\n<|im_end|>"), "texts"),
        (swap("It is open.", "It is open"), "texts"),
        (swap("Both.\n\n", "Both.\n"), "texts"),
        (swap("Both.\n\n", ""), "texts"),
        (swap("a plan", "a plot"), "texts"),
        (swap("<think>\na plan\n</think>\n\n", ""), "texts"),
        (swap("<think>\na plan\n</think>\n\n", "<think>\na plan\n</think>\n"), "texts"),
        (swap("\n\nYou watch.", ""), "order"),
        (swap("\n\nYou watch.", "\n\nYou watch!"), "order"),
        (swap('{"name": "bare"}\n', ""), "tools"),
        (swap('{"name": "bare"}', '{"name": "Bare"}'), "tools"),
        (swap('{"name": "bare"}\n', '{"name": "bare"}\n{"name": "more"}\n'), "tools"),
        (lambda prompt: block("system", "You watch.") + prompt.removeprefix(HEAD), "tools"),
        (swap(" a\n b \n</parameter>", "a\n b\n</parameter>"), "calls"),
        (swap('{"x": [1.5]}', '{"x": [1]}'), "calls"),
        (swap("<parameter=n>\n2", "<parameter=n>\n3"), "calls"),
        (swap("\nTrue\n", "\nFalse\n"), "calls"),
        (swap("\nnull\n", "\n\n"), "calls"),
        (swap("<function=count>", "<function=counts>"), "calls"),
        (swap("<parameter=n>\n2\n</parameter>\n", ""), "calls"),
        (swap("<arguments_json>\n{\n</arguments_json>\n", ""), "calls"),
        (swap("</tool_call>\n<tool_call>", "</tool_call><tool_call>"), "calls"),
        (swap("</tool_call>\n<tool_call>", "</tool_call> and\n<tool_call>"), "calls"),
        (swap("</tool_call><|im_end|>", "</tool_call>\n<|im_end|>"), "calls"),
        (swap("\topen\n\n</tool_response>", "open\n</tool_response>"), "results"),
        (swap("\ntwo\n", "\ntwo \n"), "results"),
        (swap("<tool_response>\ntwo\n</tool_response>", ""), "results"),
        (swap("two\n</tool_response>", "two\n</tool_response>\n<tool_response>\ntwo\n</tool_response>"), "results"),
        (swap("two\n</tool_response>", "two\n</tool_response>\nNote."), "results"),
        (swap("two\n</tool_response>", "two\n\nNote.\n</tool_response>"), "results"),
        (swap("</tool_response>\n<tool_response>", "</tool_response><tool_response>"), "results"),
        (lambda prompt: prompt.removesuffix("<|im_start|>assistant\n<think>\n"), "prompt"),
        (lambda prompt: prompt + "\n</think>\n\n", "prompt"),
        (lambda prompt: prompt.removesuffix("<think>\n"), "prompt"),
        (swap("Call so", "Call so <|endoftext|>"), "tokens"),
        (swap("Call so: <tool_call>", "Call so: "), "tokens"),
    ],
)
def test_each_way_to_be_wrong_is_found_under_its_name(change: Callable[[str], str], check: str) -> None:
    assert check in found(change(PROMPT))


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ({"add_generation_prompt": False}, ""),
        ({}, ""),
        ({"add_generation_prompt": True}, "<|im_start|>assistant\n<think>\n"),
        ({"add_generation_prompt": True, "enable_thinking": True}, "<|im_start|>assistant\n<think>\n"),
        ({"add_generation_prompt": True, "enable_thinking": "false"}, "<|im_start|>assistant\n<think>\n"),
        ({"add_generation_prompt": True, "enable_thinking": False}, "<|im_start|>assistant\n<think>\n\n</think>\n\n"),
    ],
)
def test_the_end_is_the_one_that_the_keywords_ask_for(given: dict[str, object], end: str) -> None:
    given = {"messages": [{"role": "user", "content": "q"}], **given}
    ends = {"", "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n<think>\n\n</think>\n\n"}
    right = {one for one in ends if found(block("user", "q") + one, given) == set()}
    assert right == {end}


@pytest.mark.parametrize(
    ("messages", "given", "closed", "open_"),
    [
        ([("user", "q")], {"enable_thinking": "FALSE"}, True, False),
        ([("user", "q")], {"enable_thinking": 0}, True, False),
        ([("user", "q")], {"enable_thinking": None}, False, True),
        ([("user", "q <|think_off|>")], {}, True, True),
        ([("user", "q"), ("tool", "Error: x")], {}, True, True),
        ([("user", "q")], {"auto_disable_thinking_with_tools": True, "tools": [{"name": "f"}]}, True, True),
        ([("user", "q"), ("assistant", "<|think_off|>")], {}, False, True),
    ],
)
def test_where_thinking_can_be_switched_the_end_follows(
    messages: list[tuple[str, str]], given: dict[str, object], closed: bool, open_: bool
) -> None:
    variables = talk(*messages) | {"add_generation_prompt": True} | given
    prompt = "".join(block(role, text) for role, text in messages)
    start = "<|im_start|>assistant\n<think>\n"
    holds = frozenset({"prompt"})
    assert ("prompt" not in found(f"{prompt}{start}\n</think>\n\n", variables, "switches", holds=holds)) is closed
    assert ("prompt" not in found(prompt + start, variables, "switches", holds=holds)) is open_


@pytest.mark.parametrize(
    ("modulo", "given", "prompt"),
    [
        ("trimmed-results", talk(("tool", "\ta \n")), block("user", "<tool_response>\na\n</tool_response>")),
        ("notes", talk(("tool", "a")), block("user", "<tool_response>\na\n\nNote.\n</tool_response>")),
        ("notes", talk(("user", "a")), block("user", "a\n\nNote.")),
        ("notes", talk(("system", "a"), ("user", "q")), block("system", "a\n\nToday.") + block("user", "q")),
        ("switches", talk(("user", "a<|think_off|>")), block("user", "a")),
        ("switches", talk(("system", "<|think_on|> a")), block("system", "a")),
        ("switches", talk(("system", "<|think_on|>"), ("user", "q")), block("user", "q")),
        ("marker", talk(("assistant", "a <__media__>b")), block("assistant", "a b")),
        ("marker", talk(("assistant", "a <m>b"), media_marker="<m>"), block("assistant", "a b")),
        (
            "healing",
            talk(("user", "q"), ("assistant", "ok\n<tool_call>\n<function=f>")),
            block("user", "q") + block("assistant", "ok\n<tool_call>\n<function=f>\n</function>\n</tool_call>"),
        ),
        (
            "limits",
            talk(("tool", "x" * 900), max_tool_response_chars="100"),
            block("user", f"<tool_response>\n{'x' * 50}\n[cut, 900 characters]\n{'x' * 50}\n</tool_response>"),
        ),
    ],
)
def test_what_a_family_leaves_out_of_account_is_right_there_and_wrong_elsewhere(
    modulo: str, given: dict[str, object], prompt: str
) -> None:
    assert found(prompt, given, modulo) == set()
    if modulo != "healing":
        assert found(prompt, given, *MODULO.keys() - {modulo}) != set()


def test_a_media_marker_is_text_where_the_template_is_told_of_none() -> None:
    given = talk(("assistant", "a <__media__>b"), media_marker="")
    assert found(block("assistant", "a <__media__>b"), given, "marker") == set()
    assert found(block("assistant", "a <__media__>b"), given | {"media_marker": None}, "marker") == {"texts"}


@pytest.mark.parametrize(
    ("given", "prompt"),
    [
        (talk(("system", "a"), ("developer", "b"), ("user", "q")), block("system", "a\nb") + block("user", "q")),
        (
            talk(("system", "a"), ("developer", "b"), ("user", "q")),
            block("system", "a") + block("system", "b") + block("user", "q"),
        ),
        (talk(("system", " "), ("user", "q")), block("user", "q")),
        (talk(("system", " "), ("user", "q")), block("system", "") + block("user", "q")),
        (talk(("user", "q"), ("system", "late")), block("user", "q") + block("system", "late")),
        (
            talk(("tool", "r"), ("user", "q")),
            block("user", "<tool_response>\nr\n</tool_response>") + block("user", "q"),
        ),
        (
            talk(("tool", "r"), ("system", ""), ("tool", "s")),
            block("user", "<tool_response>\nr\n</tool_response>\n<tool_response>\ns\n</tool_response>"),
        ),
        (
            talk(("tool", "r"), ("function", "s")),
            block("user", "<tool_response>\nr\n</tool_response>\n<tool_response>\ns\n</tool_response>"),
        ),
        (
            talk(("tool", "r"), ("function", "s")),
            block("user", "<tool_response>\nr\n</tool_response>") + block("user", "[function]: s"),
        ),
        (talk(("user", "q"), ("critic", "no")), block("user", "q") + block("user", "[critic]: no")),
        (talk(("user", "\u00a0q\u3000")), block("user", "q")),
        (talk(("user", "\u00a0q\u3000")), block("user", "\u00a0q\u3000")),
        (talk(("user", "q\ufeff")), block("user", "q")),
        (talk(("user", "<tool_response>\nx\n</tool_response>")), block("user", "<tool_response>\nx\n</tool_response>")),
    ],
)
def test_what_is_a_familys_own_business_is_left_to_it(given: dict[str, object], prompt: str) -> None:
    assert found(prompt, given) == set()


def test_an_answer_behind_a_thought_in_the_text_is_not_lost() -> None:
    given = talk(("user", "q"), ("assistant", "<think>\nplan\n</think>\n\nThe answer is 4."))
    asked = block("user", "q")
    assert found(asked + block("assistant", "The answer is 4."), given) == set()
    assert found(asked + block("assistant", "<think>\nplan\n</think>\n\nThe answer is 4."), given) == set()
    assert found(asked + block("assistant", "<think>\nplan\n</think>\n\nThe answer is."), given) == {"texts"}


def test_calls_as_json_are_compared_by_what_they_say() -> None:
    calls = [
        {"name": "f", "arguments": {"a": [1, "é"]}},
        {"name": "g", "arguments": '{"b": 1}'},
        {"name": "h", "arguments": "cut {"},
        {"name": "i", "arguments": None},
    ]
    given = {"messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": one} for one in calls]}]}
    shown = ['{"a": [1, "é"]}', '{"b": 1}', json.dumps("cut {"), "{}"]
    lines = [
        f'<tool_call>\n{{"name": "{call["name"]}", "arguments": {text}}}\n</tool_call>'
        for call, text in zip(calls, shown, strict=True)
    ]
    assert found(block("assistant", "\n\n".join(lines)), given) == set()
    for wrong in (lines[:3], [*lines[:3], lines[3].replace("{}", "[]")], [lines[0].replace("é", "e"), *lines[1:]]):
        assert found(block("assistant", "\n\n".join(wrong)), given) == {"calls"}


def test_one_call_and_the_older_form_of_a_call_are_calls() -> None:
    shown = block("assistant", "<tool_call>\n<function=f>\n</function>\n</tool_call>")
    for given in ({"tool_calls": {"name": "f"}}, {"function_call": {"name": "f", "arguments": ""}}):
        messages = [{"role": "assistant", "content": None, **given}]
        assert found(shown, {"messages": messages}) == set()
        assert found(block("assistant", ""), {"messages": messages}) == {"calls"}


def test_media_parts_are_placeholders_in_their_place() -> None:
    parts = ["a", {"type": "image_url", "image_url": {"url": "u"}}, {"type": "text", "text": None}, {"type": "video"}]
    parts += [{"text": "b", "image": None}, {"type": "text", "text": "c", "image_url": None}, {"video": "v"}, 5]
    given = {"messages": [{"role": "user", "content": parts}]}
    picture, film = (f"<|vision_start|><|{kind}_pad|><|vision_end|>" for kind in ("image", "video"))
    assert found(block("user", f"a{picture}{film}bc{film}"), given) == set()
    assert found(block("user", f"a{picture}{film}bc"), given) == {"texts"}
    numbered = block("user", f"aPicture 1: {picture}Video 1: {film}bcVideo 2: {film}")
    assert found(numbered, given | {"add_vision_id": True}) == set()
    assert found(numbered.replace("Video 2", "Video 1"), given | {"add_vision_id": True}) == {"texts"}


def test_control_tokens_of_the_conversation_are_made_harmless_and_come_back() -> None:
    given = {"messages": [{"role": "user", "content": ["<|im_end|>", {"<|a|>": "<|think_on|>"}]}], "n": 1}
    tame = harmless(given)
    assert tame == {"messages": [{"role": "user", "content": ["<!im_end!>", {"<!a!>": "<|think_on|>"}]}], "n": 1}
    assert restored("x<!im_end!>") == "x<|im_end|>"
    assert harmless({"messages": [{"content": "<|think_off|>"}], "n": 1}) is None
    assert harmless({"messages": ["<|im_end|>", "<!im_end!>"]}) is None


@pytest.mark.parametrize(
    ("holds", "given", "promised"),
    [
        ("append-only", {}, True),
        ("append-only", {"preserve_thinking": None}, True),
        ("append-only", {"preserve_thinking": "False"}, False),
        ("append-only", {"preserve_thinking": 0}, False),
        ("append-only-if-asked", {}, False),
        ("append-only-if-asked", {"preserve_thinking": 1}, False),
        ("append-only-if-asked", {"preserve_thinking": True}, True),
        ("turns", {}, False),
        ("append-only", {"messages": None}, False),
    ],
)
def test_a_history_grows_outside_its_head_and_not_between_two_results(
    holds: str, given: dict[str, object], promised: bool
) -> None:
    roles = ["system", "system", "user", "assistant", "tool", "tool"]
    variables = {"messages": [{"role": role, "content": ""} for role in roles], **given}
    assert growing(variables, frozenset({holds})) == ((2, 3, 4) if promised else ())


def test_a_system_message_without_words_parts_no_results() -> None:
    given = talk(("user", "q"), ("tool", "r"), ("system", " "), ("tool", "s"), ("system", "x"), ("tool", "t"))
    assert growing(given, frozenset({"append-only"})) == (1, 4, 5)


def test_variables_that_hold_no_messages_have_no_place_to_look_at() -> None:
    assert found("", {"messages": ["x"]}) == set()
