"""Constructs that are expressions: methods, filters, tests and operators that engines lack or read otherwise."""

from collections.abc import Callable, Iterator

from jinja2 import nodes

from release.compose.constructs.places import Read
from release.compose.constructs.written import Found

MUTATIONS = frozenset(
    """
    append add clear discard extend insert pop popitem remove reverse setdefault sort update
    """.split()  # noqa: SIM905 - a list of words is read more easily
)
# Methods that all engines have; what some of them do with arguments is looked at by itself.
METHODS = frozenset(
    """
    endswith get items keys lower lstrip replace rstrip split startswith strip title upper values
    """.split()  # noqa: SIM905
)
FILTERS = frozenset(
    """
    abs capitalize default dictsort first float indent int items join last length list lower map rejectattr replace
    reverse safe selectattr sort string title tojson trim upper
    """.split()  # noqa: SIM905
)
TESTS = frozenset(
    """
    boolean defined even false integer iterable lower mapping none number odd string true undefined upper
    """.split()  # noqa: SIM905
)
_MAPPING = ("items", "keys", "values", "get")
_COUNTS = ("index", "index0", "length", "revindex", "revindex0")
_LOOP = frozenset({"first", "last", "previtem", "nextitem", *_COUNTS})
_GLOBALS = ("joiner", "cycler", "dict", "lipsum")
_NUMBERS = (nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Neg, nodes.Pos)


def in_expressions(template: Read) -> Iterator[Found]:
    called = {id(call.node) for call in template.of(nodes.Call)}
    guarded = any(
        test.name == "defined" and isinstance(test.node, nodes.Name) and test.node.name == "strftime_now"
        for test in template.of(nodes.Test)
    )
    lengths = _names_of_lengths(template)
    for node in template.every:
        for rule, name, place in _of(node, called, lengths):
            if rule != "clock" or not guarded:
                # A comparison knows where it ends, and its first side where it begins.
                yield rule, name, template.at(place.expr if isinstance(place, nodes.Compare) else place)


_Place = tuple[str, str, nodes.Node]


def _of(node: nodes.Node, called: set[int], lengths: set[str]) -> Iterator[_Place]:
    if isinstance(node, nodes.Getattr):
        yield from _attribute(node, called)
    elif isinstance(node, nodes.Call):
        yield from _call(node)
    elif isinstance(node, nodes.Slice):
        if any(_is_length(bound, lengths) for bound in (node.start, node.stop, node.step)):
            yield "computed-slice", "", node
    elif isinstance(node, nodes.Output):
        for printed in node.nodes:
            if _is_truth(printed):
                yield "truth-as-text", "", printed
    else:
        for kind, look in _LOOKS.items():
            if isinstance(node, kind):
                yield from look(node)


def _attribute(node: nodes.Getattr, called: set[int]) -> Iterator[_Place]:
    if isinstance(node.node, nodes.Name) and node.node.name == "loop":
        if node.attr in ("previtem", "nextitem"):
            yield "loop-neighbour", node.attr, node
        elif node.attr not in _LOOP:
            yield "loop-member", node.attr, node
    elif node.attr in _MAPPING:
        yield "mapping-method" if id(node) in called else "mapping-key", node.attr, node


def _call(node: nodes.Call) -> Iterator[_Place]:
    if isinstance(node.node, nodes.Name):
        if node.node.name in _GLOBALS:
            yield "global", node.node.name, node.node
        elif node.node.name == "strftime_now":
            yield "clock", "", node.node
    elif isinstance(node.node, nodes.Getattr) and not _is_loop(node.node.node):
        method, given = node.node.attr, len(node.args)
        if method in MUTATIONS:
            yield "mutation", method, node.node
        elif method not in METHODS:
            yield "method", method, node.node
        elif method in ("strip", "lstrip", "rstrip") and given:
            yield "strip-argument", method, node.node
        elif method == "replace" and given > 2:
            yield "replace-count", "", node.node
        elif method in ("startswith", "endswith") and given and isinstance(node.args[0], nodes.Tuple):
            yield "several-beginnings", method, node.node


def _filter(node: nodes.Filter) -> Iterator[_Place]:
    arguments = {str(given.key) for given in node.kwargs}
    # A filter without anything in front of it is that of a block.
    operand = node.node or nodes.Const("")
    if node.name not in FILTERS:
        yield "filter", node.name, node
    elif node.name in ("first", "last"):
        yield "first-last", node.name, node
    elif node.name == "int":
        if not node.args and "default" not in arguments and not _is_number(operand):
            yield "int-default", "", node
    elif node.name == "map":
        if node.args:
            yield "map-filter", "", node
    elif node.name in ("selectattr", "rejectattr"):
        yield from _select(node)
    elif node.name == "string":
        if _is_none(operand):
            yield "none-as-text", "string", node
        elif _is_truth(operand):
            yield "truth-as-text", "", node
    elif node.name == "tojson":
        for name in sorted(arguments - {"indent"}):
            yield "json-arguments", "sort_keys" if name == "sort_keys" else "other", node
    elif (node.name == "trim" and (node.args or arguments)) or (node.name == "join" and "attribute" in arguments):
        yield "filter-argument", node.name, node


def _select(node: nodes.Filter) -> Iterator[_Place]:
    """`selectattr('x')` and `selectattr('x', 'equalto', 'text')` are read alike."""
    if len(node.args) < 2:
        return
    test = node.args[1].value if isinstance(node.args[1], nodes.Const) else None
    if test == "equalto":
        value = node.args[2] if len(node.args) > 2 else None
        if isinstance(value, nodes.Const) and not isinstance(value.value, str):
            yield "select-test", "value", node
    else:
        yield "select-test", str(test), node


def _test(node: nodes.Test) -> Iterator[_Place]:
    if node.name == "sequence":
        yield "sequence-test", "", node
    elif node.name not in TESTS:
        yield "test", node.name, node


def _concat(node: nodes.Concat) -> Iterator[_Place]:
    for part in node.nodes:
        if _is_none(part):
            yield "none-as-text", "~", part
        elif _is_truth(part):
            yield "truth-as-text", "", part


def _compare(node: nodes.Compare) -> Iterator[_Place]:
    if len(node.ops) > 1:
        yield "chained-comparison", "", node
    for operand in node.ops:
        sides = (node.expr, operand.expr)
        if operand.op in ("eq", "ne") and any(
            isinstance(side, nodes.List | nodes.Dict | nodes.Tuple) for side in sides
        ):
            yield "list-equality", "", node
        if operand.op in ("lt", "lteq", "gt", "gteq") and any(_is_text(side) for side in sides):
            yield "text-order", "", node


def _operator(node: nodes.BinExpr) -> Iterator[_Place]:
    sides = (node.left, node.right)
    texts = [_is_text(side) for side in sides]
    if isinstance(node, nodes.FloorDiv | nodes.Pow):
        yield "operator", "//" if isinstance(node, nodes.FloorDiv) else "**", node
    elif isinstance(node, nodes.Mod) and texts[0]:
        yield "operator", "%", node
    elif isinstance(node, nodes.Mul) and any(texts):
        yield "operator", "*", node
    elif isinstance(node, nodes.Add) and any(texts) and any(map(_is_number, sides)):
        yield "text-plus-number", "", node


def _negative(node: nodes.Neg) -> Iterator[_Place]:
    if not isinstance(node.node, nodes.Const):
        yield "negative", "", node


_LOOKS: dict[type[nodes.Node], Callable[..., Iterator[_Place]]] = {
    nodes.Filter: _filter,
    nodes.Test: _test,
    nodes.Concat: _concat,
    nodes.Compare: _compare,
    nodes.BinExpr: _operator,
    nodes.Neg: _negative,
}


def _is_loop(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "loop"


def _is_text(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str)


def _is_none(node: nodes.Node) -> bool:
    """Whether it is visibly none, or may be: one end of an inline `if`."""
    if isinstance(node, nodes.CondExpr):
        return _is_none(node.expr1) or (node.expr2 is not None and _is_none(node.expr2))
    return isinstance(node, nodes.Const) and node.value is None


def _is_truth(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Compare | nodes.Test | nodes.Not) or (
        isinstance(node, nodes.Const) and isinstance(node.value, bool)
    )


def _is_number(node: nodes.Node) -> bool:
    """Whether it is visibly a number: arithmetic without a text in it, a literal, a length, a loop's count."""
    if isinstance(node, nodes.Const):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, nodes.Filter):
        return node.name in ("length", "count", "int", "float", "abs", "round")
    if isinstance(node, nodes.Getattr):
        return _is_loop(node.node) and node.attr in _COUNTS
    if isinstance(node, nodes.Add):
        return _is_number(node.left) or _is_number(node.right)
    return isinstance(node, _NUMBERS) and not any(_is_text(child) for child in node.iter_child_nodes())


def _names_of_lengths(template: Read) -> set[str]:
    """Variables and attributes of namespaces that are set from a length."""
    names: set[str] = set()
    for assign in template.of(nodes.Assign):
        if any(one.name in ("length", "count") for one in _filters(assign.node)):
            if isinstance(assign.target, nodes.Name):
                names.add(assign.target.name)
            elif isinstance(assign.target, nodes.NSRef):
                names.add(f"{assign.target.name}.{assign.target.attr}")
    return names


def _filters(node: nodes.Node) -> list[nodes.Filter]:
    return [*([node] if isinstance(node, nodes.Filter) else []), *node.find_all(nodes.Filter)]


def _is_length(node: nodes.Node | None, lengths: set[str]) -> bool:
    """Whether a bound is, or visibly comes from, a length."""
    if node is None:
        return False
    if any(one.name in ("length", "count") for one in _filters(node)):
        return True
    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name):
        return f"{node.node.name}.{node.attr}" in lengths
    return any(isinstance(name, nodes.Name) and name.name in lengths for name in (node, *node.find_all(nodes.Name)))
