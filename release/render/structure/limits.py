"""Whether a shown text is a longer one that was cut at a limit (T-044, T-052, D-08), or a line in its place (D-10)."""

import re

_STAND_IN = 400
_NOTICE = 200


def is_cut(shown: str, sent: str, limit: int) -> bool:
    """Whether `shown` is head and tail of `sent` with a notice between them that says how long it was.

    `limit` is in whatever unit the engine measures lengths in; 0: nothing is cut. The head and the tail may be empty.
    """
    lengths = {
        len(sent),
        len(sent.encode("utf-16-le", "surrogatepass")) // 2,
        len(sent.encode("utf-8", "surrogatepass")),
    }
    if limit <= 0 or max(lengths) <= limit:
        return False
    head = _common(shown, sent)
    tail = min(_common(shown[::-1], sent[::-1]), len(shown) - head)
    # The notice may begin or end like what it stands for, so that a little of it may count as head or tail.
    notice = shown[max(0, head - 20) : len(shown) - max(0, tail - 20)]
    told = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", notice)}
    return head <= limit + 20 and tail <= limit + 20 and len(notice) <= _NOTICE and bool(told & lengths)


def is_stand_in(shown: str) -> bool:
    """Whether a text can be the line that stands for long media."""
    return "\n" not in shown and len(shown) <= _STAND_IN


def limit_of(value: object) -> int:
    """A keyword max_*: a number, or a text that is one; anything else, and what is not above 0, is no limit (T-008)."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
