"""Text without secrets, for whatever is printed that nobody foresaw."""

import re

_TOKENS = re.compile(
    r"hf_(?:(?:oauth|jwt|app)_[\w.-]{8,}|[A-Za-z0-9.-]{8,})|api_org_\w{8,}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|(?i:bearer|authorization:\s*basic)\s+\S+|(?<=//)[^/@\s]+@",
    re.ASCII,
)


def without_secrets(text: str) -> str:
    """The text with tokens, authorization headers and the user part of addresses blotted out."""
    return _TOKENS.sub("***", text)
