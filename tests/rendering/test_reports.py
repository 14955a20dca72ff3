"""A run as a table, as JSON, as JUnit XML: each names every fixture, and none holds a prompt."""

import json
import xml.etree.ElementTree as ElementTree

from told import UNASKED, Engine, fixture

from release.render.expectations import Expectation
from release.render.reports import SCHEMA, Report, Result, collect, result_of, table, to_document, to_junit
from release.render.suite import Case, run_suite
from release.values import EngineRun, Finding, Level
from release.values.rendering import Failed, Fault

FIXTURES = (fixture("good"), fixture("bad \x00<&", Expectation(True, contains=("x" * 900,), absent=("secret",))))


def report() -> Report:
    cases = [Case("a.jinja", "a secret prompt", FIXTURES), Case("b.jinja", "b", FIXTURES[:1]), Case("c.jinja", "c", ())]
    broken = {"c": Failed(Fault.SYNTAX, "unexpected end", 3)}
    engines = [
        Engine("transformers", unreadable=broken),
        Engine("jinja2", unavailable="the package jinja2 is not installed", version=""),
        Engine("llama.cpp", lambda source, variables: UNASKED if source == "b" else source),
    ]
    early = Finding("render/no-fixtures", "the template has no fixtures", Level.WARNING, "c.jinja")
    return collect([early, *run_suite(cases, engines)])


def test_a_table_has_a_row_a_fixture_and_a_column_an_engine() -> None:
    good = {"transformers": Result.PASSED, "llama.cpp": Result.PASSED}
    assert table(report()) == {
        ("a.jinja", "good"): good,
        ("a.jinja", "bad \x00<&"): {"transformers": Result.FAILED, "llama.cpp": Result.FAILED},
        ("b.jinja", "good"): good | {"llama.cpp": Result.SKIPPED},
    }


def test_a_document_is_json_and_says_what_passed_and_what_did_not_run() -> None:
    document = json.loads(json.dumps(to_document(report())))
    assert (document["schema"], document["passed"]) == (SCHEMA, False)
    assert document["templates"]["b.jinja"] == {"good": {"transformers": "passed", "llama.cpp": "skipped"}}
    assert document["skipped"] == {"llama.cpp": {"media are refused": 1}}
    assert document["engines"][1] == {
        "name": "jinja2",
        "version": "",
        "renders": 0,
        "not_run": "the package jinja2 is not installed",
    }
    assert {finding["rule"] for finding in document["findings"]} >= {
        "render/compile",
        "render/contains",
        "render/absent",
    }


def test_junit_counts_what_the_table_shows() -> None:
    root = ElementTree.fromstring(to_junit(report()))
    suites = {suite.get("name"): suite for suite in root}
    numbers = {
        name: tuple(int(suite.get(key, "-1")) for key in ("tests", "failures", "skipped"))
        for name, suite in suites.items()
    }
    assert numbers == {
        "transformers: a.jinja": (2, 1, 0),
        "transformers: b.jinja": (1, 0, 0),
        "jinja2": (1, 0, 1),
        "llama.cpp: a.jinja": (2, 1, 0),
        "llama.cpp: b.jinja": (1, 0, 1),
        "templates and engines": (2, 1, 0),
    }
    for suite in root:
        assert len(suite.findall("testcase")) == int(suite.get("tests", "-1"))
        assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "-1"))
        assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped", "-1"))


def test_a_failure_in_junit_tells_all_that_was_found() -> None:
    root = ElementTree.fromstring(to_junit(report()))
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("type") == "render/contains"
    assert (failure.text or "").count("\n") == 1
    compiled = [one for one in root.iter("failure") if one.get("type") == "render/compile"]
    assert [one.text for one in compiled] == [
        "c.jinja:3: [render/compile] transformers cannot read the template: it cannot be read: unexpected end"
    ]


def test_no_report_holds_a_prompt() -> None:
    assert "a secret prompt" not in json.dumps(to_document(report()))
    assert b"a secret prompt" not in to_junit(report())


def test_names_that_no_xml_can_hold_are_written_with_a_stand_in() -> None:
    names = {case.get("name") for case in ElementTree.fromstring(to_junit(report())).iter("testcase")}
    assert "bad \ufffd<&" in names


def test_a_run_passes_without_an_error_and_with_a_render() -> None:
    cases = [Case("a.jinja", "a", FIXTURES[:1])]
    warned = Finding("render/x", "", Level.WARNING)
    assert collect([warned, *run_suite(cases, [Engine("jinja2")])]).passed
    assert not collect(run_suite(cases, [Engine("jinja2", unavailable="gone")])).passed
    assert not collect([Finding("render/x", ""), *run_suite(cases, [Engine("jinja2")])]).passed
    assert not Report((), (), (EngineRun("jinja2", "1", 0),)).passed


def test_a_warning_does_not_fail_a_fixture() -> None:
    (outcome,) = collect(run_suite([Case("a.jinja", "a", FIXTURES[:1])], [Engine("jinja2")])).outcomes
    assert result_of(outcome) is Result.PASSED
    assert b"[render/x] m" in to_junit(Report((outcome,), (Finding("render/x", "m"),), ()))
    assert b"<failure" not in to_junit(Report((outcome,), (Finding("render/x", "m", Level.NOTE),), ()))
    assert b"templates and engines" not in to_junit(Report((outcome,), (), ()))
