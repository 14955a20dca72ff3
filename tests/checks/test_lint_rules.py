"""What the rules say of engines is what the engines do: each construct is rendered in every one that is here."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from release.compose.constructs import find_constructs
from release.compose.constructs.expressions import FILTERS, METHODS, TESTS
from release.render.engines.catalogue import NAMES, open_engines
from release.render.lint import RULES
from release.values.rendering import Failed, Rendered

# The engines of the rules, and the one of the catalogue that shows what each does by itself.
ENGINES = {name: name for name in ("transformers", "jinja2", "minijinja", "hf-jinja")} | {"llama.cpp": "llama.cpp-raw"}
GIVEN: dict[str, Any] = {
    "messages": [],
    "few": [1, 2],
    "pair": {"a": 1, "b": 2},
    "odd": {"items": [1], "get": 2},
    "word": "abc",
    "two": 2,
    "objects": [{"x": "p"}, {"x": "q"}, {}],
}
# Rule, name, a template that holds the construct, and what it should print.
SAMPLES: list[tuple[str, str, str, str]] = [
    ("mutation", "append", "{% set all = [1] %}{% set _ = all.append(2) %}{{ all|length }}", "2"),
    ("mutation", "pop", "{% set all = [1] %}{% set _ = all.pop() %}{{ all|length }}", "0"),
    ("mutation", "update", "{% set all = {} %}{% set _ = all.update({'a': 1}) %}{{ all|length }}", "1"),
    ("mutation", "insert", "{% set all = [1] %}{% set _ = all.insert(0, 2) %}{{ all|length }}", "2"),
    ("mutation", "extend", "{% set all = [1] %}{% set _ = all.extend([2]) %}{{ all|length }}", "2"),
    ("tag", "break", "{% for n in few %}{{ n }}{% break %}{% endfor %}", "1"),
    ("tag", "continue", "{% for n in few %}{% continue %}{% endfor %}x", "x"),
    ("tag", "do", "{% do range(1) %}x", "x"),
    ("tag", "generation", "{% generation %}x{% endgeneration %}", "x"),
    ("tag", "raw", "{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
    ("tag", "with", "{% with a = 1 %}{{ a }}{% endwith %}", "1"),
    ("tag", "block", "{% block b %}x{% endblock %}", "x"),
    ("tag", "autoescape", "{% autoescape false %}x{% endautoescape %}", "x"),
    ("tag", "set-filter", "{% set x | upper %}a{% endset %}{{ x }}", "A"),
    ("tag", "recursive", "{% for n in few recursive %}{{ n }}{% endfor %}", "12"),
    ("tag", "+", "{%+ if true %}x{% endif %}", "x"),
    ("tag", "include", "{% include 'x' %}x", "x"),
    ("tag", "import", "{% import 'x' as y %}x", "x"),
    ("tag", "extends", "{% extends 'x' %}x", "x"),
    ("method", "rsplit", "{{ 'a.b.c'.rsplit('.', 1)[0] }}", "a.b"),
    ("method", "join", "{{ ','.join(['a', 'b']) }}", "a,b"),
    ("method", "find", "{{ word.find('b') }}", "1"),
    ("method", "rfind", "{{ word.rfind('b') }}", "1"),
    ("method", "index", "{{ word.index('b') }}", "1"),
    ("method", "count", "{{ word.count('b') }}", "1"),
    ("method", "format", "{{ '{}'.format('a') }}", "a"),
    ("method", "capitalize", "{{ word.capitalize() }}", "Abc"),
    ("method", "isdigit", "{{ 'y' if '1'.isdigit() else 'n' }}", "y"),
    ("method", "isspace", "{{ 'y' if ' '.isspace() else 'n' }}", "y"),
    ("method", "isalpha", "{{ 'y' if 'a'.isalpha() else 'n' }}", "y"),
    ("method", "splitlines", "{{ 'a\\nb'.splitlines()[1] }}", "b"),
    ("method", "removeprefix", "{{ word.removeprefix('a') }}", "bc"),
    ("method", "partition", "{{ word.partition('b')[0] }}", "a"),
    ("method", "zfill", "{{ '1'.zfill(2) }}", "01"),
    ("strip-argument", "strip", "{{ 'xax'.strip('x') }}", "a"),
    ("strip-argument", "lstrip", "{{ 'xax'.lstrip('x') }}", "ax"),
    ("strip-argument", "rstrip", "{{ 'xax'.rstrip('x') }}", "xa"),
    ("replace-count", "", "{{ 'aba'.replace('a', 'c', 1) }}", "cba"),
    ("several-beginnings", "startswith", "{{ 'y' if word.startswith(('x', 'a')) else 'n' }}", "y"),
    ("negative", "", "{{ 'abcd'[-two:] }}", "cd"),
    ("int-default", "", "{{ word|int }}", "0"),
    ("none-as-text", "~", "{{ 'a' ~ none }}", "aNone"),
    ("none-as-text", "string", "{{ none|string }}", "None"),
    ("truth-as-text", "", "{{ true }}", "True"),
    ("truth-as-text", "", "{{ 'a' ~ (two == 2) }}", "aTrue"),
    ("truth-as-text", "", "{{ false|string }}", "False"),
    ("macro-arguments", "", "{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}", "1"),
    ("filter", "unique", "{{ [1, 1]|unique|list|length }}", "1"),
    ("filter", "count", "{{ few|count }}", "2"),
    ("filter", "d", "{{ missing|d('x') }}", "x"),
    ("filter", "max", "{{ few|max }}", "2"),
    ("filter", "min", "{{ few|min }}", "1"),
    ("filter", "attr", "{{ pair|attr('a') }}x", "x"),
    ("filter", "truncate", "{{ word|truncate(2, true, '', 0) }}", "ab"),
    ("filter", "center", "{{ 'a'|center(3) }}", " a "),
    ("filter", "wordcount", "{{ 'a b'|wordcount }}", "2"),
    ("filter", "xmlattr", "{{ {'a': 1}|xmlattr }}", ' a="1"'),
    ("filter", "random", "{{ [1]|random }}", "1"),
    ("filter", "filesizeformat", "{{ 10|filesizeformat }}", "10 Bytes"),
    ("filter", "forceescape", "{{ 'a'|forceescape }}", "a"),
    ("filter", "wordwrap", "{{ 'a b'|wordwrap(9) }}", "a b"),
    ("filter", "urlize", "{{ 'a'|urlize }}", "a"),
    ("filter", "select", "{{ few|select|list|length }}", "2"),
    ("filter", "reject", "{{ few|reject('odd')|list|length }}", "1"),
    ("filter", "sum", "{{ few|sum }}", "3"),
    ("filter", "batch", "{{ few|batch(1)|list|length }}", "2"),
    ("filter", "groupby", "{{ objects[:2]|groupby('x')|list|length }}", "2"),
    ("filter", "format", "{{ '%s'|format('a') }}", "a"),
    ("filter", "round", "{{ 1.5|round|int(default=0) }}", "2"),
    ("filter", "e", "{{ 'a'|e }}", "a"),
    ("filter", "urlencode", "{{ 'a'|urlencode }}", "a"),
    ("filter", "striptags", "{{ 'a'|striptags }}", "a"),
    ("filter", "pprint", "{{ 1|pprint }}", "1"),
    ("filter-argument", "trim", "{{ 'xax'|trim('x') }}", "a"),
    ("filter-argument", "join", "{{ objects[:2]|join(',', attribute='x') }}", "p,q"),
    ("first-last", "last", "{{ few|last }}", "2"),
    ("map-filter", "", "{{ ['A']|map('lower')|join(',') }}", "a"),
    ("select-test", "defined", "{{ objects|selectattr('x', 'defined')|list|length }}", "2"),
    ("select-test", "in", "{{ objects|selectattr('x', 'in', ['p'])|list|length }}", "1"),
    ("select-test", "==", "{{ objects|selectattr('x', '==', 'p')|list|length }}", "1"),
    ("select-test", "ne", "{{ objects[:2]|selectattr('x', 'ne', 'p')|list|length }}", "1"),
    ("select-test", "value", "{{ [{'n': 1}, {'n': 2}]|selectattr('n', 'equalto', 1)|list|length }}", "1"),
    ("loop-neighbour", "previtem", "{% for n in few %}{{ loop.previtem }}{% endfor %}", "1"),
    ("loop-member", "changed", "{% for n in few %}{{ 'y' if loop.changed(n) else 'n' }}{% endfor %}", "yy"),
    ("loop-member", "cycle", "{% for n in few %}{{ loop.cycle('a', 'b') }}{% endfor %}", "ab"),
    ("loop-member", "depth", "{% for n in few %}{{ loop.depth }}{% endfor %}", "11"),
    ("computed-slice", "", "{% set s = 'a😀b' %}{{ s[:s|length - 1] }}", "a😀"),
    ("text-before-comment", "", "\n{# c #}x", "\nx"),
    ("operator", "//", "{{ 7 // 2 }}", "3"),
    ("operator", "**", "{{ 2 ** 3 }}", "8"),
    ("operator", "%", "{{ '%s' % 'a' }}", "a"),
    ("operator", "*", "{{ 'ab' * 2 }}", "abab"),
    ("text-plus-number", "", "{{ 'a' + 1 }}", "a1"),
    ("text-plus-number", "", "{{ 'a' + few|length }}", "a2"),
    ("escape", "u", "{{ '\\u00e9' }}", "é"),
    ("escape", "x", "{{ '\\x41' }}", "A"),
    ("escape", "U", "{{ '\\U0001F600' }}", "😀"),
    ("escape", "N", "{{ '\\N{DIGIT ONE}' }}", "1"),
    ("escape", "other", "{{ '\\/' }}", "\\/"),
    ("number", "spelling", "{{ 1_000 }}", "1000"),
    ("number", "size", "{{ 9223372036854775808 }}", "9223372036854775808"),
    ("sequence-test", "", "{{ 'y' if pair is sequence else 'n' }}", "y"),
    ("test", "float", "{{ 'y' if 1.5 is float else 'n' }}", "y"),
    ("test", "divisibleby", "{{ 'y' if 4 is divisibleby(2) else 'n' }}", "y"),
    ("test", "callable", "{{ 'y' if word is callable else 'n' }}", "n"),
    ("test", "eq", "{{ 'y' if 2 is eq 2 else 'n' }}", "y"),
    ("test", "in", "{{ 'y' if 2 is in [2] else 'n' }}", "y"),
    ("test", "sameas", "{{ 'y' if true is sameas true else 'n' }}", "y"),
    ("mapping-key", "items", "{{ odd.items[0] }}", "1"),
    ("mapping-method", "items", "{% for k, v in odd.items() %}{{ k }}{% endfor %}", "itemsget"),
    ("mapping-method", "get", "{{ odd.get('items')[0] }}", "1"),
    ("text-order", "", "{{ 'y' if word < 'b' else 'n' }}", "y"),
    ("list-equality", "", "{{ 'y' if few == [1, 2] else 'n' }}", "y"),
    ("list-equality", "", "{{ 'y' if pair != {} else 'n' }}{{ 'y' if [] == [] else 'n' }}", "yy"),
    ("text-loop", "", "{% for c in 'ab' %}{{ c }}.{% endfor %}", "a.b."),
    ("chained-comparison", "", "{{ 'y' if 1 < 2 < 3 else 'n' }}", "y"),
    ("global", "joiner", "{% set j = joiner(',') %}{{ j() }}{{ j() }}", ","),
    ("global", "cycler", "{% set c = cycler('a', 'b') %}{{ c.next() }}", "a"),
    ("global", "dict", "{{ dict(a=1)|length }}", "1"),
    ("global", "lipsum", "{{ 'x' if lipsum(n=1) else 'y' }}", "x"),
    ("clock", "", "{{ 'x' if strftime_now('%Y') else 'y' }}", "x"),
    ("namespace-name", "", "{% set ns = namespace(_a=1) %}{{ ns._a }}", "1"),
    ("namespace-name", "", "{% set ns = namespace(b=1) %}{% set ns._a = 1 %}{{ ns._a }}", "1"),
    ("json-arguments", "other", "{{ 'é'|tojson(ensure_ascii=false) }}", '"é"'),
    ("json-arguments", "sort_keys", "{{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }}", '{"a": 2, "b": 1}'),
    ("odd-space", "", "{% if true %}\n\u00a0{% endif %}x", "x"),
    ("byte-order-mark", "", "\ufeffx{{ word }}", "xabc"),
    ("carriage-return", "", "{{ 'a\r\nb' }}", "a\nb"),
]
ids = [f"{rule}-{name}-{number}" for number, (rule, name, _, _) in enumerate(SAMPLES)]
# What engines read alike: in no rule's way.
GOOD = [
    ("{% for a, b in pair|items %}{{ a }}{{ b }}{% endfor %}", "a1b2"),
    ("{% for k, v in pair.items() %}{{ v }}{% endfor %}", "12"),
    ("{% for k in pair.keys() %}{{ k }}{% endfor %}{% for v in pair.values() %}{{ v }}{% endfor %}", "ab12"),
    ("{{ pair.get('a') }}{{ pair.get('z', 5) }}", "15"),
    (
        "{{ ' A '.strip() }}{{ ' A'.lstrip() }}{{ 'A '.rstrip() }}{{ 'A'.lower() }}{{ 'a'.upper() }}{{ 'a'.title() }}",
        "AAAaAA",
    ),
    ("{{ 'a b c'.split(' ', 1)[1] }}{{ 'a b'.split()[1] }}{{ 'aba'.replace('a', 'c') }}", "b cbcbc"),
    ("{{ 'y' if word.startswith('a') and word.endswith('c') else 'n' }}", "y"),
    ("{{ ' a '|trim }}{{ 'A'|lower }}{{ 'a'|upper }}{{ 'ab'|title }}{{ 'ab'|capitalize }}{{ 'x'|safe }}", "aaAAbAbx"),
    ("{{ few|length }}{{ few|join('-') }}{{ few|first }}{{ few|last }}{{ few|list|length }}", "21-2122"),
    ("{{ [2, 1]|sort|join }}{{ few|reverse|join }}{{ -1|abs }}{{ '1.5'|float }}", "122111.5"),
    ("{{ (7 / 2)|int }}{{ '12'|int(default=0) + 1 }}{{ 'x'|int(default=7) }}{{ few|length|int }}", "31372"),
    (
        "{{ missing|default('d') }}{{ none|default('e', true) }}{{ 'a'|replace('a', 'b') }}{{ 'a\nb'|indent(1) }}",
        "deba\n b",
    ),
    ("{% for k, v in {'b': 1, 'a': 2}|dictsort %}{{ k }}{% endfor %}{{ 1|string }}", "ab1"),
    ("{{ objects|selectattr('x')|list|length }}{{ objects|selectattr('x', 'equalto', 'p')|list|length }}", "21"),
    ("{{ objects[:2]|map(attribute='x')|join(',') }}{{ objects|rejectattr('x', 'equalto', 'p')|list|length }}", "p,q2"),
    ("{{ pair|tojson }}{{ {'a': [1, 'b', none, true]}|tojson(indent=2) }}", None),
    ("{{ 'y' if two is number and two is integer and two is even and 1 is odd else 'n' }}", "y"),
    ("{{ 'y' if true is boolean and true is true and false is false and none is none else 'n' }}", "y"),
    ("{{ 'y' if missing is undefined and word is defined and word is string and pair is mapping else 'n' }}", "y"),
    ("{{ 'y' if few is iterable and 'a' is lower and 'A' is upper else 'n' }}", "y"),
    ("{% macro f(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(1, b=4) }}", "121314"),
    (
        "{% for n in range(5, 0, -2) %}{{ n }}{{ loop.index }}{{ loop.length }}{{ loop.revindex0 }}{% endfor %}",
        "513232311330",
    ),
    (
        "{{ 7 % 2 }}{{ two * 3 }}{{ two - 1 }}{{ 'a' ~ 1 ~ 1.5 }}{{ 'a' + word }}{{ ([1] + [2])|length }}",
        "161a11.5aabc2",
    ),
    ("{{ word[1:] }}{{ word[0 - two:] }}{{ few[::-1]|join }}{{ word[:two] }}{{ few[-1] }}", "bcbc21ab2"),
    ("{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 %}{{ ns.a }}{% set b %}x{{ 1 }}{% endset %}{{ b }}", "2x1"),
    (
        "{% if strftime_now is defined %}{% set _ = strftime_now('%Y') %}{% endif %}x{{ 'a\\n\\t\\\\\\'\\\"' }}",
        "xa\n\t\\'\"",
    ),
    (
        "{% filter upper %}x{% endfilter %}{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}y{% endcall %}",
        "X[y]",
    ),
    ("{# c #}x{# d #}{{ 'y' if 'a' in pair and 'z' not in pair and 1 in few and 'b' in word else 'n' }}", "xy"),
    ("{{ 1 if two > 1 and two <= 2 and word == 'abc' and word != 'x' else 0 }}{{ 0x }}".replace("{{ 0x }}", ""), "1"),
]


@cache
def engines() -> dict[str, list[str | None]]:
    """Engine of the rules → what it makes of every sample and then of every good template; None: it fails."""
    return dict(_rendered())


def _rendered() -> Iterator[tuple[str, list[str | None]]]:
    for shown, name in ENGINES.items():
        if name not in NAMES:
            continue
        (engine,) = open_engines([name])
        with engine:
            if engine.unavailable is None:
                sources = [*(source for _, _, source, _ in SAMPLES), *(source for source, _ in GOOD)]
                yield shown, [_made(engine.compile(source)) for source in sources]


def _made(template: Any) -> str | None:
    made = template if isinstance(template, Failed) else template.render(GIVEN)
    return made.text if isinstance(made, Rendered) else None


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=ids)
def test_a_construct_breaks_the_engines_that_its_rule_names_and_no_other(number: int) -> None:
    rule, name, _, right = SAMPLES[number]
    broken = {engine for engine, made in engines().items() if made[number] != right}
    assert broken == set(RULES[rule].engines(name)) & engines().keys()


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=ids)
def test_a_construct_is_found_where_it_stands(number: int) -> None:
    rule, name, source, _ = SAMPLES[number]
    assert (rule, name) in {(one.rule, one.name) for one in find_constructs(source)}


def test_every_rule_and_every_name_in_it_has_a_sample() -> None:
    shown = {(rule, name) for rule, name, _, _ in SAMPLES}
    assert {rule for rule, _ in shown} == RULES.keys()
    assert {(rule, name) for rule, known in RULES.items() for name in known.breaks if name} <= shown


@pytest.mark.parametrize("number", range(len(GOOD)))
def test_what_no_rule_is_about_is_read_alike_everywhere(number: int) -> None:
    source, right = GOOD[number]
    made = {engine: found[len(SAMPLES) + number] for engine, found in engines().items()}
    assert set(made.values()) == {made["transformers"] if right is None else right}, made
    rules = {one.rule for one in find_constructs(source)} - {"first-last", "mapping-method"}
    assert rules == set()


def test_what_is_called_good_was_shown_to_be() -> None:
    """Every method, filter and test that is let pass stands in a template that all engines read alike."""
    sources = " ".join(source for source, _ in GOOD)
    assert [name for name in METHODS if f".{name}(" not in sources] == []
    assert [name for name in FILTERS if f"|{name}" not in sources] == []
    assert [name for name in TESTS if f" is {name}" not in sources] == []
