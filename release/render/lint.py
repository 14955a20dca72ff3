"""What each construct breaks, and what to write instead: rules for `release.compose.constructs`.

The engines that a construct breaks were found out by rendering it in all of them (tests/checks/test_lint_rules.py does
it again): there it fails, or comes out otherwise than in Jinja2 as it is documented. "llama.cpp" stands for its engine,
with a server around it or not; what is said of minja is what ENGINES.md §2 measured.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from release.values import Finding, Level

# Engines by a letter, for the table below. minja is llama.cpp's engine of before 2026.
_ENGINES = {"t": "transformers", "j": "jinja2", "m": "minijinja", "h": "hf-jinja", "l": "llama.cpp", "o": "minja"}
_SERVERS = ("llama.cpp", "llama.cpp-bare", "llama.cpp-raw")
# Broken by any name of a rule that the rule does not list.
ANY = ""


@dataclass(frozen=True)
class Rule:
    """`what` names the construct, with `{}` for the name in it. `breaks` maps names to engines, by their letters.

    `rare`: it breaks only what is seldom written, such as a mapping with a key named like a method.
    """

    what: str
    instead: str
    breaks: Mapping[str, str] = field(default_factory=dict)
    rare: bool = False

    def engines(self, name: str) -> tuple[str, ...]:
        """The engines that the construct breaks, with this name in it."""
        letters = self.breaks.get(name, self.breaks.get(ANY, ""))
        return tuple(_ENGINES[letter] for letter in letters)


RULES: dict[str, Rule] = {
    "mutation": Rule(
        "'.{}()' changes a list or mapping",
        "build a new one: {{% set ns.items = ns.items + [x] %}}",
        {
            ANY: "tmhl",
            "append": "tmh",
            "pop": "tmh",
        },
    ),
    "tag": Rule(
        "the tag or mark '{}'",
        "use if, for, set, macro and namespaces",
        {
            ANY: "tjmhl",
            "break": "jh",
            "continue": "j",
            "do": "tjhl",
            "generation": "jm",
            "raw": "hlo",
            "with": "hl",
            "block": "hl",
            "autoescape": "hl",
            "set-filter": "hl",
            "recursive": "hl",
            "+": "hlo",
        },
    ),
    "method": Rule(
        "the method '.{}()'",
        "use startswith, endswith, split, replace, lower, upper and filters",
        {
            ANY: "mhl",
            "rsplit": "mh",
            "join": "hl",
            "find": "hl",
            "rfind": "hl",
            "count": "hl",
            "format": "ho",
            "capitalize": "",
            "isdigit": "hl",
            "isspace": "hl",
            "isalpha": "hl",
            "splitlines": "hl",
        },
    ),
    "strip-argument": Rule("'.{}()' with an argument", "use trim, or split and compare", {ANY: "h"}),
    "replace-count": Rule("'.replace()' with a count", "split once and join", {ANY: "l"}),
    "several-beginnings": Rule("'.{}()' with several texts", "ask for one after the other with 'or'", {ANY: "lo"}),
    "negative": Rule("a minus in front of what is no number", "write 0 - n", {ANY: "l"}),
    "int-default": Rule("'|int' without a default, of what may be a text", "write |int(default=0)", {ANY: "m"}),
    "none-as-text": Rule("none as a text, by '{}'", "ask 'is none' first", {"~": "hl", "string": "h"}),
    "truth-as-text": Rule("a truth value as a text", "write 'True' if x else 'False'", {ANY: "h"}),
    "macro-arguments": Rule(
        "a macro that is not given an argument without a default", "give every argument", {ANY: "l"}
    ),
    "filter": Rule(
        "the filter '{}'",
        "use trim, lower, length, join, tojson, int, default, replace, map(attribute=), selectattr",
        {
            ANY: "hl",
            "unique": "l",
            "count": "h",
            "d": "h",
            "max": "h",
            "min": "h",
            "attr": "mhl",
            "truncate": "mhl",
            "center": "mhl",
            "wordcount": "mhl",
            "xmlattr": "mhl",
            "random": "mhl",
            "filesizeformat": "hl",
            "forceescape": "mhl",
            "wordwrap": "mhl",
            "urlize": "mhl",
        },
    ),
    "filter-argument": Rule("the filter '{}' with this argument", "leave the argument out", {ANY: "h"}),
    "first-last": Rule("the filter '{}'", "write [0] and [-1]", {ANY: "o"}),
    "map-filter": Rule("'map' with the name of a filter", "use a loop", {ANY: "hl"}),
    "select-test": Rule(
        "'selectattr' or 'rejectattr' with this test",
        "use 'equalto' and a text, or a loop",
        {ANY: "h", "==": "hl", "defined": "l"},
    ),
    "loop-neighbour": Rule("'loop.{}'", "use loop.index0 and the list", {ANY: "o"}),
    "loop-member": Rule("'loop.{}'", "use loop.index0, first and last", {ANY: "hl"}),
    "computed-slice": Rule("a slice up to a computed length", "count from 0, or from the end: s[0 - n:]", {ANY: "h"}),
    "text-before-comment": Rule("text in front of a comment that opens the file", "begin with the comment", {ANY: "l"}),
    "operator": Rule(
        "the operator '{}'",
        "use + and -, and (a / b)|int",
        {"//": "l", "**": "l", "%": "mhl", "*": "h"},
    ),
    "text-plus-number": Rule("a text and a number with '+'", "join them with ~", {ANY: "tjm"}),
    "escape": Rule(
        "an escape other than \\n \\t \\r \\b \\\\ \\' \\\" in a text",
        "write the character itself",
        {"u": "lo", "x": "lo", "U": "mhl", "N": "mhl", "other": "mhl"},
    ),
    "number": Rule("a number written or sized like this", "write plain digits", {"spelling": "hl", "size": "hl"}),
    "sequence-test": Rule("'is sequence'", "exclude string, mapping and none, then ask 'is iterable'", {ANY: "ml"}),
    "test": Rule(
        "the test '{}'",
        "use defined, string, mapping, none, true, false and iterable",
        {ANY: "hl", "float": "h", "divisibleby": "h", "callable": "m"},
    ),
    "mapping-key": Rule("'.{}' of a mapping", "write ['items']: to Python it is a method", {ANY: "tjl"}),
    "mapping-method": Rule(
        "'.{}()' of a mapping", "loop over the mapping: it may have such a key", {ANY: "h"}, rare=True
    ),
    "text-order": Rule("'<' or '>' with a text", "compare texts for equality only", {ANY: "hl"}),
    "list-equality": Rule("'==' with a list or mapping", "compare lengths, or elements", {ANY: "h"}),
    "text-loop": Rule("a loop over a text", "split it first", {ANY: "hl"}),
    "chained-comparison": Rule("a comparison in a chain", "join two comparisons with 'and'", {ANY: "hl"}),
    "global": Rule("the function '{}'", "use a namespace", {ANY: "hl", "cycler": "mhl", "lipsum": "mhl"}),
    "clock": Rule("'strftime_now' without asking whether it is defined", "ask 'strftime_now is defined'", {ANY: "jo"}),
    "namespace-name": Rule("a name in a namespace that begins with '_'", "take another name", {ANY: "tj"}),
    "json-arguments": Rule("'tojson' with arguments", "leave them out", {ANY: "j", "sort_keys": "jl"}),
    "odd-space": Rule("white space beyond ASCII between tags", "indent with spaces", {ANY: "jhl"}),
    "byte-order-mark": Rule("a byte order mark", "save the file without", {ANY: "tjmhl"}),
    "carriage-return": Rule("a carriage return", "end lines with LF alone", {ANY: "mh"}),
}


def explain(
    path: str, line: int, column: int, rule: str, name: str, without: Collection[str] = ()
) -> Iterator[Finding]:
    """The finding about one construct; none where all that it breaks are engines `without` a promise.

    A warning where only an engine is broken that was given up, or only what is seldom written.
    """
    known = RULES[rule]
    broken = [engine for engine in known.engines(name) if not _is_promised_nowhere(engine, without)]
    if not broken:
        return
    level = Level.WARNING if known.rare or broken == ["minja"] else Level.ERROR
    message = f"{known.what.format(name)} breaks {', '.join(broken)}: {known.instead.format()}"
    yield Finding(f"lint/{rule}", message, level, path, line, column)


def _is_promised_nowhere(engine: str, without: Collection[str]) -> bool:
    return all(name in without for name in (_SERVERS if engine == "llama.cpp" else (engine,)))
