"""What a content that was sent may look like in the prompt.

Every engine trims, but not the same characters (ENGINES.md §2): a text is right if it is trimmed as one of them does.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from release.render.structure.harmless import SENTINELS

_ASCII_SPACE = " \t\n\r\v\f"
_JAVASCRIPT_SPACE = (
    _ASCII_SPACE + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
_TRIMS: tuple[Callable[[str], str], ...] = (
    str.strip,
    lambda text: text.strip(_ASCII_SPACE),
    lambda text: text.strip(_JAVASCRIPT_SPACE),
)
IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"
VIDEO = "<|vision_start|><|video_pad|><|vision_end|>"
MEDIA_MARKER = "<__media__>"
SENTINEL_TOKENS = tuple(f"<|{name}|>" for name in SENTINELS)
_NUMBERED = re.compile(r"(Picture|Video) (\d+): (?=<\|vision_start\|>)")
_THOUGHT_TAG = re.compile(r"</? ?think(?:ing)? ?>")
_CALL_TAG = re.compile(r"</?(?:tool_call|function|parameter)\b[^>]{0,200}>")
# Tags that mending may add; those with a name in them are words.
_BARE_TAG = re.compile(r"<tool_call>|</(?:tool_call|function|parameter)>")


def flattened(content: object) -> str:
    """A content's texts and placeholders, one after the other (B-070)."""
    if isinstance(content, str):
        return content
    return "".join(map(_part, content)) if isinstance(content, list) else ""


def trimmed(text: str) -> tuple[str, ...]:
    """The text as the engines trim it: one form for most texts, up to three for odd white space."""
    return tuple(dict.fromkeys(trim(text) for trim in _TRIMS))


def without(text: str, *others: str) -> str:
    for other in others:
        text = text.replace(other, "") if other else text
    return text


def unnumbered(prompt: str) -> tuple[str, str | None]:
    """The prompt without the numbers of its media, and what is wrong with these (add_vision_id, B-071)."""
    for kind in ("Picture", "Video"):
        numbers = [int(number) for name, number in _NUMBERED.findall(prompt) if name == kind]
        if numbers != list(range(1, len(numbers) + 1)):
            return prompt, f"the numbers after {kind!r} are {numbers[:10]} and not 1, 2, 3 …"
    return _NUMBERED.sub("", prompt), None


def has_tags(text: str) -> bool:
    """Whether a reply's text holds tags that templates read: thoughts, or calls that were spilled into it."""
    return bool(_THOUGHT_TAG.search(text) or _CALL_TAG.search(text))


def words(text: str) -> str:
    """A reply's text without tags that carry no name and without white space: what of it no template may change."""
    return "".join(_BARE_TAG.sub("", _THOUGHT_TAG.sub("", text)).split())


def answers(text: str, thought: str) -> set[str]:
    """The `words` that may be shown of a text with tags: from one of its tags on, or whole, perhaps behind a thought.

    Where a thought in such a text begins and ends is the family's own business.
    """
    ends = [0, *(match.end() for tag in (_THOUGHT_TAG, _CALL_TAG) for match in tag.finditer(text))]
    starts = [match.start() for match in _CALL_TAG.finditer(text)]
    said = {words(text[at:]) for at in (*ends, *starts)}
    return said | {words(thought) + one for one in said}


def thoughts(message: Mapping[str, object]) -> Iterator[str]:
    """The texts that a message's reasoning may come from."""
    for key in ("reasoning_content", "reasoning", "thinking"):
        value = message.get(key)
        yield from [value] if isinstance(value, str) else _texts(value)
    yield flattened(message.get("content"))


def _texts(value: object) -> Iterator[str]:
    for part in value if isinstance(value, list) else ():
        if isinstance(part, Mapping):
            yield "".join(str(part[key]) for key in ("text", "thinking") if isinstance(part.get(key), str))


def _part(part: object) -> str:
    if not isinstance(part, Mapping):
        return part if isinstance(part, str) else ""
    kind = part.get("type")
    if kind == "text" and "text" in part:
        return str(part["text"] or "")
    if kind == "image" or (kind != "video" and _has(part, "image", "image_url")):
        return IMAGE
    if kind == "video" or _has(part, "video"):
        return VIDEO
    return str(part.get("text") or "")


def _has(part: Mapping[str, object], *keys: str) -> bool:
    return any(part.get(key) is not None for key in keys)
