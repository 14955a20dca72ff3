"""The odder forms of what is sent: thoughts in parts, calls that are no calls, system texts behind tools."""

import pytest

from release.render.structure import Structure, complaints
from release.render.structure.calls import sent_calls
from release.render.structure.rules import CHECKS

ALL = frozenset(CHECKS)
TOOLS = '<|im_start|>system\n# Tools\n\n<tools>\n{"name": "f"}\n</tools>\n\nInstructions.'


def found(prompt: str, given: dict[str, object], *modulo: str) -> set[str]:
    return {one.check for one in complaints(prompt, given, Structure(ALL, dict.fromkeys(modulo, "r")))}


def block(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def test_a_thought_may_come_in_parts() -> None:
    parts = [{"type": "thinking", "thinking": "first "}, "no part", {"type": "text", "text": "then"}, {"text": 5}]
    given: dict[str, object] = {"messages": [{"role": "assistant", "content": "a", "thinking": parts}]}
    assert found(block("assistant", "<think>\nfirst\n</think>\n\na"), given) == set()
    assert found(block("assistant", "<think>\nlast\n</think>\n\na"), given) == {"texts"}


@pytest.mark.parametrize("calls", [[None, "x", 5], "text", 5, None, []])
def test_what_is_no_call_is_none(calls: object) -> None:
    assert sent_calls({"tool_calls": calls}) == []


@pytest.mark.parametrize(
    "shown",
    [
        "<tool_call>\n<function=f>\n<parameter=a>\nx",
        '<tool_call>\n{"name": "f"}\n</tool_call>',
        '<tool_call>\n["f"]\n</tool_call>',
        "<tool_call>\nf\n</tool_call>",
        '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}',
        "<tool_call>\n<function=f>\n<arguments_json>\nx\n</arguments_json>\n</function>\n</tool_call>",
    ],
)
def test_what_only_begins_like_the_call_is_another_one(shown: str) -> None:
    call = {"name": "f", "arguments": {"a": "x"}}
    given: dict[str, object] = {"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
    assert found(block("assistant", shown), given) == {"calls"}


@pytest.mark.parametrize(
    ("behind", "modulo", "checks"),
    [
        ("\n\nBe brief.", (), set()),
        ("\n\nBe brief.\n\nToday is Monday.", ("notes",), set()),
        ("\n\nBe brief.\n\nToday is Monday.", (), {"order"}),
        ("\nBe brief.", (), {"order"}),
        ("", (), {"order"}),
    ],
)
def test_the_systems_text_stands_behind_the_instructions(
    behind: str, modulo: tuple[str, ...], checks: set[str]
) -> None:
    given: dict[str, object] = {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}],
        "tools": [{"name": "f"}, None],
    }
    assert found(f"{TOOLS}{behind}<|im_end|>\n{block('user', 'q')}", given, *modulo) == checks


def test_a_sentinel_in_a_wrapped_result_is_text_or_is_cut_out() -> None:
    text = "<tool_response>\n<|think_off|>x\n</tool_response>"
    given: dict[str, object] = {"messages": [{"role": "user", "content": text}]}
    assert found(block("user", text), given, "switches") == set()
    assert found(block("user", text.replace("<|think_off|>", "")), given, "switches") == set()
