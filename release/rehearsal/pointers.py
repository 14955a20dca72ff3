"""A large file in a git tree is a small pointer: its text, and back."""

import re
from dataclasses import dataclass

SHA256 = re.compile(r"[0-9a-f]{64}")

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\noid sha256:([0-9a-f]{64})\nsize (0|[1-9][0-9]*)\n"
)


@dataclass(frozen=True)
class Pointer:
    """What a pointer says: SHA-256 (hex) and size in bytes of the large file."""

    oid: str
    size: int

    @property
    def text(self) -> bytes:
        """The blob that git keeps in place of the large file."""
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.oid}\nsize {self.size}\n".encode()


SHORTEST_POINTER = len(Pointer("0" * 64, 0).text)
LONGEST_POINTER = len(Pointer("0" * 64, 10**18).text)


def read_pointer(content: bytes) -> Pointer | None:
    """The pointer that a blob holds; None if it holds something else."""
    found = _POINTER.fullmatch(content)
    return Pointer(found[1].decode(), int(found[2])) if found is not None else None
