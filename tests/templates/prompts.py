"""A prompt taken apart into its blocks."""

import re

_TEXT = r"((?:(?!<\|im_(?:start|end)\|>).)*)"
_BLOCK = re.compile(rf"<\|im_start\|>(system|user|assistant)\n{_TEXT}<\|im_end\|>\n", re.DOTALL)
_PROMPT = "<|im_start|>assistant\n<think>\n"


def blocks(prompt: str) -> list[tuple[str, str]]:
    """(role, text) of each block; fails where one is not closed or something stands between two."""
    assert prompt.endswith(_PROMPT)
    history = prompt.removesuffix(_PROMPT)
    found = list(_BLOCK.finditer(history))
    assert "".join(match[0] for match in found) == history
    return [(match[1], match[2]) for match in found]


def assert_blocks_are_well_formed(made: list[tuple[str, str]]) -> None:
    """Calls and results are closed, and results stand in a user's block that begins with one."""
    for role, text in made:
        assert text.count("<tool_response>") == text.count("</tool_response>")
        assert text.count("<tool_call>") == text.count("</tool_call>")
        if "<tool_response>" in text:
            assert role == "user"
            assert text.startswith("<tool_response>\n")
