"""What media rules may take out of a history (M-001 to M-011, D-10): the widest reading, as a bound.

A family's own tests say what leaves; here stands what may never leave: whatever is not long media as text, no call of
it, and nothing that decodes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from release.render.structure.calls import sent_calls, shown_as_json

_LONG = 4_096
_MARKERS = ("data:image/", "data:audio/", "data:video/", "iVBORw0KGgo", "/9j/")
_DECODERS = ("base64.b64decode", "base64 --decode", "base64 -d")


@dataclass(frozen=True)
class Leaving:
    """Indexes of messages that may leave as a whole, and of those that may lose calls."""

    messages: frozenset[int] = frozenset()
    calls: frozenset[int] = frozenset()


def leaving(messages: Sequence[Mapping[str, object]]) -> Leaving:
    """What of these messages may leave, or have a line in its place."""
    media = {n for n, message in enumerate(messages) if message.get("role") == "tool" and _is_media(message)}
    gone = set(media)
    callers: set[int] = set()
    caller: int | None = None
    for n, message in enumerate(messages):
        if message.get("role") == "assistant":
            caller = n
            if any(m < n for m in media) and _may_decode(message):
                callers.add(n)
        elif caller is not None and n in media:
            callers.add(caller)
    caller = None
    for n, message in enumerate(messages):
        if message.get("role") == "assistant":
            caller = n
        elif (
            message.get("role") == "tool" and caller is not None and caller in callers and _may_decode(messages[caller])
        ):
            gone.add(n)
    return Leaving(frozenset(gone | callers), frozenset(callers))


def shrinking(arguments: object) -> frozenset[str]:
    """The arguments for which a line may stand: long ones that hold media. The key of a text by itself is ''."""
    values = arguments if isinstance(arguments, Mapping) else {"": arguments}
    return frozenset(str(key) for key, value in values.items() if _holds_media(_text(value)))


def _is_media(message: Mapping[str, object]) -> bool:
    content = message.get("content")
    return isinstance(content, str) and _holds_media(content)


def _holds_media(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) > _LONG and any(marker in text for marker in _MARKERS)


def _decodes(call: Mapping[str, object]) -> bool:
    text = _text(call.get("arguments"))
    return any(decoder in text for decoder in _DECODERS)


def _may_decode(caller: Mapping[str, object]) -> bool:
    return any(_decodes(call) for call in sent_calls(caller))


def _text(value: object) -> str:
    return value if isinstance(value, str) else shown_as_json(value)
