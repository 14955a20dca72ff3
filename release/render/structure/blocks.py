"""A prompt → its blocks, and what follows the last of them.

    <|im_start|>ROLE
    TEXT<|im_end|>

Texts that were sent must be harmless (`harmless.py`): the tokens in the prompt are then the template's own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from release.render.structure.harmless import SENTINELS
from release.render.structure.rules import Complaint

START, END = "<|im_start|>", "<|im_end|>"
ROLES = ("system", "user", "assistant")
OPEN = f"{START}assistant\n<think>\n"
CLOSED = f"{OPEN}\n</think>\n\n"
_BLOCK = re.compile(r"<\|im_start\|>(\w+)\n((?:(?!<\|im_start\|>|<\|im_end\|>).)*)<\|im_end\|>\n", re.DOTALL)
_TOKEN = re.compile(r"<\|([A-Za-z0-9_]{1,40})\|>")
_MEDIA = {"vision_start", "image_pad", "video_pad", "vision_end"}


@dataclass(frozen=True)
class Block:
    role: str
    text: str


def read_blocks(prompt: str) -> tuple[tuple[Block, ...], str]:
    """The blocks, and what stands behind the last of them."""
    blocks = []
    at = 0
    while match := _BLOCK.match(prompt, at):
        blocks.append(Block(match[1], match[2]))
        at = match.end()
    return tuple(blocks), prompt[at:]


def not_in_blocks(blocks: tuple[Block, ...], rest: str) -> Iterator[Complaint]:
    """`turns`: all of the prompt is closed blocks, but for an assistant's block that begins at the end."""
    begins = f"{START}assistant\n"
    if rest and (not rest.startswith(begins) or START in rest[len(begins) :] or END in rest):
        yield Complaint("turns", f"after {len(blocks)} closed blocks comes {rest[:40]!r}, which is no block")
    for block in blocks:
        if block.role not in ROLES:
            yield Complaint("turns", f"a block has the role {block.role[:20]!r}")


def ends_otherwise(rest: str, variables: Mapping[str, object], *, switches: bool) -> Iterator[Complaint]:
    """`prompt`: what follows the last block is what the keywords ask for."""
    allowed = _ends(variables, switches=switches)
    if rest not in allowed:
        wanted = " or ".join(repr(end) for end in sorted(allowed))
        yield Complaint("prompt", f"the prompt should end with {wanted}, after its last block, and not with {rest!r}")


def foreign_tokens(prompt: str, *, switches: bool) -> Iterator[Complaint]:
    """`tokens`: of control tokens only those of blocks and media stand in the prompt."""
    known = {"im_start", "im_end", *_MEDIA, *(SENTINELS if switches else ())}
    for name in sorted(set(_TOKEN.findall(prompt)) - known):
        yield Complaint("tokens", f"the template writes the control token <|{name}|>")


def _ends(variables: Mapping[str, object], *, switches: bool) -> set[str]:
    if not variables.get("add_generation_prompt"):
        return {""}
    asked = variables.get("enable_thinking")
    if not switches:
        return {CLOSED if asked is False else OPEN}
    off = asked is not None and (not asked or str(asked).strip().lower() == "false")
    return {OPEN, CLOSED} if _may_switch(variables) else {CLOSED if off else OPEN}


def _may_switch(variables: Mapping[str, object]) -> bool:
    """Whether something else than enable_thinking has a say: a sentinel, failing results, a list of tools."""
    messages = variables.get("messages")
    said = [one for one in messages if isinstance(one, Mapping)] if isinstance(messages, list) else []
    sentinels = any(
        f"<|{name}|>" in str(one.get("content"))
        for one in said
        for name in SENTINELS
        if one.get("role") not in ("assistant", "tool")
    )
    failing = bool(said) and said[-1].get("role") == "tool"
    return sentinels or failing or bool(variables.get("auto_disable_thinking_with_tools") and variables.get("tools"))
