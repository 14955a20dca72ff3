"""A built template uses only what every engine reads alike, and its work grows with the history, no faster."""

import re
import sys
from collections.abc import Iterator

import jinja2
import pytest
from families import FAMILIES, MEDIA_HISTORY, PLAIN, ROOT, STABLE, each_family, render, stock
from jinja2 import nodes

FILTERS = {"length", "string", "tojson", "trim"}
TESTS = {"defined", "false", "iterable", "mapping", "none", "string", "true"}
METHODS = {"endswith", "replace", "split", "startswith"}
FUNCTIONS = {"namespace", "raise_exception", "range"}
LOOP = {"first", "index", "index0"}
SHARED_PARTS = ROOT / "templates" / "shared"
IMAGE = '{"images":["iVBORw0KGgo' + "A" * 4200 + '"]}'


def found(family, kind) -> Iterator:
    return jinja2.Environment().parse(family.built).find_all(kind)


def is_of(node, names):
    return isinstance(node.node, nodes.Name) and node.node.name in names


@each_family
def test_only_filters_and_tests_that_all_engines_have_are_used(family):
    assert {node.name for node in found(family, nodes.Filter)} <= FILTERS
    assert {node.name for node in found(family, nodes.Test)} <= TESTS


@each_family
def test_only_methods_and_functions_that_all_engines_have_are_called(family):
    macros = {node.name for node in found(family, nodes.Macro)}
    called = [node.node for node in found(family, nodes.Call)]
    assert {node.attr for node in called if isinstance(node, nodes.Getattr)} <= METHODS
    assert {node.name for node in called if isinstance(node, nodes.Name)} <= FUNCTIONS | macros
    assert all(isinstance(node, nodes.Getattr | nodes.Name) for node in called)


@each_family
def test_every_macro_gets_every_argument(family):
    """llama.cpp has no missing arguments."""
    macros = {node.name: len(node.args) for node in found(family, nodes.Macro)}
    assert not any(node.defaults for node in found(family, nodes.Macro))
    calls = [
        node for node in found(family, nodes.Call) if isinstance(node.node, nodes.Name) and node.node.name in macros
    ]
    assert calls
    assert [node.lineno for node in calls if len(node.args) != macros[node.node.name] or node.kwargs] == []


@each_family
def test_a_loop_is_asked_only_what_all_engines_know(family):
    asked = [
        node for node in found(family, nodes.Getattr) if isinstance(node.node, nodes.Name) and node.node.name == "loop"
    ]
    assert {node.attr for node in asked} <= LOOP


@each_family
def test_no_operator_is_used_that_engines_read_differently(family):
    used = {type(node) for node in found(family, nodes.Expr)}
    assert not used & {nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Mul, nodes.Pos, nodes.Div}
    assert all(isinstance(node.node, nodes.Const) for node in found(family, nodes.Neg))
    compared = [operand.op for node in found(family, nodes.Compare) for operand in node.ops]
    assert set(compared) <= {"eq", "ne", "lt", "gt", "gteq", "in", "notin"}
    assert all(len(node.ops) == 1 for node in found(family, nodes.Compare))


@each_family
def test_lists_do_not_grow(family):
    """`+` joins text or adds numbers here: a list in it would be copied each time."""
    assert not any(
        isinstance(node.left, nodes.List) or isinstance(node.right, nodes.List) for node in found(family, nodes.Add)
    )
    assert "append" not in family.built


@each_family
def test_literals_use_only_the_escapes_that_all_engines_read(family):
    strings = [text for _, kind, text in jinja2.Environment().lex(family.built) if kind == "string"]
    assert {escape for text in strings for escape in re.findall(r"\\.", text)} <= {"\\n", "\\t", "\\\\", "\\'"}
    assert all("\n" not in text for text in strings)


@each_family
@pytest.mark.parametrize("trim", [True, False])
def test_every_printed_byte_comes_from_an_expression(family, trim):
    """Nothing but white space stands between tags, and the tags remove it (D-09)."""
    lexed = jinja2.Environment(trim_blocks=trim, lstrip_blocks=trim).lex(family.built)
    assert [text for _, kind, text in lexed if kind == "data" and text] == []


@each_family
def test_there_is_one_comment_and_it_is_the_change_notice(family):
    assert family.built.count("{#") == 1
    assert family.built.startswith("{#\n")
    for fact in ("CHANGED FILE", "Apache License 2.0", "feea018b31f89dc0950e61da42577a7a4ab09169", "NOTICE.md"):
        assert fact in family.notice


def test_the_instructions_of_media_history_are_those_of_stock():
    """The texts that the model was trained on are stock's, byte for byte."""
    text = (MEDIA_HISTORY.sources / "parts" / "instructions.jinja").read_text(encoding="utf-8").strip()
    assert text.replace("\n", "\\n") in stock()


def lines_of_code(template):
    return {line.strip() for line in template.splitlines() if "set" in line or "if" in line or "for" in line}


def cannot_differ(line):
    """`else`, `end…`, and conditions whose words the wire format or the variables' names give."""
    said = r"not messages|add_generation_prompt|content is string|tools and tools is iterable and tools is not mapping"
    return re.fullmatch(rf"\{{%- (?:end\w+|else|for \w+ in \w+|if (?:{said})) -?%\}}", line)


@each_family
def test_the_program_is_not_that_of_stock(family):
    """No line of code is shared but those that cannot be said otherwise."""
    shared = lines_of_code(family.built) & lines_of_code(stock())
    assert [line for line in sorted(shared) if not cannot_differ(line)] == []


@each_family
@pytest.mark.parametrize("form", ["built", "twin"])
def test_llama_server_finds_the_format_of_calls_in_the_source(family, form):
    """It chooses its parser of calls by what it finds in a template, and takes these for other models' formats."""
    text = getattr(family, form)
    foreign = ["<|channel|>", "[TOOL_CALLS]", ">>>all", "<|open|>", "List of tools: [", "Tool usage guidelines:"]
    foreign += ["<|role_sep|>", "DSML", "<arg_key>", "'<tool_call><function=' ~", "in JSONSchema format"]
    wanted = ["<tool_call>", "<function=", "<parameter=", "<think>"]
    assert ([word for word in wanted if word not in text], [word for word in foreign if word in text]) == ([], [])


@pytest.mark.parametrize("folder", [*(family.sources for family in FAMILIES), SHARED_PARTS], ids=lambda path: path.name)
def test_the_parts_are_small(folder):
    sizes = {path.name: path.read_text(encoding="utf-8").count("\n") for path in folder.rglob("*.jinja")}
    assert sizes
    assert max(sizes.values()) <= 60, sizes


def test_every_shared_part_is_used_by_every_family():
    for family in FAMILIES:
        sources = "".join(path.read_text(encoding="utf-8") for path in family.sources.rglob("*.jinja"))
        sources += "".join(path.read_text(encoding="utf-8") for path in SHARED_PARTS.glob("*.jinja"))
        assert [path.name for path in SHARED_PARTS.glob("*.jinja") if f"'shared/{path.name}'" not in sources] == []


def history(messages, answer, calls=1):
    made = [{"role": "user", "content": "q"}]
    while len(made) < messages:
        names = [f"c{len(made)}-{n}" for n in range(calls)]
        called = [{"id": name, "function": {"name": "f", "arguments": {"a": name}}} for name in names]
        made.append({"role": "assistant", "content": "t", "tool_calls": called})
        made += [
            {"role": "tool", "tool_call_id": name, "content": answer if len(made) % 4 else "r"}
            for name in reversed(names)
        ]
    return {"messages": [*made[:messages], {"role": "user", "content": "z"}]}


def lines_run(text, variables):
    """How many lines of the compiled template a render goes through: the same on every machine, however busy."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line" and frame.f_code.co_filename == "<template>"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        render(text, variables, PLAIN)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    ("family", "answer", "calls"),
    [(MEDIA_HISTORY, "r", 1), (MEDIA_HISTORY, IMAGE, 1), (MEDIA_HISTORY, IMAGE, 8), (STABLE, "r", 1), (STABLE, "r", 8)],
    ids=["media", "media with images", "media with images in batches", "stable", "stable in batches"],
)
def test_twice_the_history_takes_twice_the_steps(family, answer, calls):
    """What it costs in time, beside stock, stands in `benchmarks`."""
    short, long = history(400, answer, calls), history(800, answer, calls)
    assert lines_run(family.built, long) <= 2.1 * lines_run(family.built, short)
