r"""literal(): a value as Jinja source that every engine reads as that value.

Text uses only the escapes \\, \n, \t, \r and the quote: llama.cpp's lexer refuses \u and \x, and minja drops their
backslash without a word (spec/README.md, "Portable Jinja").
"""

from collections.abc import Mapping

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def literal(value: object) -> str:
    """The value as a Jinja expression: text, bool, integer, None, and lists and mappings (keys are text) of these.

    Text stands in whichever quote it holds less often. Raises `TypeError` for what has no portable spelling, such
    as a float: engines print 1.0 in three ways.
    """
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("the keys of a mapping must be text")
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"a {type(value).__name__} cannot be written as a portable literal")


def _text(value: str) -> str:
    quote = '"' if value.count('"') < value.count("'") else "'"
    escapes = str.maketrans(_ESCAPES | {quote: "\\" + quote})
    return quote + value.translate(escapes) + quote
