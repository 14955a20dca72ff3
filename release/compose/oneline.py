"""A template → its one-line twin: the same syntax tree without a newline in the file, or the reason why not.

Some hosts take a template on one line only. The twin is made from Jinja2's own tokens: tags lose their white-space
control, which has done its work in the lexer, and text that white space could touch becomes a string literal
(spec/README.md, "The one-line twin"). Where text depends on trim_blocks and lstrip_blocks, which one host sets and
another does not, no single twin is right, and none is made unless one mode is asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile, zip_longest

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension, do, loopcontrols
from jinja2.parser import Parser

from release.compose.faults import NoTwin
from release.compose.literal import literal

_OPENING = {"block_begin": "{%", "variable_begin": "{{"}
_CLOSING = {"block_end": "%}", "variable_end": "}}"}
# The lexer drops these; what stands inside raw tags arrives as ordinary text.
_DROPPED = frozenset(["comment_begin", "comment", "comment_end", "raw_begin", "raw_end"])
# With one of these inside, or white space at an end, some host would read text as something else.
_NOT_PLAIN = frozenset("\n\t{}%#")
_HINT = "mend the template, or publish it without a one-line twin"

Tree = object


@dataclass(frozen=True)
class _Part:
    """Text between tags, or one whole tag (`tag`) as the twin writes it. Equal wherever it stood."""

    text: str
    tag: bool
    line: int = field(compare=False)


class Generation(Extension):
    """`{% generation %}`, by which transformers marks the assistant's own text."""

    tags = {"generation"}  # noqa: RUF012 - Jinja2 reads a plain set here

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("generation"), [], [], body).set_lineno(line)


def make_oneline(text: str, trim: bool | None = None) -> str:
    """The twin of `text`, without a newline, its syntax tree proved equal to the template's.

    `trim` is the mode it is made for: True with trim_blocks and lstrip_blocks, as transformers and llama.cpp have
    them, False without, None (the default) for both, which refuses text that differs. Raises `NoTwin` with a reason
    and a line.
    """
    _refuse_bytes(text)
    modes = (True, False) if trim is None else (trim,)
    try:
        parts = [list(_parts(text, mode)) for mode in modes]
        if len(parts) == 2:
            _refuse_a_difference(*parts)
        twin = "".join(
            part.text if part.tag or _is_plain(part.text) else f"{{{{ {literal(part.text)} }}}}" for part in parts[0]
        )
        _prove(text, modes, twin)
    except TemplateSyntaxError as error:
        raise NoTwin(f"Jinja2 cannot read it: {error.message}", line=error.lineno, hint=_HINT) from error
    except RecursionError as error:
        raise NoTwin("its expressions are nested too deeply to be compared", hint=_HINT) from error
    return twin


@cache
def _environment(trim: bool) -> Environment:
    return Environment(trim_blocks=trim, lstrip_blocks=trim, extensions=[loopcontrols, do, Generation])


def _refuse_bytes(text: str) -> None:
    if text.startswith("\ufeff"):
        raise NoTwin("it begins with a byte order mark, which would begin every prompt", line=1, hint=_HINT)
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise NoTwin("a carriage return, which some engines print and others drop", line=line, hint=_HINT)


def _refuse_a_difference(trimmed: list[_Part], plain: list[_Part]) -> None:
    for ours, theirs in zip_longest(trimmed, plain):
        if ours != theirs:
            raise NoTwin(
                "white space here is printed or not by the host's trim_blocks and lstrip_blocks: "
                "write '{%-' or '-%}', or print the text from an expression",
                line=_where_they_part(ours, theirs),
                hint=_HINT,
            )


def _where_they_part(ours: _Part | None, theirs: _Part | None) -> int | None:
    """The line of the first character that one mode prints and the other does not."""
    if ours and theirs and not ours.tag and not theirs.tag:
        same = takewhile(lambda pair: pair[0] == pair[1], zip(ours.text, theirs.text, strict=False))
        return theirs.line + sum(char == "\n" for char, _ in same)
    part = theirs or ours
    return part.line if part else None


def _parts(text: str, trim: bool) -> Iterator[_Part]:
    """The template as the lexer cuts it in this mode, neighbouring texts joined."""
    words: list[str] = []
    start = 1
    tag: list[str] | None = None
    for line, kind, value in _environment(trim).lexer.tokeniter(text, None):
        if kind in _DROPPED:
            continue
        if kind in _OPENING:
            if data := "".join(words):
                yield _Part(data, tag=False, line=start)
            words, start, tag = [], line, [_OPENING[kind]]
        elif kind in _CLOSING:
            assert tag is not None
            yield _Part(f"{tag[0]} {''.join(tag[1:]).strip()} {_CLOSING[kind]}", tag=True, line=start)
            tag = None
        elif tag is not None:
            tag.append(_inside_a_tag(kind, value))
        else:
            start = start if words else line
            words.append(value)
    if data := "".join(words):
        yield _Part(data, tag=False, line=start)


def _inside_a_tag(kind: str, value: str) -> str:
    if kind == "whitespace" and "\n" in value:
        return " "
    if kind == "string":
        return value.replace("\n", "\\n")
    return value


def _is_plain(text: str) -> bool:
    """Whether text can stand as it is: no engine strips it, and none sees a tag in it."""
    ends_visibly = all(char.isprintable() and not char.isspace() for char in (text[0], text[-1]))
    return ends_visibly and _NOT_PLAIN.isdisjoint(text)


def _prove(text: str, modes: tuple[bool, ...], twin: str) -> None:
    wanted = {mode: _tree(_environment(mode).parse(text)) for mode in modes}
    for mode in (True, False):
        made = _tree(_environment(mode).parse(twin))
        if "\n" in twin or any(made != tree for tree in wanted.values()):
            raise NoTwin("its twin would not have the same syntax tree", hint=_HINT)


def _tree(node: object) -> Tree:
    """A syntax tree as nested tuples, without positions, neighbouring literal texts of an output as one."""
    if isinstance(node, nodes.Output):
        return ("Output", tuple(_printed(node)))
    if isinstance(node, nodes.Node):
        return (type(node).__name__, tuple((name, _tree(value)) for name, value in node.iter_fields()))
    if isinstance(node, list | tuple):
        outputs = (_tree(item) for item in node)
        return tuple(tree for tree in outputs if tree != ("Output", ()))
    # True == 1 and 1 == 1.0, but they print differently.
    return (type(node).__name__, node)


def _printed(output: nodes.Output) -> Iterator[Tree]:
    words: list[str] = []
    for node in output.nodes:
        if isinstance(node, nodes.TemplateData):
            words.append(node.data)
        elif isinstance(node, nodes.Const) and isinstance(node.value, str):
            words.append(node.value)
        else:
            if data := "".join(words):
                yield data
            words = []
            yield _tree(node)
    if data := "".join(words):
        yield data
