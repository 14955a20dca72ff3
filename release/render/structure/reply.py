"""An assistant's block: the thought, the text and the calls of one message, all of them and nothing else."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from release.render.structure.calls import Sent, sent_calls, split_calls
from release.render.structure.forms import (
    answers,
    flattened,
    has_tags,
    thoughts,
    trimmed,
    without,
    words,
)
from release.render.structure.media import shrinking
from release.render.structure.rules import Complaint

_THOUGHT = re.compile(r"<think>\n(.*?)\n</think>\n\n", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """One assistant message. By media rules calls may leave and arguments shrink; arguments are cut at `limit`.

    `marker` is what leaves its texts. `is_current`: no user wrote since, so its thought must be shown. `mended`: calls
    that were spilled into the text may be.
    """

    message: Mapping[str, object]
    calls_may_leave: bool = False
    shrinks: bool = False
    limit: int = 0
    marker: str = ""
    is_current: bool = False
    mended: bool = False


def read_reply(text: str, reply: Reply, name: str) -> tuple[int, tuple[Complaint, ...]]:
    """How many of the calls stand in the block, and what is wrong with it. `name` is the message's, for complaints."""
    calls = [
        Sent(
            str(call.get("name", "")),
            call.get("arguments"),
            reply.calls_may_leave,
            reply.limit,
            shrinking(call.get("arguments")) if reply.shrinks else frozenset(),
        )
        for call in sent_calls(reply.message)
    ]
    split = split_calls(text, calls)
    if split is None:
        said = f"the calls of {name} ({', '.join(call.name for call in calls)}) do not end its block as they were sent"
        return len(calls), (Complaint("calls", said),)
    said, count = split
    return count, tuple(_read_text(said, reply, name, called=count > 0))


def _read_text(text: str, reply: Reply, name: str, *, called: bool) -> Iterator[Complaint]:
    sent = without(flattened(reply.message.get("content")), reply.marker)
    if has_tags(sent):
        field = without(_field(reply.message), reply.marker)
        if words(text) not in answers(sent, field):
            yield Complaint("texts", f"the text of {name} does not stand in its block as it was sent")
        return
    thought = _THOUGHT.match(text)
    shown = thought[1] if thought else ""
    field = words(_field(reply.message))
    if reply.is_current and field and words(shown) != field:
        yield Complaint("texts", f"the reasoning of {name} is not shown, though no user wrote since")
    elif not _was_sent(shown, reply):
        yield Complaint("texts", f"the reasoning {shown[:40]!r} … in the block of {name} was not sent with it")
    said = text[thought.end() :] if thought else text
    forms = {f"{form}\n\n" if called and form else form for form in trimmed(sent)}
    if said not in forms and not (reply.mended and words(sent) in words(said)):
        yield Complaint("texts", f"the text of {name} is {said[:40]!r} … and not {sent.strip()[:40]!r} …")


def _was_sent(shown: str, reply: Reply) -> bool:
    """Whether a thought is empty, or one of the message's own."""
    wanted = words(shown)
    return not wanted or any(wanted in words(without(one, reply.marker)) for one in thoughts(reply.message))


def _field(message: Mapping[str, object]) -> str:
    field = message.get("reasoning_content")
    return field if isinstance(field, str) else ""
