"""The policy once more, in Python: a history with media → the history that stock should render to the same prompt.

Written from the rules, not from the template, so that the two can disagree.
"""

import json
from collections.abc import Iterable
from copy import deepcopy

LIMIT = 4096
DECODERS = ("base64.b64decode", "base64 --decode", "base64 -d")
ARGUMENT_NOTE = "[This argument held media data. The data is left out here to keep the prompt short.]"
RESULT_NOTE = (
    "[This call returned {} data. The data is left out here to keep the prompt short; the call need not be repeated.]"
)

Message = dict


def prune(messages: list[Message]) -> list[Message]:
    """The messages without what leaves the history, and with notes for what leaves the running turn."""
    messages = deepcopy(messages)
    query = max(n for n, message in enumerate(messages) if message["role"] == "user")
    kinds = [_kinds(message) for message in messages]
    for kind in ("audio", "video"):
        found = [n for n, here in enumerate(kinds) if kind in here]
        for n in found[:-1]:
            kinds[n].add(f"old {kind}")
    stale = [n for n, here in enumerate(kinds) if here and not _is_latest(here)]
    gone: set[int] = set()
    for n in stale:
        if n > query:
            names = " and ".join(kind for kind in ("image", "audio", "video") if kind in kinds[n])
            messages[n]["content"] = RESULT_NOTE.format(names)
        else:
            gone.add(n)
    first = min((n for n, here in enumerate(kinds) if here), default=len(messages))
    for n, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("tool_calls"):
            may_decode = first < n < query
            _prune_batch(messages, n, gone, may_decode, protected={m for m, here in enumerate(kinds) if here})
    for message in messages:
        for call in message.get("tool_calls") or []:
            arguments = call["function"]["arguments"]
            call["function"]["arguments"] = {name: _shortened(value) for name, value in arguments.items()}
    return [message for n, message in enumerate(messages) if n not in gone]


def _is_latest(kinds: set[str]) -> bool:
    return any(kind in kinds and f"old {kind}" not in kinds for kind in ("audio", "video"))


def _kinds(message: Message) -> set[str]:
    text = message.get("content")
    if message["role"] != "tool" or not isinstance(text, str) or len(text) <= LIMIT:
        return set()
    if '"images":' in text and _shows_image(text):
        return {"image"}
    return {
        kind
        for kind in ("audio", "video")
        if f"data:{kind}/" in text and (f'"{kind}":' in text or f'"{kind}s":' in text)
    }


def _shows_image(text: str) -> bool:
    jpeg = text.startswith("/9j/") or any(f"{mark}/9j/" in text for mark in "\"',")
    return jpeg or "data:image/" in text or "iVBORw0KGgo" in text


def _prune_batch(messages: list[Message], head: int, gone: set[int], may_decode: bool, protected: set[int]) -> None:
    calls = messages[head]["tool_calls"]
    owners = _owners(messages, head)
    decoding = {k for k, call in enumerate(calls) if may_decode and _decodes(call["function"]["arguments"])}
    gone |= {n for n, k in owners.items() if k in decoding and n not in protected}
    results = {k: [n for n, owner in owners.items() if owner == k] for k in range(len(calls))}
    left = [k for k in results if set(results[k]) - gone or (not results[k] and k not in decoding)]
    messages[head]["tool_calls"] = [calls[k] for k in left]
    if not left:
        gone.add(head)


def _owners(messages: list[Message], head: int) -> dict[int, int]:
    """Index of a result → number of its call, for the results up to the next assistant message."""
    calls = messages[head]["tool_calls"]
    below = []
    for n in range(head + 1, len(messages)):
        if messages[n]["role"] == "assistant":
            break
        below.append(n)
    owners: dict[int, int] = {}
    for n in below:
        name = messages[n].get("tool_call_id") if messages[n]["role"] == "tool" else None
        same = [k for k, call in enumerate(calls) if name and call.get("id") == name]
        if same:
            owners[n] = next((k for k in same if k not in owners.values()), same[-1])
    unclaimed = [k for k in range(len(calls)) if k not in owners.values()]
    for n in below:
        if messages[n]["role"] != "tool":
            break
        if n not in owners:
            owners[n] = unclaimed.pop(0) if unclaimed else len(calls) - 1
    return owners


def _decodes(arguments: dict) -> bool:
    return any(decoder in text for text in _texts(arguments) for decoder in DECODERS)


def _texts(arguments: dict) -> Iterable[str]:
    return (value if isinstance(value, str) else json.dumps(value) for value in arguments.values())


def _shortened(value: object) -> object:
    text = value if isinstance(value, str) else json.dumps(value)
    media = _shows_image(text) or "data:audio/" in text or "data:video/" in text
    return ARGUMENT_NOTE if len(text) > LIMIT and media else value
