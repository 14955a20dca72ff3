"""Append-only histories: what was printed of some messages is what the prompt of more messages begins with (T-002)."""

from collections.abc import Mapping, Sequence

from release.render.structure.forms import SENTINEL_TOKENS, flattened, without
from release.render.structure.head import is_system


def growing(variables: Mapping[str, object], holds: frozenset[str]) -> tuple[int, ...]:
    """The numbers of first messages whose prompt must be kept; none where nothing is promised.

    Not inside the head, whose texts may share a block, and not between two results, which do.
    """
    asked = variables.get("preserve_thinking")
    promised = ("append-only" in holds and not _is_off(asked)) or ("append-only-if-asked" in holds and asked is True)
    messages = variables.get("messages")
    if not promised or not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        return ()
    head = next((n for n, one in enumerate(messages) if not is_system(one)), len(messages))
    printed = [n for n, one in enumerate(messages) if not _prints_nothing(one)]
    return tuple(n for n in range(max(1, head), len(messages)) if not _is_between_results(messages, printed, n))


def _is_between_results(messages: Sequence[Mapping[str, object]], printed: Sequence[int], n: int) -> bool:
    before = next((m for m in reversed(printed) if m < n), None)
    behind = next((m for m in printed if m >= n), None)
    return before is not None and behind is not None and _is_result(messages[before]) and _is_result(messages[behind])


def _prints_nothing(message: Mapping[str, object]) -> bool:
    return is_system(message) and not without(flattened(message.get("content")), *SENTINEL_TOKENS).strip()


def _is_off(asked: object) -> bool:
    """As T-008 has it: absent and null are the default, which is on."""
    return asked is not None and (not asked or str(asked).strip().lower() == "false")


def _is_result(message: Mapping[str, object]) -> bool:
    return message.get("role") in ("tool", "function")
