"""chatlint's own checks on our templates: nothing that stock passes is failed, and what is failed is explained."""

import pytest
from built import FAMILIES, built, stock, twin
from chatlint.check import check
from chatlint.render import Template

# What chatlint calls an error, and the decision that it stands for.
EXPLAINED = {
    "prefix_stability": "S-012, M-001: as in stock, thoughts of past turns are left out once the user asks again",
    "no_repr_leak": "D-04: None and True are spelled as stock spells them, for byte parity",
}


def errors(text: str) -> set[tuple[str, str]]:
    """(property, conversation) of each error."""
    return {(one.prop, one.shape) for one in check(Template("t", text)).errors}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_error_is_one_of_stocks_and_explained(family: str) -> None:
    found = errors(built(family))
    assert found <= errors(stock())
    assert {prop for prop, _ in found} == EXPLAINED.keys()
    leaks = {shape for prop, shape in found if prop == "no_repr_leak"}
    assert leaks == {"null_and_bool_args", "tool_deep_schema"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_twin_is_found_no_better_and_no_worse(family: str) -> None:
    assert errors(twin(family)) == errors(built(family))


def test_with_thoughts_preserved_no_prefix_of_stable_is_lost() -> None:
    """chatlint passes no keywords: the template is told inside."""
    report = check(Template("t", "{%- set preserve_thinking = true %}" + built("stable")))
    assert {one.prop for one in report.errors} == {"no_repr_leak"}
    assert report.warnings == []


@pytest.mark.parametrize(
    ("family", "refused"), [("stable", set()), ("media-history", {"multiple_system", "system_midway"})]
)
def test_text_arguments_are_rendered_and_only_media_history_keeps_stocks_refusals(
    family: str, refused: set[str]
) -> None:
    """X-08, X-15; M-011 keeps the order that stock asks for, S-002 and X-16 do not."""

    def refusals(text: str) -> set[str]:
        return {one.shape for one in check(Template("t", text)).warnings if one.prop == "renders"}

    assert refusals(stock()) == {"multiple_system", "system_midway", "tool_arguments_as_string"}
    assert refusals(built(family)) == refused
