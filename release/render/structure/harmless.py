"""harmless(): a conversation whose own texts hold no control token, so that those in its prompt are the template's.

Users may write `<|im_end|>`, and templates print it as it is (B-004). To read such a prompt, the same conversation is
rendered once more with `<!im_end!>` in its texts, and the two prompts must differ in that alone.
"""

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"<\|([A-Za-z0-9_]{1,40})\|>")
_HARMLESS = re.compile(r"<!([A-Za-z0-9_]{1,40})!>")
# What some templates act on when they read it: it stays, since without it the prompt would be another one.
SENTINELS = ("think_on", "think_off")


def harmless(variables: Mapping[str, object]) -> dict[str, object] | None:
    """The variables with each control token written `<!name!>`; None where their texts hold none.

    A text that holds both spellings would not come back from `restored`; its conversation is left as it is.
    """
    made = {key: _without_tokens(value) for key, value in variables.items()}
    return None if made == dict(variables) or _holds(variables, _HARMLESS) else made


def restored(prompt: str) -> str:
    """A prompt of the harmless conversation as it should be of the conversation itself."""
    return _HARMLESS.sub(r"<|\1|>", prompt)


def _without_tokens(value: object) -> object:
    if isinstance(value, str):
        return _TOKEN.sub(lambda match: match[0] if match[1] in SENTINELS else f"<!{match[1]}!>", value)
    if isinstance(value, list):
        return [_without_tokens(item) for item in value]
    if isinstance(value, dict):
        return {_without_tokens(key): _without_tokens(item) for key, item in value.items()}
    return value


def _holds(value: object, pattern: re.Pattern[str]) -> bool:
    if isinstance(value, str):
        return bool(pattern.search(value))
    if isinstance(value, Mapping):
        return any(_holds(key, pattern) or _holds(item, pattern) for key, item in value.items())
    return isinstance(value, list) and any(_holds(item, pattern) for item in value)
