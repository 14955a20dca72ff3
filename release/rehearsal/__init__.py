"""An embedded Hub: the Hugging Face Hub's HTTP API on loopback, for the unmodified client, on real git objects."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from release.rehearsal.server import EmbeddedHub, serve

__all__ = ["EmbeddedHub", "serve"]


def __getattr__(name: str) -> object:
    """The server is imported when it is used: a command that does not serve must not pay for it."""
    if name in __all__:
        from release.rehearsal import server

        return getattr(server, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
