"""Text without secrets, for whatever is printed that nobody foresaw."""

import re

_TOKENS = re.compile(r"hf_[A-Za-z0-9._-]{8,}|(?i:bearer)\s+\S+|(?<=//)[^/@\s]+@")


def without_secrets(text: str) -> str:
    """The text with tokens, authorization headers and the user part of addresses blotted out."""
    return _TOKENS.sub("***", text)
