"""Findings show a few dozen characters of any text, and nothing that a terminal would obey (L-007)."""

from release.values.rendering import Failed, Fault

_SHOWN = 60
_WORDS = {
    Fault.SYNTAX: "it cannot be read",
    Fault.RAISED: "the template raised",
    Fault.RUNTIME: "rendering failed",
    Fault.TIMEOUT: "it took too long",
    Fault.MEMORY: "it needed too much memory",
    Fault.CRASH: "the engine stopped",
    Fault.UNASKED: "it could not be asked",
}


def describe(failed: Failed) -> str:
    """What happened, in one bounded line."""
    message = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(failed.message[:2_000].split()))
    return f"{_WORDS[failed.fault]}: {message if len(message) <= 300 else message[:299] + '…'}"


def excerpt(text: str) -> str:
    """The text, or its beginning, between quotes and with nothing in it that a terminal would obey."""
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}… ({len(text):,} characters)"


def difference(ours: str, theirs: str, name: str) -> str:
    """Where two prompts part: the first character that differs, a little of what follows, and both lengths."""
    at = next((n for n, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        at = min(len(ours), len(theirs))
    return (
        f"the prompt differs from {name} from character {at:,} on: {ours[at : at + 24]!r} instead of "
        f"{theirs[at : at + 24]!r} ({len(ours):,} characters against {len(theirs):,})"
    )
