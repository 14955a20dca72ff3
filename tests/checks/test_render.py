"""The check `render`: published templates over the tag's fixtures, in real engines."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from checks.tagged import GOOD, Tagged, check, findings, package, pin
from release.errors import Refused, Unavailable
from release.values import EngineRun, Finding, Level, RepoPath, TemplateRule

STOCKED = Tagged(
    package("src", {"status": "rendered", "matches_stock": True}, stock={"upstream": "stock.jinja"}),
    {"chat.jinja": GOOD.encode()},
    pinned=GOOD.encode() + b"\n",
    upstream=(pin("a/one", "stock.jinja"), pin("a/two", "other.jinja", "published.jinja")),
)


def test_without_templates_there_is_nothing_to_render() -> None:
    nothing = Finding("render/none", "files only: no template is declared", Level.NOTE)
    assert check(Tagged(rules=())) == [nothing]


def test_a_template_that_renders_as_expected_says_only_which_engines_ran() -> None:
    said = check(Tagged(package("src"), {"chat.jinja": GOOD.encode()}), "jinja2", "transformers")
    assert [(run.name, run.renders, run.not_run) for run in said if isinstance(run, EngineRun)] == [
        ("jinja2", 1, None),
        ("transformers", 1, None),
    ]
    assert len(said) == 2


@pytest.mark.parametrize(
    ("rule", "folder"),
    [
        (TemplateRule(RepoPath("src"), RepoPath("chat")), "src"),
        (TemplateRule(RepoPath("src"), RepoPath("chat")), "src/fixtures"),
        (TemplateRule(RepoPath("one.jinja"), RepoPath("chat"), RepoPath("cases")), "cases"),
        (TemplateRule(RepoPath("src"), RepoPath("chat"), RepoPath("cases")), "cases/fixtures"),
    ],
)
def test_fixtures_lie_where_the_rule_says_or_with_the_source(rule: TemplateRule, folder: str) -> None:
    wrong = package(folder, {"status": "rendered", "contains": ["bye"]})
    (finding,) = findings(Tagged(wrong, {"chat.jinja": GOOD.encode()}, rules=(rule,)))
    assert (finding.rule, finding.path) == ("render/contains", "chat.jinja")
    assert finding.message == "jinja2, fixture 'greets': the prompt lacks 'bye'"


def test_two_packages_for_one_template_are_one_too_many() -> None:
    files = package("src") | package("src/fixtures")
    (finding,) = findings(Tagged(files, {"chat.jinja": GOOD.encode()}))
    assert (finding.path, finding.level) == ("src/fixtures.json", Level.ERROR)
    assert "another package in 'src/fixtures'" in finding.message


def test_a_package_that_is_named_and_not_there_is_an_error() -> None:
    rule = TemplateRule(RepoPath("src"), RepoPath("chat"), RepoPath("cases"))
    (finding,) = findings(Tagged({}, {"chat.jinja": GOOD.encode()}, rules=(rule,)))
    assert finding == Finding("render/fixtures", "there is no such file", path="cases/fixtures.json")


def test_fixtures_that_cannot_be_read_do_not_hide_a_template_that_cannot() -> None:
    files = package("src") | {"src/fixtures.json": b'{\n"a" 1}'}
    said = findings(Tagged(files, {"chat.jinja": b"a\n{% if %}"}))
    assert [(one.rule, one.path, one.line) for one in said] == [
        ("render/json", "src/fixtures.json", 2),
        ("render/compile", "chat.jinja", 2),
    ]


def test_a_template_without_fixtures_is_compiled_and_warned_of() -> None:
    said = findings(Tagged({"src/template.jinja": b""}, {"chat.jinja": b"a\n{% if %}"}))
    assert [(one.rule, one.level, one.line) for one in said] == [
        ("render/no-fixtures", Level.WARNING, None),
        ("render/compile", Level.ERROR, 2),
    ]


def test_a_template_that_was_not_built_is_said_once() -> None:
    assert [one.rule for one in findings(Tagged(package("src")))][:1] == ["render/not-built"]
    told = Tagged(package("src"), problems=(("chat.jinja", "it holds '<%'"),))
    assert "render/not-built" not in [one.rule for one in findings(told)]


def test_a_template_that_is_not_text_is_an_error() -> None:
    said = findings(Tagged(package("src"), {"chat.jinja": b"\xff"}))
    assert said[0] == Finding("render/not-utf8", "the template is not UTF-8: invalid start byte", path="chat.jinja")


@pytest.mark.parametrize("named", ["stock.jinja", "a/one:stock.jinja", "published.jinja", "other.jinja"])
def test_stock_is_an_upstream_file_by_path_published_name_or_both_names(named: str) -> None:
    files = STOCKED.files | {"src/stock.json": json.dumps({"upstream": named}).encode()}
    assert findings(replace(STOCKED, files=files)) == []


def test_a_prompt_that_must_match_stock_and_does_not_is_an_error() -> None:
    (finding,) = findings(replace(STOCKED, pinned=b"other"))
    assert finding.rule == "render/matches-stock"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"upstream": ()}, "no [[upstream]] entries are called 'stock.jinja' (there are: none)"),
        (
            {"upstream": (pin("a/one", "stock.jinja"), pin("a/two", "stock.jinja"))},
            "several [[upstream]] entries are called 'stock.jinja' (there are: a/one:stock.jinja, a/two:stock.jinja)",
        ),
        ({"pinned": Refused("its digest differs", hint="")}, "the stock text cannot be had: its digest differs"),
        ({"pinned": b"\xff"}, "the stock text 'stock.jinja' is not UTF-8: invalid start byte"),
    ],
)
def test_a_stock_that_cannot_be_had_is_said_and_so_is_what_needed_it(change: dict[str, object], said: str) -> None:
    first, second = findings(replace(STOCKED, **change))  # type: ignore[arg-type]
    assert first == Finding("render/stock", said)
    assert second.rule == "render/no-stock"


def test_a_stock_that_nobody_has_stops_the_check() -> None:
    with pytest.raises(Unavailable):
        findings(replace(STOCKED, pinned=Unavailable("nobody answers", hint="")))


def test_the_check_can_be_imported_without_an_engine() -> None:
    modules = "release.checks.render, release.checks.aliases, release.render.engines.catalogue"
    code = f"import sys, {modules}\nassert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
