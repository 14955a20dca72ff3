"""What is rendered where, in how many engines at a time, and how each kind of template is judged."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from told import REFUSED, UNASKED, Engine, Makes, fixture, last_text

from release.render.allowances import Allowances
from release.render.cases import Kind
from release.render.expectations import Expectation
from release.render.family import Family
from release.render.matrix import AT_ONCE
from release.render.structure import Structure
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun, Finding
from release.values.rendering import Failed, Fault

THREE = tuple(fixture(name) for name in ("one", "two", "three"))
SAMPLE = Family(sample=("two",))
GROWS = Family(Structure(frozenset({"append-only"})))


def outcomes(cases: list[Case], *engines: Engine) -> list[Outcome]:
    return [one for one in run_suite(cases, list(engines)) if isinstance(one, Outcome)]


def messages(one: Outcome) -> list[str]:
    return [f"{finding.rule}: {finding.message}" for finding in one.findings]


@pytest.mark.parametrize(
    ("engine", "kind", "names"),
    [
        ("transformers", Kind.CURRENT, ["one", "two", "three"]),
        ("transformers", Kind.TWIN, ["one", "two", "three"]),
        ("minijinja", Kind.ARCHIVED, ["one", "two", "three"]),
        ("llama.cpp", Kind.CURRENT, ["one", "two", "three"]),
        ("llama.cpp", Kind.TWIN, ["two"]),
        ("hf-jinja", Kind.ARCHIVED, ["two"]),
    ],
)
def test_what_takes_its_time_is_given_a_sample_of_all_but_the_current(
    engine: str, kind: Kind, names: list[str]
) -> None:
    case = Case("t", "t", THREE, family=SAMPLE, kind=kind, twin_of="t" if kind is Kind.TWIN else None)
    assert [one.fixture.name for one in outcomes([case], Engine(engine))] == names


def test_a_fixture_that_an_engine_must_not_be_given_is_skipped_with_its_reason() -> None:
    case = Case("t", "t", (fixture(allowances=Allowances(without={"jinja2": "it has no such tag"})),))
    engines = Engine("transformers"), Engine("jinja2")
    made = list(run_suite([case, Case("u", "u", THREE[:1])], engines))
    skipped = [one for one in made if isinstance(one, Outcome) and one.not_asked]
    assert [(one.engine, one.case.path, one.not_asked) for one in skipped] == [("jinja2", "t", "it has no such tag")]
    assert [one.renders for one in made if isinstance(one, EngineRun)] == [2, 1]


def test_a_family_that_promises_nothing_in_an_engine_is_not_even_read_there() -> None:
    engine = Engine("minja", unreadable={"t": Failed(Fault.SYNTAX, "no")})
    made = list(run_suite([Case("t", "t", THREE, family=Family(without={"minja": "too old"}))], [engine]))
    assert [one.not_asked for one in made if isinstance(one, Outcome)] == ["too old"] * 3
    assert (made[-1], engine.compiled) == (EngineRun("minja", "1", 0), [])


def test_an_engine_that_could_take_nothing_is_an_error() -> None:
    case = Case("t", "t", THREE)
    made = list(run_suite([case], [Engine("llama.cpp", lambda source, variables: UNASKED)]))
    said = "llama.cpp was given none of 3 fixtures that it could take"
    assert made[-2:] == [Finding("render/nothing-asked", said), EngineRun("llama.cpp", "1", 0)]
    assert [one.not_asked for one in made if isinstance(one, Outcome)] == ["media are refused"] * 3


def test_after_a_limit_the_rest_of_a_template_is_left_out_and_says_so() -> None:
    def endless(source: str, variables: Mapping[str, Any]) -> str | Failed:
        return Failed(Fault.TIMEOUT, "late") if source == "t" else source

    grows = Family(Structure(frozenset({"append-only"})))
    engine = Engine("transformers", endless)
    made = outcomes([Case("t", "t", THREE, "stock", family=grows), Case("u", "u", THREE)], engine)
    assert [(one.case.path, one.fixture.name, len(one.findings), one.not_asked) for one in made] == [
        ("t", "one", 1, None),
        ("t", "two", 0, "left out: 'one' before it hit a limit"),
        ("t", "three", 0, "left out: 'one' before it hit a limit"),
        *(("u", name, 0, None) for name in ("one", "two", "three")),
    ]
    assert [source for source, _ in engine.rendered] == ["t", "u", "u", "u"]


def test_a_beginning_that_a_server_would_go_on_with_is_not_asked_for() -> None:
    talk = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"content": "c"}]}
    for expected in (Expectation(True, prefix_kept=(2,)), Expectation(True, prefix_lost=(2,))):
        engine = Engine("llama.cpp", last_text)
        assert messages(outcomes([Case("t", "t", (fixture(expected=expected, variables=talk),))], engine)[0]) == []
        assert len(engine.rendered) == 1


def test_a_twin_does_as_its_template_does() -> None:
    def makes(source: str, variables: Mapping[str, Any]) -> str | Failed:
        name = variables["messages"][0]["content"]
        if name == "refused":
            return REFUSED if source == "t" else Failed(Fault.RAISED, "other")
        if name == "half":
            return REFUSED if source == "t" else "x"
        if name == "other half":
            return REFUSED if source == "w" else "x"
        return "x" if name == "same" else source

    names = ["same", "differs", "refused", "half", "other half"]
    ones = tuple(fixture(name, variables={"messages": [{"content": name}]}) for name in names)
    cases = [Case("t", "t", ones, kind=Kind.ARCHIVED), Case("w", "w", ones, kind=Kind.TWIN, twin_of="t")]
    engine = Engine("jinja2", makes)
    said = {one.fixture.name: messages(one) for one in outcomes(cases, engine) if one.case.path == "w"}
    assert said["same"] == []
    assert [said[name][0].partition(": ")[2].partition(": ")[2] for name in names[1:]] == [
        "the prompt differs from the template's from character 0 on: 'w' instead of 't' (1 characters against 1)",
        "the template fails (the template raised: no), its twin otherwise (the template raised: other)",
        "the twin renders and its template does not: the template raised: no",
        "the template renders and its twin does not: the template raised: no",
    ]
    assert engine.compiled == ["t", "w"]


def test_a_twin_without_its_template_beside_it_is_compared_all_the_same() -> None:
    engine = Engine("jinja2")
    (one,) = outcomes([Case("w", "w", THREE[:1], kind=Kind.TWIN, twin_of="t")], engine)
    assert "the prompt differs from the template's" in messages(one)[0]
    assert sorted(engine.compiled) == ["t", "w"]


def test_a_twin_that_cannot_be_read_is_told_unless_its_template_cannot_either() -> None:
    unreadable = {name: Failed(Fault.SYNTAX, "no") for name in ("t", "w", "v")}
    cases = [Case(name, name, THREE, kind=Kind.TWIN, twin_of="t" if name == "w" else "u") for name in ("w", "v")]
    made = run_suite(cases, [Engine("jinja2", unreadable=unreadable)])
    assert [(one.rule, one.path) for one in made if isinstance(one, Finding)] == [("render/compile", "v")]


def test_an_archived_template_is_judged_by_no_expectation() -> None:
    one = fixture(expected=Expectation(True, contains=("new",)))
    family = Family(Structure(frozenset({"turns"})))
    case = Case("t", "t", (one,), family=family, kind=Kind.ARCHIVED)
    assert [messages(made) for made in outcomes([case], Engine("transformers"), Engine("jinja2"))] == [[], []]
    late = Engine("transformers", lambda source, variables: Failed(Fault.TIMEOUT, "late"))
    assert messages(outcomes([case], late)[0]) == ["render/limit: transformers, fixture 'one': it took too long: late"]
    other = Engine("jinja2", lambda source, variables: "other")
    assert "engines-differ" in messages(outcomes([case], Engine("transformers"), other)[1])[0]


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (Expectation(True, starts_with="t:"), None),
        (Expectation(True, starts_with="q"), "starts-with: the prompt should begin with 'q', not 't'"),
        (Expectation(True, ends_with=":b"), None),
        (Expectation(True, ends_with="a"), "ends-with: the prompt should end with 'a', not 'b'"),
        (Expectation(True, equals=("same",)), None),
        (Expectation(True, equals=("other",)), "equals: the prompt differs from other from character 0 on"),
        (Expectation(True, equals=("none",)), "no-equals: it should match 'none', but there is no template 'none' to"),
        (Expectation(True, equals=("bad",)), "equals-error: it should match 'bad', but of bad it cannot be read"),
        (Expectation(True, equals=("stock",)), "matches-stock: the prompt differs from stock from character 0 on"),
        (Expectation(True, matches_stock=True, equals=("stock",)), "matches-stock: the prompt differs from stock"),
        (Expectation(True, prefix_lost=(1,)), None),
        (Expectation(True, prefix_kept=(1,)), "prefix-kept: the prompt differs from that of its first 1 messages"),
        (Expectation(True, prefix_kept=(2,)), None),
        (Expectation(True, prefix_lost=(2,)), "prefix-lost: the prompt begins with that of its first 2 messages"),
    ],
)
def test_each_expectation_of_ours_is_one_finding(expected: Expectation, said: str | None) -> None:
    one = fixture(expected=expected, variables={"messages": [{"content": "a"}, {"content": "b"}]})
    others = {"same": "t", "other": "u", "bad": "bad"}
    engine = Engine("jinja2", last_text, unreadable={"bad": Failed(Fault.SYNTAX, "no")})
    (made,) = outcomes([Case("t.jinja", "t", (one,), "stock", others)], engine)
    found = [finding.message.removeprefix("jinja2, fixture 'one': ") for finding in made.findings]
    rules = [finding.rule for finding in made.findings]
    if said is None:
        assert found == []
    else:
        rule, _, text = said.partition(": ")
        assert rules == [f"render/{rule}"]
        assert found[0].startswith(text)


def test_a_beginning_that_cannot_be_rendered_is_none() -> None:
    def makes(source: str, variables: Mapping[str, Any]) -> str | Failed:
        return "ab" if len(variables["messages"]) == 2 else REFUSED

    one = fixture(expected=Expectation(True, prefix_kept=(1,)), variables={"messages": [{"content": "a"}] * 2})
    (made,) = outcomes([Case("t", "t", (one,))], Engine("jinja2", makes))
    assert messages(made) == [
        "render/prefix-kept: jinja2, fixture 'one': of the first 1 messages the template raised: no"
    ]


def test_a_history_that_does_not_grow_is_found_unless_that_is_known() -> None:
    talk = {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}
    (made,) = outcomes([Case("t", "t", (fixture(variables=talk),), family=GROWS)], Engine("jinja2", last_text))
    assert [one.rule for one in made.findings] == ["render/append-only"]
    known = [
        fixture(variables=talk, allowances=Allowances(exceptions={"append-only": "the list of tools grows"})),
        fixture(variables=talk, expected=Expectation(True, prefix_lost=(1,))),
    ]
    for one in known:
        (made,) = outcomes([Case("t", "t", (one,), family=GROWS)], Engine("jinja2", last_text))
        assert messages(made) == []


def test_a_history_is_followed_only_where_that_takes_no_time() -> None:
    talk = {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}
    case = Case("t", "t", (fixture(variables=talk),), family=GROWS)
    assert messages(outcomes([case], Engine("llama.cpp-raw", last_text))[0]) == []


def test_the_beginning_of_a_history_is_asked_for_without_a_generation_prompt() -> None:
    engine = Engine("jinja2")
    given = {"messages": [{"content": "a"}, {"content": "b"}], "add_generation_prompt": True, "tools": []}
    one = fixture(expected=Expectation(True, prefix_kept=(1,)), variables=given)
    outcomes([Case("t", "t", (one,))], engine)
    wanted = given | {"messages": [{"content": "a"}], "add_generation_prompt": False}
    assert [variables for _, variables in engine.rendered] == [given, wanted]


def test_control_tokens_in_texts_must_not_change_the_rest_of_a_prompt() -> None:
    def obeys(source: str, variables: Mapping[str, Any]) -> str:
        text: str = variables["messages"][0]["content"]
        return f"<|im_start|>user\n{'stopped' if '<|im_end|>' in text else text}<|im_end|>\n"

    def prints(source: str, variables: Mapping[str, Any]) -> str:
        return f"<|im_start|>user\n{variables['messages'][0]['content']}<|im_end|>\n"

    one = fixture(variables={"messages": [{"role": "user", "content": "a<|im_end|>b"}]})
    case = Case("t", "t", (one,), family=Family(Structure(frozenset({"turns", "texts"}))))
    assert messages(outcomes([case], Engine("jinja2", prints))[0]) == []
    assert [finding.rule for finding in outcomes([case], Engine("jinja2", obeys))[0].findings] == ["render/tokens"]


def test_findings_of_the_structure_carry_the_name_of_their_check() -> None:
    case = Case("t", "t", THREE[:1], family=Family(Structure(frozenset({"turns"}))))
    (made,) = outcomes([case], Engine("jinja2"))
    wanted = "render/turns: jinja2, fixture 'one': after 0 closed blocks comes 't', which is no block"
    assert messages(made) == [wanted]


class Meter:
    """How many engines render at the same moment, at most."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = 0

    def makes(self, source: str, variables: Mapping[str, Any]) -> str:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.02)
        with self.lock:
            self.now -= 1
        return source


def test_two_engines_work_at_a_time() -> None:
    meter = Meter()
    engines = [Engine(name, meter.makes) for name in ("transformers", "jinja2", "minijinja", "minja")]
    outcomes([Case("t", "t", THREE)], *engines)
    assert meter.most == AT_ONCE == 2


def test_the_order_is_that_of_engines_cases_and_fixtures_whichever_was_done_first() -> None:
    def slow(source: str, variables: Mapping[str, Any]) -> str:
        time.sleep(0.02)
        return source

    cases = [Case("t", "t", THREE), Case("u", "u", THREE[:1])]
    makes: list[Makes] = [slow, lambda source, variables: source, slow]
    engines = [Engine(name, make) for name, make in zip(("minja", "transformers", "jinja2"), makes, strict=True)]
    wanted = [(engine.name, case.path, one.name) for engine in engines for case in cases for one in case.fixtures]
    assert [(one.engine, one.case.path, one.fixture.name) for one in outcomes(cases, *engines)] == wanted


def test_nothing_more_is_rendered_once_nobody_listens() -> None:
    def slow(source: str, variables: Mapping[str, Any]) -> str:
        time.sleep(0.01)
        return source

    many = tuple(fixture(str(number)) for number in range(500))
    engines = [Engine(name, slow) for name in ("jinja2", "minijinja", "hf-jinja")]
    running = run_suite([Case("u", "u", many)], [Engine("transformers"), *engines])
    next(running)
    close: Callable[[], None] = running.close  # type: ignore[attr-defined]
    close()
    assert sum(len(engine.rendered) for engine in engines) < 500
    assert not any(engine.is_open for engine in engines)


def test_what_an_engine_should_not_do_is_not_swallowed() -> None:
    def breaks(source: str, variables: Mapping[str, Any]) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        outcomes([Case("t", "t", THREE)], Engine("jinja2", breaks))


def test_without_an_engine_there_is_nothing_to_say() -> None:
    assert list(run_suite([Case("t", "t", THREE)], [])) == []
