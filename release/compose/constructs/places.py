"""A template as Jinja2 reads it, with the place of every token and of every node of its syntax tree.

Jinja2's nodes know their line only. Here the parser is given the number of each token in place of its line, so that a
node knows the token that it begins with, and that has a column.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension, do, loopcontrols
from jinja2.lexer import Token as StreamToken
from jinja2.lexer import TokenStream, newline_re
from jinja2.parser import Parser

from release.compose.oneline import Generation

# What the lexer drops before it hands tokens to the parser.
_NO_TOKENS = frozenset({"comment_begin", "comment", "comment_end", "whitespace", "raw_begin", "raw_end", "trimmed"})

_Node = TypeVar("_Node", bound=nodes.Node)


class CannotRead(Exception):
    """A template that Jinja2 cannot read: why, and where, from 1, as far as that is known."""

    def __init__(self, reason: str, line: int | None, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True)
class Token:
    """One token as it stands in the source; `line` and `column` count from 1.

    `kind` is Jinja2's, or "trimmed" for white space that its block trimming takes away.
    """

    kind: str
    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Read:
    """All tokens, those among them that the parser sees, and all nodes, which hold numbers of the latter."""

    tokens: tuple[Token, ...]
    seen: tuple[Token, ...]
    every: tuple[nodes.Node, ...]

    def of(self, *kinds: type[_Node]) -> Iterator[_Node]:
        """The nodes of these kinds, in their order."""
        return (node for node in self.every if isinstance(node, kinds))

    def at(self, node: nodes.Node) -> Token:
        """The token that the node begins with."""
        return self.seen[node.lineno - 1]


class _Numbering(Extension):
    """Gives each token its number, from 1, in place of its line."""

    # Behind all other extensions.
    priority = 1_000

    def filter_stream(self, stream: TokenStream) -> Iterator[StreamToken]:
        for number, token in enumerate(stream, 1):
            yield StreamToken(number, token.type, token.value)


def read(text: str) -> Read:
    """The template, read as transformers reads it. Raises `CannotRead`."""
    source = "\n".join(newline_re.split(text)[::2])
    try:
        tokens = tuple(_tokens(source))
    except TemplateSyntaxError as error:
        raise CannotRead(error.message or str(error), error.lineno) from error
    seen = tuple(token for token in tokens if token.kind not in _NO_TOKENS)
    try:
        with warnings.catch_warnings():
            # Of an escape that Python does not know; `written.py` tells of it.
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = Parser(_environment(), source).parse()
        return Read(tokens, seen, tuple(tree.find_all(nodes.Node)))
    except TemplateSyntaxError as error:
        place = seen[min(error.lineno, len(seen)) - 1] if seen else None
        line, column = (place.line, place.column) if place else (None, None)
        raise CannotRead(error.message or str(error), line, column) from error
    except RecursionError as error:
        raise CannotRead("its expressions are nested too deeply", None) from error


@cache
def _environment() -> Environment:
    return Environment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, do, Generation, _Numbering])


def _tokens(source: str) -> Iterator[Token]:
    """Tokens keep their order, and nothing but white space that was trimmed stands between them."""
    at, line, start = 0, 1, 0
    for _, kind, text in _environment().lexer.tokeniter(source, None):
        found = source.index(text, at)
        for name, piece in (("trimmed", source[at:found]), (kind, text)):
            if piece:
                yield Token(name, piece, line, at - start + 1)
            line += piece.count("\n")
            at += len(piece)
            start = max(start, source.rfind("\n", 0, at) + 1)
