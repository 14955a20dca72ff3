"""Constructs that are statements: tags that engines lack, loops that they run otherwise, calls of macros."""

from collections.abc import Iterator

from jinja2 import nodes

from release.compose.constructs.places import Read
from release.compose.constructs.written import Found

# Tags by the nodes that they become.
_TAGS: dict[type[nodes.Node], str] = {
    nodes.Break: "break",
    nodes.Continue: "continue",
    nodes.ExprStmt: "do",
    nodes.With: "with",
    nodes.Block: "block",
    nodes.ScopedEvalContextModifier: "autoescape",
    nodes.Extends: "extends",
    nodes.Include: "include",
    nodes.Import: "import",
    nodes.FromImport: "import",
}


def in_statements(template: Read) -> Iterator[Found]:
    macros = {macro.name: macro for macro in template.of(nodes.Macro)}
    for node in template.of(*_TAGS):
        yield "tag", _TAGS[type(node)], template.at(node)
    for call in template.of(nodes.CallBlock):
        # The extension's own call, and not one of a macro.
        if isinstance(call.call.node, nodes.ExtensionAttribute):
            yield "tag", "generation", template.at(call)
    for block in template.of(nodes.AssignBlock):
        if block.filter is not None:
            yield "tag", "set-filter", template.at(block)
    for loop in template.of(nodes.For):
        if loop.recursive:
            yield "tag", "recursive", template.at(loop)
        if _is_text(loop.iter):
            yield "text-loop", "", template.at(loop.iter)
    for called in template.of(nodes.Call):
        if isinstance(called.node, nodes.Name) and called.node.name in macros:
            macro = macros[called.node.name]
            given = len(called.args) + len(called.kwargs)
            # What has a default may be left out everywhere.
            if given < len(macro.args) - len(macro.defaults) and called.dyn_args is None and called.dyn_kwargs is None:
                yield "macro-arguments", "", template.at(called.node)
    yield from _namespaces(template)


def _namespaces(template: Read) -> Iterator[Found]:
    for reference in template.of(nodes.NSRef):
        if reference.attr.startswith("_"):
            yield "namespace-name", "", template.at(reference)
    for called in template.of(nodes.Call):
        if isinstance(called.node, nodes.Name) and called.node.name == "namespace":
            for given in called.kwargs:
                if given.key.startswith("_"):
                    yield "namespace-name", "", template.at(given)


def _is_text(node: nodes.Node) -> bool:
    """Whether it is visibly a text: a literal, or what a filter makes a text of."""
    if isinstance(node, nodes.Filter):
        return node.name in ("string", "trim", "lower", "upper")
    return isinstance(node, nodes.Const) and isinstance(node.value, str)
