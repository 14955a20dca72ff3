"""Constructs of a template that engines read differently, with their places, in running order.

places       the template as Jinja2 reads it: tokens and tree, each with line and column
written      what stands in tokens: literals, escapes, comments, white space
statements   tags, loops, macros
expressions  methods, filters, tests, operators

What each of them breaks, `release.render.lint` knows.
"""

from dataclasses import dataclass

from release.compose.constructs.places import CannotRead, read

__all__ = ["CannotRead", "Construct", "find_constructs"]


@dataclass(frozen=True, order=True)
class Construct:
    """One construct: the rule that is about it, the name in it that matters ('' where none does), and where it is."""

    line: int
    column: int
    rule: str
    name: str = ""


def find_constructs(text: str) -> tuple[Construct, ...]:
    """All constructs that a rule is about, by their places. Raises `CannotRead` where Jinja2 cannot read the text."""
    from release.compose.constructs.expressions import in_expressions
    from release.compose.constructs.statements import in_statements
    from release.compose.constructs.written import in_bytes, in_tokens

    template = read(text)
    found = [Construct(line, column, rule, name) for rule, name, line, column in in_bytes(text)]
    for rule, name, token in (*in_tokens(template), *in_statements(template), *in_expressions(template)):
        found.append(Construct(token.line, token.column, rule, name))
    return tuple(sorted(set(found)))
