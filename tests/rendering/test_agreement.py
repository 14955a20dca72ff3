"""One fixture in several engines: a difference is a finding that names both, unless something explains it."""

from collections.abc import Mapping
from typing import Any

import pytest
from told import REFUSED, UNASKED, Engine, Makes, fixture

from release.render.allowances import Allowances
from release.render.differences import KINDS, explained
from release.render.expectations import Expectation
from release.render.family import Family
from release.render.fixtures import Fixture
from release.render.suite import Case, Outcome, run_suite
from release.values.rendering import Failed, Fault

DEVELOPER = {"messages": [{"role": "developer", "content": "d"}]}
REPLY = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}


def said(one: Fixture, family: Family | None = None, **engines: str | Failed | Makes) -> list[str]:
    """What is found, by rule and text, of one fixture in these engines ('_' in a name stands for '-', '__' for '.')."""
    made = []
    for name, makes in engines.items():
        name = name.replace("__", ".").replace("_", "-")
        made.append(Engine(name, makes if callable(makes) else lambda source, variables, made=makes: made))
    case = Case("t.jinja", "t", (one,), family=family or Family())
    outcomes = [one for one in run_suite([case], made) if isinstance(one, Outcome)]
    return [f"{finding.rule}: {finding.message}" for outcome in outcomes for finding in outcome.findings]


def roles(source: str, variables: Mapping[str, Any]) -> str:
    return " ".join(message["role"] for message in variables["messages"])


def as_served(source: str, variables: Mapping[str, Any]) -> str:
    """A server that hands developers over as the system."""
    return roles(source, variables).replace("developer", "system")


def test_engines_that_agree_say_nothing() -> None:
    assert said(fixture(), transformers="a", jinja2="a", minijinja="a") == []


def test_a_difference_is_a_finding_that_names_both_engines() -> None:
    (finding,) = said(fixture(), jinja2="ab", transformers="ac", minijinja="ac")
    wanted = "render/engines-differ: jinja2, fixture 'one': the prompt differs from transformers's from character 1 on"
    assert finding.startswith(wanted)


def test_without_transformers_the_first_engine_is_the_one_to_compare_with() -> None:
    (finding,) = said(fixture(), minijinja="a", jinja2="b")
    assert "jinja2, fixture 'one': the prompt differs from minijinja's" in finding


@pytest.mark.parametrize(
    ("theirs", "text"),
    [
        ("a", "transformers renders it, but here the template raised: no"),
        (Failed(Fault.RAISED, "never"), "the template raised: no; in transformers the template raised: never"),
        (Failed(Fault.RUNTIME, "no"), "the template raised: no; in transformers rendering failed: no"),
    ],
)
def test_a_failure_agrees_with_the_same_failure(theirs: str | Failed, text: str) -> None:
    one = fixture(expected=Expectation(renders=False, error="n"))
    assert text in said(one, transformers=theirs, jinja2=REFUSED)[-1]
    assert said(one, transformers=REFUSED, jinja2=REFUSED) == []


def test_what_renders_in_one_engine_alone_is_a_difference() -> None:
    one = fixture(expected=Expectation(renders=False, error="no"))
    found = said(one, transformers=REFUSED, jinja2="a")
    assert "it renders here, but in transformers the template raised: no" in found[-1]


def test_two_engines_that_stop_say_so_in_their_own_words() -> None:
    one = fixture(expected=Expectation(renders=False, error="x"))
    assert said(one, transformers=Failed(Fault.RUNTIME, "x y"), jinja2=Failed(Fault.RUNTIME, "z x")) == []


@pytest.mark.parametrize("made", [UNASKED, Failed(Fault.TIMEOUT, "late")])
def test_what_is_no_answer_is_compared_with_nothing(made: Failed) -> None:
    assert not [one for one in said(fixture(), transformers="a", jinja2=made) if "engines-differ" in one]
    assert not [one for one in said(fixture(), transformers=made, jinja2="a") if "engines-differ" in one]


def test_an_engine_with_expectations_of_its_own_is_explained_by_them() -> None:
    own = {"minijinja": (Expectation(True, contains=("b",)), "it counts otherwise")}
    one = fixture(expected=Expectation(True, contains=("a",)), allowances=Allowances(per_engine=own))
    assert said(one, transformers="a", minijinja="b", jinja2="a") == []
    (finding,) = said(one, transformers="a", minijinja="c")
    assert finding == "render/contains: minijinja, fixture 'one': the prompt lacks 'b'"


@pytest.mark.parametrize(
    ("kind", "engine", "ours", "theirs", "other"),
    [
        ("json", "jinja2", '{"a": "\\u003c", "b": 1}', '{"b": 1, "a": "<"}', '{"b": 2, "a": "<"}'),
        ("json", "jinja2", "[1, 2", "[1, 2", "[1, 3"),
        ("numbers", "llama_cpp_raw", "n: 1, 1e-7", "n: 1.0, 1e-07", "n: 2.0, 1e-07"),
        ("white-space", "hf_jinja", "\u00a0a", "a", "b"),
    ],
)
def test_a_declared_kind_explains_what_is_only_spelled_otherwise(
    kind: str, engine: str, ours: str, theirs: str, other: str
) -> None:
    engine = engine.replace("llama_cpp_raw", "llama.cpp-raw").replace("_", "-")
    assert explained(ours, theirs, (engine, "transformers"), [kind])
    assert not explained(ours, other, (engine, "transformers"), [kind])
    assert not explained(ours, theirs + " ", ("transformers", "nobody"), [kind])


@pytest.mark.parametrize("kind", ["length", "case", "clock"])
def test_a_kind_without_a_common_spelling_explains_all_in_its_engines(kind: str) -> None:
    assert explained("a", "b", ("llama.cpp-raw", "transformers"), [kind])
    assert not explained("a", "b", ("minijinja", "transformers"), [kind])


def test_a_kind_that_is_not_declared_explains_nothing() -> None:
    one = fixture(variables={"tools": [{"b": 1, "a": 2}]})
    makes = {"transformers": '{"b": 1, "a": 2}', "jinja2": '{"a": 2, "b": 1}'}
    assert len(said(one, **makes)) == 1
    assert said(one, Family(differs={"json": "plain Jinja2 sorts"}), **makes) == []
    assert said(fixture(allowances=Allowances(differs=("json",))), **makes) == []


def test_a_familys_kind_explains_only_conversations_that_can_show_it() -> None:
    makes = {"transformers": '{"b": 1, "a": 2}', "jinja2": '{"a": 2, "b": 1}'}
    assert len(said(fixture(), Family(differs={"json": "plain Jinja2 sorts"}), **makes)) == 1


@pytest.mark.parametrize(
    ("kind", "given", "shows"),
    [
        ("json", {"tools": [{}]}, True),
        ("json", {"tools": []}, False),
        ("json", {"messages": [{"role": "assistant", "tool_calls": [{}]}]}, True),
        ("json", {"messages": ["x"]}, False),
        ("json", {"messages": None}, False),
        ("numbers", {"messages": [{"a": [1.5]}]}, True),
        ("numbers", {"n": 1 << 53}, True),
        ("numbers", {"n": [1, True, "1.5"]}, False),
        ("white-space", {"messages": [{"content": "a\u3000"}]}, True),
        ("white-space", {"messages": [{"content": "a \t\n"}]}, False),
        ("length", {"messages": [{"é": 1}]}, True),
        ("length", {"messages": [{"e": 1}]}, False),
        ("clock", {}, True),
        ("clock", {"current_date": "2026-01-01"}, False),
    ],
)
def test_a_kind_knows_which_conversations_show_it(kind: str, given: dict[str, object], shows: bool) -> None:
    assert KINDS[kind].is_shown_by(given) is shows


def test_what_a_server_changes_is_compared_with_what_others_make_of_the_change() -> None:
    one = fixture(variables=DEVELOPER, expected=Expectation(True, contains=("developer",)))
    assert said(one, transformers=roles, llama__cpp=as_served) == []
    *_, finding = said(one, transformers=roles, llama__cpp="sistem")
    wanted = "render/engines-differ: llama.cpp, fixture 'one': the prompt differs from transformers's"
    assert finding.startswith(wanted)


def test_what_is_expected_in_a_server_by_name_is_looked_at_whatever_it_changed() -> None:
    own = {"llama.cpp": (Expectation(True, contains=("developer",)), "r")}
    one = fixture(variables=DEVELOPER, allowances=Allowances(per_engine=own))
    (finding,) = said(one, transformers=roles, llama__cpp=as_served)
    assert finding == "render/contains: llama.cpp, fixture 'one': the prompt lacks 'developer'"


def test_a_server_that_prints_the_last_reply_by_itself_is_compared_without_it() -> None:
    def server(source: str, variables: Mapping[str, Any]) -> str:
        return "user<|im_start|>assistant\n<think>\n\n</think>\n\na"

    one = fixture(variables=REPLY, expected=Expectation(True, ends_with="assistant"))
    assert said(one, transformers=roles, llama__cpp=server) == []
    *_, finding = said(one, transformers=roles, llama__cpp="person<|im_start|>assistant\na")
    assert "the prompt differs from transformers's from character 0 on" in finding


def test_what_transformers_changes_is_compared_among_those_that_do_not() -> None:
    def keys(source: str, variables: Mapping[str, Any]) -> str:
        return " ".join(sorted(variables["messages"][0]))

    def renamed(source: str, variables: Mapping[str, Any]) -> str:
        return "content reasoning_content role thinking"

    one = fixture(variables={"messages": [{"role": "assistant", "content": "", "thinking": "t"}]})
    assert said(one, transformers=renamed, jinja2=keys, minijinja=keys) == []
    (finding,) = said(one, transformers=renamed, jinja2=keys, minijinja="other")
    assert "minijinja, fixture 'one': the prompt differs from jinja2's" in finding
