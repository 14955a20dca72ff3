"""All conversations of the field and all known bugs, in the suite and every engine that is here.

They lie in the folder of references; where it does not lie beside the repository, these tests are left out.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from built import FAMILIES, SHARED, built, package, stock

from release.render.allowances import Allowances
from release.render.engines.catalogue import NAMES, open_engines
from release.render.expectations import Expectation
from release.render.family import Family
from release.render.fixtures import Fixture
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun, Finding

CASES = SHARED / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not here: nothing to run")

# D-15 and what else was decided: where ours departs from the original that a case describes, the rule, and what is
# printed instead.
DEPARTURES: dict[str, dict[str, tuple[str, Expectation]]] = {
    "stable": {
        "04-three-leading-system": ("X-16", Expectation(True, contains=("One.\nTwo.", "Three."))),
        "05-mid-conversation-system": ("X-16", Expectation(True, contains=("Hook: tests must pass.",))),
        "10-developer-mid": ("X-16", Expectation(True, contains=("metric units",))),
        "17-string-arguments": ("X-15", Expectation(True, contains=("<arguments_json>", "a.py"))),
        "19-string-arguments-vllm": ("X-15", Expectation(True, contains=("Oslo",))),
        "20-string-arguments-langchain": ("X-15", Expectation(True, contains=("<box/>",))),
        "38-unclosed-think-call": (
            "X-35",
            Expectation(True, contains=("<think>\nlist the files\n</think>\n\n<tool_call>",)),
        ),
    },
    "media-history": {
        "11-empty-system-no-tools": ("X-52", Expectation(True, absent=("<|im_start|>system",))),
        "17-string-arguments": ("X-08", Expectation(True, contains=("<arguments_json>", "a.py"))),
        "19-string-arguments-vllm": ("X-08", Expectation(True, contains=("Oslo",))),
        "20-string-arguments-langchain": ("X-08", Expectation(True, contains=("<box/>",))),
        "22-empty-string-arguments": ("X-08", Expectation(True, contains=("<function=now>\n</function>",))),
        "23-null-arguments": ("X-08", Expectation(True, contains=("<function=now>\n</function>",))),
        "38-unclosed-think-call": (
            "X-35",
            Expectation(True, contains=("<think>\nlist the files\n</think>\n\n<tool_call>",)),
        ),
    },
}
# Its results stay trimmed, as stock trims them (D-14).
KEPT_AS_IT_WAS = {"46"}
ENGINES = [name for name in NAMES if name != "minja"]


# Where a case speaks of what only some engines do.
ELSEWHERE = {
    "43-tool-envelope": {"jinja2": "its own tojson sorts keys"},
    "44-non-ascii-tool": {"jinja2": "its own tojson escapes"},
}
# An error of the engine's own, in the words of Python.
IN_WORDS_OF_ITS_OWN = dict.fromkeys(("minijinja", "hf-jinja", "llama.cpp-raw"), "it says so in other words")

OF_NULL = dict.fromkeys(("llama.cpp", "llama.cpp-bare"), "its filter items takes null")


def read(folder: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(Path(CASES, folder).glob("*.json"))]


def expectation(said: dict[str, Any], more: Expectation | None = None) -> Expectation:
    """What a block of a case says, as an expectation."""
    if more is not None:
        return more
    if "error" in said:
        return Expectation(renders=False, error=said["error"])
    return Expectation(
        True,
        tuple(said.get("contains", ())),
        tuple(said.get("absent", ())),
        tuple(said.get("counts", {}).items()),
        ends_with=said.get("ends_with", ""),
        equals=("stock",) if said.get("equals_stock") else (),
    )


def field_fixtures(family: str) -> list[Fixture]:
    """Each case and, where it speaks of a prefix, what follows it. Media-history promises what stock does (M-001)."""
    described = {"media-history": "stock"}.get(family, family)
    fixtures = []
    for case in read("field"):
        said = case["expect"][described]
        departs = DEPARTURES.get(family, {}).get(case["id"], (None, None))[1]
        given = {"messages": case["messages"], "tools": case["tools"], "add_generation_prompt": True, **case["kwargs"]}
        without = ELSEWHERE.get(case["id"], {})
        if family == "stock" and said.get("error", "").startswith("Can only get"):
            without = IN_WORDS_OF_ITS_OWN | (OF_NULL if case["id"] == "23-null-arguments" else {})
        fixtures.append(
            Fixture(case["id"], case["why"], given, expectation(said, departs), Allowances(without=without))
        )
        if "prefix_kept" in said:
            longer = {**given, "messages": [*case["messages"], *case["followup"]]}
            number = (len(case["messages"]),)
            kept = (
                Expectation(True, prefix_kept=number) if said["prefix_kept"] else Expectation(True, prefix_lost=number)
            )
            fixtures.append(Fixture(f"{case['id']}-followed", case["why"], longer, kept))
    return fixtures


def bug_fixtures(family: str) -> list[Fixture]:
    """Each bug that the family, or stock, was shown to have: what was lost is there."""
    return [
        Fixture(bug["id"], bug["title"], bug["payload"], Expectation(True, contains=tuple(bug["lost"])))
        for bug in read("bugs")
        if {family, "stock"} & set(bug["families"])
    ]


@cache
def heard() -> tuple[Finding | Outcome | EngineRun, ...]:
    plain = Family(differs={"json": "plain Jinja2"})
    cases = [Case("stock", stock(), tuple(field_fixtures("stock")), family=plain)]
    for family in FAMILIES:
        # An expected error of stock's is looked for in stock by itself.
        rules = Family(package(family).family.structure, {"json": "plain Jinja2"})
        cases.append(Case(family, built(family), tuple(field_fixtures(family)), stock(), family=rules))
        cases.append(Case(f"{family} bugs", built(family), tuple(bug_fixtures(family)), family=rules))
    return tuple(run_suite(cases, open_engines(ENGINES)))


def findings() -> list[Finding]:
    made = [one for one in heard() if isinstance(one, Finding)]
    return made + [finding for one in heard() if isinstance(one, Outcome) for finding in one.findings]


def test_every_case_of_the_field_and_every_bug_comes_out_right() -> None:
    assert [f"{one.path}: {one.rule}: {one.message}" for one in findings()] == []


def test_all_cases_were_run() -> None:
    counts = Counter(one.case.path for one in heard() if isinstance(one, Outcome) and one.engine == "transformers")
    field = {path: counts[path] for path in ("stock", *FAMILIES)}
    assert field == dict.fromkeys(("stock", *FAMILIES), len(read("field")) + 1)
    assert all(counts[f"{family} bugs"] for family in FAMILIES)


@pytest.mark.parametrize("family", DEPARTURES)
def test_each_departure_is_one(family: str) -> None:
    """Without it the case would be red: no departure stands in the list for nothing."""
    described = {"media-history": "stock"}.get(family, family)
    cases = {case["id"]: case for case in read("field")}
    assert DEPARTURES[family].keys() <= cases.keys()
    fixtures = tuple(
        Fixture(
            name,
            rule,
            {"messages": cases[name]["messages"], "tools": cases[name]["tools"], "add_generation_prompt": True},
            expectation(cases[name]["expect"][described]),
            Allowances(),
        )
        for name, (rule, _) in DEPARTURES[family].items()
    )
    made = run_suite([Case(family, built(family), fixtures, stock())], open_engines(["transformers"]))
    assert [one.fixture.name for one in made if isinstance(one, Outcome) and not one.findings] == []
