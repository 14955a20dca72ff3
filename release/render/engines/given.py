"""What every host gives a chat template: variables that are always there, `tojson`, a clock that stands still.

As transformers 5.24.0 gives it, whose ways the hosts of other engines follow (ENGINES.md §2). Imported in the child.
"""

import json
from collections.abc import Callable
from datetime import datetime

from release.render.engines.host import Broken

# Defined whatever the caller says, so that a template may print or test them.
VARIABLES = {"tools": None, "documents": None, "add_generation_prompt": False}
# What a template can make Python raise inside a host. Anything else ends the process, which is reported too.
PYTHON_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)


def tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The filter: json.dumps, without escapes for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def clock(now: str) -> Callable[[str], str]:
    """The function `strftime_now` at a moment in ISO 8601."""
    moment = datetime.fromisoformat(now)

    def strftime_now(pattern: str) -> str:
        return moment.strftime(pattern)

    return strftime_now


def encoded(value: object) -> bytes:
    """JSON in UTF-8, for engines whose texts are Unicode.

    Raises `Broken` for what such an engine cannot be asked: a text with a lone surrogate, a number that is none.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Broken("unasked", f"its texts are Unicode, and here is {error.object[error.start]!r}") from error
    except ValueError as error:
        raise Broken("unasked", str(error)) from error
