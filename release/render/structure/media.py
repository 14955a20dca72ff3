"""What media rules may take out of a history (M-001 to M-011, D-10): the widest reading, as a bound.

A family's own tests say what leaves; here stands what may never leave: whatever is not long media as text, no call of
it, and nothing that decodes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from release.render.structure.calls import sent_calls, shown_as_json

_LONG = 4_096
_MARKERS = ("data:image/", "data:audio/", "data:video/", "iVBORw0KGgo", "/9j/")
_DECODERS = ("base64.b64decode", "base64 --decode", "base64 -d")


@dataclass(frozen=True)
class Leaving:
    """Indexes of messages: `media` are results for which a line may stand, `messages` may leave as a whole, `calls` may
    lose calls.
    """

    media: frozenset[int] = frozenset()
    messages: frozenset[int] = frozenset()
    calls: frozenset[int] = frozenset()


def leaving(messages: Sequence[Mapping[str, object]]) -> Leaving:
    """What of these messages may leave."""
    media = {n for n, message in enumerate(messages) if message.get("role") == "tool" and _is_media(message)}
    whole, callers = set(media), set()
    for caller, below in _batches(messages):
        calls = sent_calls(messages[caller])
        decoding = sum(map(_decodes, calls)) if any(n < caller for n in media) else 0
        results = [n for n in below if messages[n].get("role") == "tool"]
        lost = sum(n in media for n in results) + decoding
        if lost and calls:
            callers.add(caller)
        # Each call that goes has media as its result, or decodes.
        if lost and calls and lost >= len(calls):
            whole.add(caller)
        if decoding:
            whole.update(results)
    return Leaving(frozenset(media), frozenset(whole), frozenset(callers))


def _batches(messages: Sequence[Mapping[str, object]]) -> Iterator[tuple[int, range]]:
    """Each assistant message with the messages below it, up to the next."""
    heads = [n for n, message in enumerate(messages) if message.get("role") == "assistant"]
    return ((n, range(n + 1, end)) for n, end in zip(heads, [*heads[1:], len(messages)], strict=False))


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


def _text(value: object) -> str:
    return value if isinstance(value, str) else shown_as_json(value)
