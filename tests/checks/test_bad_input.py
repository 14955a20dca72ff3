"""What authors get wrong: one clear finding each, with its place, from the checks `lint` and `render` together."""

import json

import pytest

from checks.tagged import GOOD, Tagged, package
from release.checks.lint import Lint
from release.checks.render import Render
from release.render.engines.catalogue import open_engines
from release.render.engines.limits import Limits
from release.values import Finding, Level

SHORT = Limits(seconds=2.0, cpu_seconds=2, memory=256 << 20)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = b %}{% endfor %}{% endfor %}"
# Doubled 31 times, each text is a new one: two gigabytes, if nobody minds.
LARGE = "{% set n = namespace(x='x') %}{% for i in range(31) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}"


def found(text: str | bytes, engine: str = "jinja2", **files: bytes) -> list[Finding]:
    """Errors about one template, with two fixtures, in one engine."""
    two = package("src")
    payload = {"description": "", "payload": {"messages": [{"role": "user", "content": "hi"}]}}
    two["src/fixtures.json"] = json.dumps({"greets": payload, "again": payload}).encode()
    two["src/expected-results.json"] = json.dumps(
        {name: {"status": "rendered"} for name in ("greets", "again")}
    ).encode()
    two |= {f"src/{name.replace('_', '-')}.json": content for name, content in files.items()}
    content = text.encode() if isinstance(text, str) else text
    tagged = Tagged(two, {"chat.jinja": content}, engines=(engine,))
    tree = tagged.tree()
    checks = [Lint(tagged, tagged), Render(tagged, tagged, tagged, open_engines([engine], SHORT))]  # type: ignore[arg-type]
    said = [one for check in checks for one in check(tree) if isinstance(one, Finding)]
    return [one for one in said if one.level is Level.ERROR]


@pytest.mark.parametrize("engine", ["transformers", "jinja2"])
@pytest.mark.parametrize(
    ("text", "rule", "line", "said"),
    [
        (ENDLESS, "render/limit", None, "it took too long"),
        (LARGE, "render/limit", None, "it needed too much memory"),
        ("a\n\n{{ messages[0].content }", "render/compile", 3, "it cannot be read: unexpected '}'"),
        ("a\n{% if x %}b", "render/compile", 2, "it cannot be read: Unexpected end of template"),
        ("a\n{{ 'a'|shout }}", "render/compile", 2, "it cannot be read: No filter named 'shout'."),
    ],
)
def test_a_template_that_is_wrong_is_one_finding_of_each_engine(
    engine: str, text: str, rule: str, line: int | None, said: str
) -> None:
    # That a filter is unknown, the check `lint` says too, of all engines.
    of_the_engine = [one for one in found(text, engine) if one.rule != "lint/filter"]
    assert [(one.rule, one.path, one.line) for one in of_the_engine] == [(rule, "chat.jinja", line)]
    assert said in of_the_engine[0].message
    assert engine in of_the_engine[0].message


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        (f"\ufeff{GOOD}", "lint/byte-order-mark", 1),
        (GOOD.replace("%}{{-", "%}\r\n{{-"), "lint/carriage-return", 1),
        ("\n{{ messages.append(1) }}", "lint/mutation", 2),
    ],
)
def test_bytes_that_engines_read_otherwise_are_one_finding(text: str, rule: str, line: int) -> None:
    assert [(one.rule, one.path, one.line) for one in found(text)] == [(rule, "chat.jinja", line)]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"fixtures": b'{\n "greets": oops}'}, ("render/json", "src/fixtures.json", 2, 12, "Expecting value")),
        (
            {"fixtures": b"\xef\xbb\xbf{}"},
            ("render/json", "src/fixtures.json", 1, 1, "it begins with a byte order mark"),
        ),
        (
            {"expected_results": b'{"greets": {"status": "rendered"}}'},
            ("render/fixtures", "src/fixtures.json", 1, 95, "'again' has no expectation in expected-results.json"),
        ),
        (
            {
                "expected_results": b'{"greets": {"status": "rendered"}, "c": {"status": "rendered"},'
                b' "again": {"status": "rendered"}}'
            },
            ("render/fixtures", "src/expected-results.json", 1, 36, "'c' is no fixture of fixtures.json"),
        ),
    ],
)
def test_a_package_that_is_wrong_is_one_finding_with_its_place(
    files: dict[str, bytes], said: tuple[str, str, int, int, str]
) -> None:
    assert [(one.rule, one.path, one.line, one.column, one.message) for one in found(GOOD, **files)] == [said]
