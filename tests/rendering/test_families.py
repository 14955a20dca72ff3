"""Every family passes its suite in every engine that is here, and its checks of structure can fail."""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

import pytest
from built import FAMILIES, built, package, stock, twin

from release.render import structure
from release.render.cases import Kind
from release.render.engines.catalogue import NAMES, open_engines
from release.render.engines.host import Broken
from release.render.engines.transformers import host
from release.render.family import SAMPLE_SIZE
from release.render.structure.harmless import harmless
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun

each_family = pytest.mark.parametrize("family", FAMILIES)


def cases(family: str) -> list[Case]:
    made = package(family)
    whole = Case(f"{family}.jinja", built(family), made.fixtures, stock(), family=made.family)
    line = Case(
        f"{family}_oneline.txt", twin(family), made.fixtures, family=made.family, kind=Kind.TWIN, twin_of=built(family)
    )
    return [whole, line]


@cache
def prompts(family: str) -> Mapping[str, tuple[Mapping[str, object], str]]:
    """Fixture → its variables without control tokens, and what the template makes of them."""
    template = host("2026-01-02T03:04:05").compile(built(family))
    made = {}
    for fixture in package(family).fixtures:
        variables = harmless(fixture.variables) or fixture.variables
        with suppress(Broken):
            made[fixture.name] = variables, template(variables)
    return made


def test_the_families_pass_in_every_engine_that_is_here() -> None:
    made = list(run_suite([case for family in FAMILIES for case in cases(family)], open_engines(NAMES)))
    findings = [one for one in made if not isinstance(one, Outcome | EngineRun)]
    findings += [finding for one in made if isinstance(one, Outcome) for finding in one.findings]
    assert findings == []
    ran = {one.name: one.renders for one in made if isinstance(one, EngineRun) and one.not_run is None}
    assert {"transformers", "jinja2"} <= ran.keys()
    assert ran["transformers"] == sum(len(case.fixtures) for family in FAMILIES for case in cases(family))


@each_family
def test_a_family_says_what_holds_of_its_prompts_and_names_a_sample(family: str) -> None:
    made = package(family).family
    assert {"turns", "order", "texts", "tools", "calls", "results", "prompt", "tokens"} <= made.structure.holds
    assert len(made.sample) == SAMPLE_SIZE


REPLY = r"(?<=<\|im_start\|>assistant\n)"
# What is done to a prompt, and the check that must notice it.
MUTATIONS = {
    "a block that is not closed": (r"<\|im_end\|>\n(?=<\|im_start\|>)", r"\n", "turns"),
    "text between two blocks": (r"(<\|im_end\|>\n)(?=<\|im_start\|>)", r"\1\n", "turns"),
    "a block that is not opened": (r"<\|im_start\|>user\n", "", "turns"),
    "another role": (r"<\|im_start\|>user\n", "<|im_start|>assistant\n", "order"),
    "a block that is left out": (r"<\|im_start\|>user\n.*?<\|im_end\|>\n", "", "order"),
    "a block that is printed twice": (r"(<\|im_start\|>user\n.*?<\|im_end\|>\n)", r"\1\1", "order"),
    "a reply that is left out": (
        r"<\|im_start\|>assistant\n(?!<think>\n$|<think>\n\n</think>\n\n$).*?<\|im_end\|>\n",
        "",
        "order",
    ),
    "a text that is changed": (r"(<\|im_start\|>user\n)(?!<tool_response>)(?=\w)", r"\1X", "texts"),
    "a text that is not trimmed": (r"(<\|im_start\|>user\n)(?!<tool_response>)", r"\1\n", "texts"),
    "a reply that is changed": (REPLY + r"(?=[A-Z])", "X", "texts"),
    "a thought that nobody had": (
        REPLY + r"<think>\n\n</think>\n\n(?=.*<\|im_end\|>)",
        "<think>\nhm\n</think>\n\n",
        "texts",
    ),
    "a tool that is not listed": (r'(<tools>\n)\{"type".*?\n', r"\1", "tools"),
    "a tool that is changed": (r'(<tools>\n\{"type": ")', r"\1x", "tools"),
    "a call of another name": (REPLY + r"((?:(?!<\|im_end\|>).)*?<tool_call>\n<function=)", r"\1x", "calls"),
    "a call that is printed twice": (
        r"(<tool_call>(?:(?!<tool_call>).)*?</tool_call>)(?=<\|im_end\|>)",
        r"\1\n\1",
        "calls",
    ),
    "a value that is changed": (
        REPLY + r"((?:(?!<\|im_end\|>).)*?<parameter=\w+>\n)(?!\[This argument)",
        r"\1 ",
        "calls",
    ),
    "a result that is changed": (r"(<\|im_start\|>user\n<tool_response>\n)(?=\w)", r"\1X", "results"),
    "a result with a note": (r"(\n</tool_response><)", r"\n\nNote.\1", "results"),
    "a result that is left out": (
        r"<tool_response>\n(?:(?!tool_response).)*?</tool_response>\n(?=<tool_response>)",
        "",
        "results",
    ),
    "a result that is printed twice": (
        r"(<tool_response>\n(?:(?!tool_response).)*?</tool_response>)(?=<\|im_end\|>)",
        r"\1\n\1",
        "results",
    ),
    "a thought that is shut": (r"(<\|im_start\|>assistant\n<think>\n)$", r"\1\n</think>\n\n", "prompt"),
    "a prompt for no reply": (r"<\|im_start\|>assistant\n<think>\n$", "", "prompt"),
    "a token of the template's own": (r"(# Tools)", r"\1<|endoftext|>", "tokens"),
    "an example that is not closed": (r"</tool_call>(?=\n\n)", "", "tokens"),
}


@each_family
@pytest.mark.parametrize("name", MUTATIONS)
def test_each_prompt_that_is_made_wrong_is_found_out(family: str, name: str) -> None:
    pattern, instead, check = MUTATIONS[name]
    rules = package(family).family.structure
    missed, under = [], 0
    for fixture, (variables, prompt) in prompts(family).items():
        wrong = re.sub(pattern, instead, prompt, count=1, flags=re.DOTALL)
        if wrong != prompt:
            checks = {one.check for one in structure.complaints(wrong, variables, rules)}
            missed += [] if checks else [fixture]
            under += check in checks
    assert missed == []
    assert under
