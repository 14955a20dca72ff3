"""Limits: what one template may use. Set by the parent; the child puts them on itself before it reads a template."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """`seconds` and `cpu_seconds` are for one compile or render, by the wall clock and by the processor.

    `memory` is the address space of the process in bytes (None: not limited, for engines that reserve more than
    they use), `file_bytes` the size of a file that it writes, `characters` the length of a prompt.
    """

    seconds: float = 10.0
    cpu_seconds: int = 10
    memory: int | None = 1 << 30
    file_bytes: int = 1 << 20
    characters: int = 16 << 20
