"""What must hold of every prompt, whatever the conversation: read from the conversation itself, in running order.

rules      the names: checks that can hold, and what they may leave out of account
harmless   the conversation without control tokens in its texts
blocks     the prompt → its blocks, and what follows the last
forms      what a content may look like
limits     a text that was cut
media      what media rules may take out
sequence   things that were sent, found again in their order
calls      the calls at the end of a reply
reply      an assistant's block
results    the results in a user's block
head       the tools and the leading texts of the system
turns      messages beside blocks
growth     histories that only grow
"""

from collections.abc import Collection, Iterator, Mapping

from release.render.structure.blocks import ends_otherwise, foreign_tokens, not_in_blocks, read_blocks
from release.render.structure.forms import unnumbered
from release.render.structure.rules import Complaint, Structure
from release.render.structure.turns import Walk

__all__ = ["Complaint", "Structure", "complaints"]


def complaints(
    prompt: str,
    variables: Mapping[str, object],
    structure: Structure,
    exceptions: Collection[str] = (),
) -> tuple[Complaint, ...]:
    """What does not hold of a prompt of these variables, as the template was given them; the first of each check.

    The variables' texts must be harmless (`structure.harmless`). `exceptions` are checks that do not hold of this
    conversation. What a prompt must be beside others (append-only) is not looked at here.
    """
    holds = structure.holds - set(exceptions)
    found: dict[str, Complaint] = {}
    for complaint in _all(prompt, variables, structure):
        if complaint.check in holds:
            found.setdefault(complaint.check, complaint)
    return tuple(found.values())


def _all(prompt: str, variables: Mapping[str, object], structure: Structure) -> Iterator[Complaint]:
    switches = "switches" in structure.modulo
    if variables.get("add_vision_id"):
        prompt, wrong = unnumbered(prompt)
        if wrong:
            yield Complaint("texts", wrong)
    blocks, rest = read_blocks(prompt)
    loose = list(not_in_blocks(blocks, rest))
    yield from loose
    yield from foreign_tokens(prompt, switches=switches)
    if loose:
        return  # nothing can be found again among blocks that are none
    yield from ends_otherwise(rest, variables, switches=switches)
    messages = variables.get("messages")
    if isinstance(messages, list) and all(isinstance(one, Mapping) for one in messages):
        yield from Walk(blocks, messages, variables, structure.modulo).complaints()
