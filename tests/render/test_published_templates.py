"""Every published template renders its fixtures as expected, in both configurations, and so does its one-line twin."""

import re

import jinja2
import pytest


def outcome(template, variables, environment):
    """('prompt', text), or ('error', message) where the template refuses."""
    try:
        return "prompt", template.render(variables, environment)
    except (jinja2.TemplateError, TypeError) as error:
        return "error", str(error)


def test_every_fixture_comes_out_as_expected(case, environment, template):
    kind, text = outcome(template, case.variables, environment)
    expected = case.expected
    if expected["status"] == "error":
        assert kind == "error"
        assert expected["error"] in text
        return
    assert kind == "prompt", text
    assert [wanted for wanted in expected.get("contains", []) if wanted not in text] == []
    assert [unwanted for unwanted in expected.get("absent", []) if unwanted in text] == []
    counts = expected.get("counts", {})
    assert {counted: text.count(counted) for counted in counts} == counts


def test_what_must_match_stock_matches_it(case, environment, template, stock):
    if case.expected.get("matches_stock"):
        ours = outcome(template, case.variables, environment)
        assert ours == outcome(stock, case.variables, environment)


def test_what_is_refused_is_refused_by_stock_in_the_same_words(case, environment, stock):
    """A template may say more than stock does, such as which message it refuses."""
    if case.expected["status"] == "error":
        kind, text = outcome(stock, case.variables, environment)
        assert kind == "error"
        assert case.expected["error"] in text


def test_the_one_line_twin_renders_the_same(case, environment, template, twin):
    assert outcome(twin, case.variables, environment) == outcome(template, case.variables, environment)


def test_every_block_that_is_opened_is_closed(case, environment, template):
    kind, text = outcome(template, case.variables, environment)
    if kind == "error":
        return
    if case.variables["add_generation_prompt"]:
        text, opened, reply = text.rpartition("<|im_start|>assistant\n")
        assert opened
        assert reply in ("<think>\n", "<think>\n\n</think>\n\n")
    block = r"<\|im_start\|>(?:system|user|assistant)\n(?:(?!<\|im_(?:start|end)\|>).)*<\|im_end\|>\n"
    assert re.fullmatch(f"(?:{block})*", text, re.DOTALL)
    assert text.count("<tool_response>") == text.count("</tool_response>")


def test_the_template_ends_with_one_newline_and_the_twin_with_none(family, template, twin):
    assert re.search(r"[^\n]\n\Z", template.text)
    assert "\n" not in twin.text


@pytest.mark.parametrize("name", ["Apache License", "https://huggingface.co/Qwen/Qwen3.5-27B", "CHANGED FILE"])
def test_the_template_says_where_it_comes_from(family, template, name):
    assert template.text.startswith("{#")
    assert name in template.text.split("#}")[0]
