"""card: the front matter of README.md is YAML of the shape that the Hub accepts."""

import pytest
from huggingface_hub.repocard import REGEX_YAML_BLOCK
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import Files, entry, tree
from release.checks.card import Card
from release.values import Finding, Level, Mode


def found(card: str | bytes) -> list[Finding]:
    files = Files({"README.md": card if isinstance(card, bytes) else card.encode()})
    return list(Card(files)(files.tree()))


def said(card: str | bytes) -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in found(card)]


GOOD = "---\nlicense: mit\nlanguage:\n- en\ntags: [a, b]\nmodel-index: []\n---\n# A\n"


@pytest.mark.parametrize(
    "card",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "\n\n" + GOOD,
        GOOD.replace("---\n# A", "--- \n# A"),
        "---\nlicense: mit\n---",
        "---\n\n---\n",
        "---\n# nothing but a comment\n---\n",
        "---\nlicense: [mit]\nlanguage: en\ntags:\n---\n",
        "---\nx: 2026-01-02\ny: 1.5\nz: {a: b}\n---\n---\n",
    ],
)
def test_a_card_in_order_has_no_finding(card: str) -> None:
    if "\r" in card and "\n" not in card:
        # Old Macs' line ends close the front matter only for the library, not at the end.
        card = card.replace("---\r# A", "---\n# A")
    assert said(card) == []


@pytest.mark.parametrize(
    ("card", "rule", "line"),
    [
        ("# A\n", "card/no-front-matter", 1),
        ("", "card/no-front-matter", 1),
        ("----\n", "card/no-front-matter", 1),
        ("text\n---\nlicense: mit\n---\n", "card/no-front-matter", 1),
        ("---\nlicense: mit\n", "card/unclosed", 1),
        ("---\nlicense: mit\n----\n", "card/unclosed", 1),
        ("---\nlicense: mit\n --- \n", "card/unclosed", 1),
        ("---", "card/unclosed", 1),
        ("--- \nlicense: mit\n---\n", "card/unclosed", 1),
        ("---\na: b\nlicense: [mit\n---\n", "card/bad-yaml", 3),
        ("---\na: b: c\n---\n", "card/bad-yaml", 2),
        ("\n\n---\na: b\nc: 'd\n---\n", "card/bad-yaml", 5),
        ("---\n\tlicense: mit\n---\n", "card/bad-yaml", 2),
        ("---\na: &x [*y]\n---\n", "card/bad-yaml", 2),
        ("---\na: b\n--- \nc: d\n", None, None),
        ("---\na: !!python/object:os.system x\n---\n", "card/bad-yaml", 2),
        ("---\na: !!int x\n---\n", "card/bad-yaml", None),
        ("---\na: !!bool x\n---\n", "card/bad-yaml", None),
        ("---\na: !!timestamp x\n---\n", "card/bad-yaml", None),
        ("---\na: 2026-13-45\n---\n", "card/bad-yaml", None),
        ("---\na: \x07\n---\n", "card/bad-yaml", None),
        ("---\na: " + "[" * 5000 + "\n---\n", "card/bad-yaml", None),
        ("---\n? [a]\n: b\n---\n", "card/bad-yaml", 2),
        ("---\nlicense: mit\na: 1\nlicense: mit\n---\n", "card/duplicate-key", 4),
        ("---\nx:\n- a: 1\n  a: 2\n---\n", "card/duplicate-key", 4),
        ("---\n- a\n- b\n---\n", "card/not-a-mapping", 2),
        ("---\njust text\n---\n", "card/not-a-mapping", 2),
        ("---\n!!set {a, b}\n---\n", "card/not-a-mapping", 2),
        ("---\nlicense: 3\n---\n", "card/bad-value", 2),
        ("---\na: b\ntags: text\n---\n", "card/bad-value", 3),
        ("---\nlanguage: {en: x}\n---\n", "card/bad-value", 2),
        ("---\nlanguage: no\n---\n", "card/bad-value", 2),
        ("---\nlibrary_name: [a]\n---\n", "card/bad-value", 2),
        ("---\nmodel-index: {}\n---\n", "card/bad-value", 2),
        (b"---\nlicense: \xff\n---\n", "card/not-utf8", None),
    ],
)
def test_what_is_wrong_with_a_card_is_said_with_its_line(card: str | bytes, rule: str | None, line: int | None) -> None:
    assert said(card) == ([] if rule is None else [(rule, line)])


def test_a_byte_order_mark_is_a_warning_and_the_rest_is_read() -> None:
    assert [(one.rule, one.level) for one in found("\ufeff---\ntags: 3\n---\n")] == [
        ("card/bom", Level.WARNING),
        ("card/bad-value", Level.ERROR),
    ]


def test_all_wrong_values_and_duplicates_come_together() -> None:
    card = "---\ntags: 1\nmetrics: 2\ntags: 3\n---\n"
    assert sorted(said(card)) == [("card/bad-value", 3), ("card/bad-value", 4), ("card/duplicate-key", 4)]


@pytest.mark.parametrize(
    ("card", "level"), [("# A\n", Level.WARNING), ("---\n", Level.ERROR), ("---\na: [\n---\n", Level.ERROR)]
)
def test_no_front_matter_warns_and_bad_front_matter_refuses(card: str, level: Level) -> None:
    assert [one.level for one in found(card)] == [level]


@pytest.mark.parametrize("entries", [[], [entry("readme.md")], [entry("README.md", None, mode=Mode.SYMLINK)]])
def test_a_tree_without_a_card_is_a_warning(entries: list[object]) -> None:
    (finding,) = Card(Files())(tree(entries))  # type: ignore[arg-type]
    assert (finding.rule, finding.level) == ("card/missing", Level.WARNING)


def test_aliases_that_refer_to_each_other_are_read_once() -> None:
    """A few lines could stand for billions of values, or contain themselves."""
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert said("---\n" + "\n".join([*lines, "b: &b [*b]"]) + "\n---\n") == []


PIECES = st.sampled_from(
    [
        "---", "license: mit", "tags: [a]", "a: &x b", "- c", "? [d]", "<<: *x", "e: !!int f", "  g: |", '"h', "i: 'j'",
        "{", "]", "%YAML 9.9", "...", "!!binary é", "k: 0b_", "l: 1e999", "\t", "# m", "\u2028", "\x00", "n: =", "---x",
        "o: 9:99:99", " ---", "--- ",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=8), max_size=10).map("\n".join))
@example("---\na: !!int ''\n---\n")
@settings(max_examples=500)
def test_any_text_can_be_a_card(text: str) -> None:
    """Findings, never an exception."""
    assert all(one.rule.startswith("card/") for one in found(text.encode("utf-8", "surrogatepass")))


@given(st.lists(PIECES, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=300)
def test_front_matter_is_what_the_hubs_library_takes_for_it(pieces: list[str], ending: str) -> None:
    text = ending.join(pieces)
    missing = {"card/no-front-matter", "card/unclosed"} & {rule for rule, _ in said(text)}
    assert bool(missing) == (REGEX_YAML_BLOCK.search(text) is None)
