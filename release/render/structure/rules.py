"""What can hold of every prompt of a family, and what may be left out of account: names for structure.json.

CHECKS and MODULO map each name to what it means. A family lists the checks that hold and, for each thing that is left
out of account, the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

CHECKS = {
    "turns": "every block is opened and closed, and nothing stands between two blocks",
    "order": "the blocks come in the order of the messages, each under its role, and none that nobody sent",
    "texts": "every text of the system, the user and the assistant stands in its block as it was sent, once",
    "tools": "every tool stands in the list of tools once, and as it was sent",
    "calls": "every call stands in its reply once, with its arguments byte for byte",
    "results": "every result stands in the block after its call once, byte for byte",
    "prompt": "the prompt ends as the keywords ask: with an open or a closed thought, or with the last block",
    "tokens": "no control token and no unbalanced tag stands in what the template itself writes",
    "append-only": "what was printed of the first messages is printed again when more follow, unless preserve_thinking "
    "is off",
    "append-only-if-asked": "the same, where preserve_thinking is true",
}
MODULO = {
    "trimmed-results": "results are trimmed at both ends",
    "media": "results, calls and arguments that hold long media as text may leave, or a line may stand for them",
    "limits": "max_tool_arg_chars and max_tool_response_chars cut what is longer, and say how long it was",
    "notes": "the template may add a note to a result, a user's text and the system text, after a blank line",
    "switches": "sentinels leave the texts and switch thinking, as failures and auto_disable_thinking_with_tools do",
    "marker": "the marker of media parts leaves the texts of the system and the assistant",
    "healing": "calls that were spilled into a reply's text may be mended",
}


@dataclass(frozen=True)
class Structure:
    """The checks that hold, and what is left out of account in them, each with its reason."""

    holds: frozenset[str] = frozenset()
    modulo: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Complaint:
    """One check that does not hold of a prompt, and how that shows."""

    check: str
    text: str
