"""Conversations of the field, and known bugs, from the folder of references. Skipped where that folder is absent."""

import json

import pytest
from families import PLAIN, SANDBOX, SHARED, STABLE, outcome, render, stock

CASES = [json.loads(path.read_bytes()) for path in sorted((SHARED / "cases" / "field").glob("*.json"))]
BUGS = [json.loads(path.read_bytes()) for path in sorted((SHARED / "cases" / "bugs").glob("*.json"))]
# D-15: the cases describe the family's original. Here ours departs from it, by which rule, and prints what instead.
DEPARTURES = {
    "04-three-leading-system": ("X-16", "One.\nTwo.<|im_end|>\n<|im_start|>system\nThree.<|im_end|>\n"),
    "05-mid-conversation-system": ("X-16", "<|im_start|>system\nHook: tests must pass.<|im_end|>\n"),
    "10-developer-mid": ("X-16", "<|im_start|>system\nFrom now on use metric units.<|im_end|>\n"),
    "17-string-arguments": (
        "X-15",
        '<function=read>\n<arguments_json>\n{"path": "a.py"}\n</arguments_json>\n</function>',
    ),
    "19-string-arguments-vllm": ("X-15", '<arguments_json>\n{"city":"Oslo"}\n</arguments_json>'),
    "20-string-arguments-langchain": ("X-15", '<arguments_json>\n{"xml":"<box/>"}\n</arguments_json>'),
    "38-unclosed-think-call": ("X-35", "<think>\nlist the files\n</think>\n\n<tool_call>"),
}


def variables(case):
    return {"messages": case["messages"], "tools": case["tools"], "add_generation_prompt": True, **case["kwargs"]}


def complaints(case, expected):
    """What of a `stable` block does not hold."""
    kind, text = outcome(STABLE.built, variables(case))
    if "error" in expected or kind == "error":
        return [] if kind == "error" and expected.get("error", "?") in text else [f"{kind}: {text}"]
    found = [f"lacks {wanted}" for wanted in expected.get("contains", []) if wanted not in text]
    found += [f"holds {unwanted}" for unwanted in expected.get("absent", []) if unwanted in text]
    found += [f"counts {counted}" for counted, n in expected.get("counts", {}).items() if text.count(counted) != n]
    if expected.get("equals_stock") and outcome(stock(), variables(case)) != (kind, text):
        found.append("differs from stock")
    if "prefix_kept" in expected and prefix_is_kept(case) != expected["prefix_kept"]:
        found.append("prefix")
    return found


def prefix_is_kept(case):
    given = variables(case) | {"add_generation_prompt": False}
    longer = given | {"messages": case["messages"] + case["followup"]}
    return render(STABLE.built, longer).startswith(render(STABLE.built, given))


@pytest.mark.skipif(not CASES, reason="the cases are not beside the repository")
def test_every_case_says_what_the_family_prints_and_every_departure_is_a_case():
    assert [case["id"] for case in CASES if "stable" not in case["expect"]] == []
    assert DEPARTURES.keys() <= {case["id"] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_comes_out_as_from_the_original_but_for_the_departures(case):
    departs = bool(complaints(case, case["expect"]["stable"]))
    assert departs == (case["id"] in DEPARTURES), complaints(case, case["expect"]["stable"])
    if departs:
        rule, printed = DEPARTURES[case["id"]]
        assert printed in render(STABLE.built, variables(case)), rule


@pytest.mark.parametrize(
    "bug", [bug for bug in BUGS if {"stable", "stock"} & set(bug["families"])], ids=lambda bug: f"X-{bug['id']}"
)
def test_a_known_bug_is_mended(bug):
    prompt = render(STABLE.built, bug["payload"], PLAIN)
    assert [word for word in bug["lost"] if word not in prompt] == []
    actual = [bug["actual"][family] for family in ("stable", "stock") if family in bug["actual"]]
    # Stock's bytes stay where parity was decided.
    assert (prompt in actual) == (bug["id"] in ("46", "48"))
    assert render(STABLE.built, bug["payload"], SANDBOX) == prompt
    assert prompt.count("<|im_start|>") == prompt.count("<|im_end|>") + 1
