"""The check `render`: which engines it needs, and twins, archived versions and templates that must equal another."""

from dataclasses import replace

import pytest

from checks.tagged import GOOD, TREE, Tagged, check, findings, package, pin
from release.checks.render import Render, missing_engines
from release.checks.render.cases import Templates
from release.render.engines.catalogue import open_engines
from release.render.engines.process import ProcessEngine, Program
from release.render.suite import Case, Kind
from release.values import EngineRun, Finding, Level, RepoPath, TemplateRule

GONE = ProcessEngine(Program("gone", (), {}, missing="the package gone is not installed"))


def with_gone(tagged: Tagged, *engines: str) -> list[Finding | EngineRun]:
    made = Render(tagged, tagged, tagged, (GONE, *(open_engines(engines) if engines else ())))  # type: ignore[arg-type]
    return list(made(tagged.tree()))


def test_a_check_in_which_no_engine_ran_says_so() -> None:
    tagged = Tagged(package("src"), {"chat.jinja": GOOD.encode()}, engines=())
    nothing = Finding("render/no-engine", "no engine ran: nothing was compiled or rendered", Level.WARNING)
    assert with_gone(tagged) == [EngineRun("gone", "", 0, "the package gone is not installed"), nothing]


def test_an_engine_that_is_not_required_may_be_missing() -> None:
    tagged = Tagged(package("src"), {"chat.jinja": GOOD.encode()})
    runs = with_gone(tagged, "jinja2")
    assert [(one.name, one.not_run) for one in runs if isinstance(one, EngineRun)] == [
        ("gone", "the package gone is not installed"),
        ("jinja2", None),
    ]
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("required", "rule", "said"),
    [
        ("minja", "required-engine", "the engine minja is required for a release and did not run: it was left out"),
        ("gone", "unknown-engine", "the configuration requires the engine 'gone' (there are: transformers, jinja2, "),
    ],
)
def test_an_engine_that_is_required_must_be_known_and_run(required: str, rule: str, said: str) -> None:
    tagged = Tagged(package("src"), {"chat.jinja": GOOD.encode()}, engines=("jinja2", required))
    (finding,) = findings(tagged)
    assert (finding.rule, finding.level, finding.path) == (f"render/{rule}", Level.ERROR, None)
    assert finding.message.startswith(said)


def test_why_a_required_engine_did_not_run_is_said() -> None:
    ran = {"minja": EngineRun("minja", "", 0, "its environment is missing"), "jinja2": EngineRun("jinja2", "3", 1)}
    (finding,) = missing_engines(["minja", "jinja2"], ran)
    assert finding.message == "the engine minja is required for a release and did not run: its environment is missing"


def test_a_twin_must_render_as_its_template() -> None:
    built = {"chat.jinja": GOOD.encode(), "chat_oneline.txt": GOOD.replace("content", "role").encode()}
    (finding,) = findings(Tagged(package("src"), built))
    assert (finding.rule, finding.path) == ("render/twin", "chat_oneline.txt")
    built["chat_oneline.txt"] = GOOD.encode()
    assert findings(Tagged(package("src"), built)) == []


def test_an_archived_version_is_rendered_and_judged_by_no_expectation() -> None:
    old = {"archive/chat-v1.jinja": b"{{ messages[0].role }}", "archive/chat_more-v1.jinja": b"{% if %}"}
    said = check(Tagged(package("src"), {"chat.jinja": GOOD.encode(), **old}))
    assert [one.renders for one in said if isinstance(one, EngineRun)] == [2]
    assert len(said) == 1


def test_an_archived_version_that_cannot_be_read_any_more_is_an_error() -> None:
    built = {"chat.jinja": GOOD.encode(), "archive/chat-v1.jinja": b"{% if %}"}
    (finding,) = findings(Tagged(package("src"), built))
    assert (finding.rule, finding.path, finding.line) == ("render/compile", "archive/chat-v1.jinja", 1)


TWO_RULES = tuple(TemplateRule(RepoPath(f"all/{name}"), RepoPath(f"chat_{name}")) for name in ("a", "b"))


@pytest.mark.parametrize("named", ["chat_b", "all/b", "b", "stock.jinja", "v1"])
def test_a_template_may_have_to_equal_another_by_name(named: str) -> None:
    files = package("all/a", {"status": "rendered", "equals": [named]})
    files |= {
        "all/a/template.jinja": GOOD.encode(),
        "all/a/build.toml": b"[versions.v1]\n",
        "all/b/template.jinja": b"",
    }
    built = {"chat_a.jinja": GOOD.encode(), "chat_b.jinja": GOOD.encode()}
    tagged = Tagged(files, built, GOOD.encode(), TWO_RULES, (pin("a/one", "stock.jinja"),))
    assert [one for one in findings(tagged) if one.rule != "render/no-fixtures"] == []
    other = replace(tagged, built=built | {"chat_a.jinja": b"other"})
    assert [one.rule for one in findings(other) if one.rule != "render/no-fixtures"] == ["render/equals"]


def test_a_template_that_nobody_knows_cannot_be_equalled() -> None:
    own = {"minja": {"equals": ["b"], "reason": "r"}}
    files = package("src", {"status": "rendered", "equals": ["stock", "a"], "per_engine": own})
    said = findings(Tagged(files, {"chat.jinja": GOOD.encode()}))
    assert [one.rule for one in said] == ["render/equals", "render/equals", "render/no-stock", "render/no-equals"]
    assert said[0].message.startswith(
        "'equals' names 'a', which is neither a template (chat) nor an [[upstream]] entry"
    )


def test_a_folder_gives_what_a_tag_would_publish() -> None:
    files = package("src") | {"src/template.jinja": b"{{- messages[0].content }}"}
    tagged = Tagged(files)
    tree = tagged.tree()
    templates = Templates(tagged, tuple(tagged.listing(TREE)), tagged, tree.config, tree.source.tag)  # type: ignore[arg-type]
    built = dict(one for one in templates.built() if isinstance(one, tuple))
    assert built == {"chat.jinja": "{{- messages[0].content }}", "chat_oneline.txt": "{{ messages[0].content }}"}
    made = list(templates.cases(built))
    assert [(one.path, one.kind) for one in made if isinstance(one, Case)] == [
        ("chat.jinja", Kind.CURRENT),
        ("chat_oneline.txt", Kind.TWIN),
    ]


@pytest.mark.parametrize(
    ("source", "rule", "path"),
    [
        (b"<% if %>", "render/not-built", "src/template.jinja"),
        (b"a\n{% if x %}\nb{% endif %}", "render/no-twin", "chat.jinja"),
    ],
)
def test_what_a_folder_does_not_build_is_a_finding(source: bytes, rule: str, path: str) -> None:
    tagged = Tagged(package("src") | {"src/template.jinja": source})
    tree = tagged.tree()
    templates = Templates(tagged, tuple(tagged.listing(TREE)), tagged, tree.config, tree.source.tag)  # type: ignore[arg-type]
    (finding,) = [one for one in templates.built() if isinstance(one, Finding)]
    assert (finding.rule, finding.path) == (rule, path)
