"""The two binary formats of a Xet upload, as far as a store must read them.

A shard says how files are put together: each file is a list of segments, and a segment is a run of chunks of one
xorb. A xorb is the chunks themselves, one after another, compressed. Source: the published Xet specification,
checked against what hf-xet 1.8 sends.
"""

import struct
from dataclasses import dataclass
from mmap import mmap

_HEADER = struct.Struct("<32sQQ")
_RECORD = 48  # bytes: every record of a shard has this length
_FILE = struct.Struct("<32sII8x")
_SEGMENT = struct.Struct("<32sIIII")
_DIGEST = struct.Struct("<32s16x")
_CHUNK = struct.Struct("<BHBBHB")  # version, 24 bits packed size, scheme, 24 bits size

_HAS_VERIFICATION = 1 << 31
_HAS_SHA256 = 1 << 30
_END = b"\xff" * 32


class NotAShard(Exception):
    """The bytes are not in the format of a shard or a xorb."""


@dataclass(frozen=True)
class Segment:
    """Chunks `first` up to `stop` of a xorb; `size` is their length unpacked, in bytes."""

    xorb: str
    size: int
    first: int
    stop: int


@dataclass(frozen=True)
class XetFile:
    """A file by its Xet hash: the segments that make it up, and its SHA-256 if the uploader gave it."""

    xet_hash: str
    segments: tuple[Segment, ...]
    sha256: str | None

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return sum(segment.size for segment in self.segments)


@dataclass(frozen=True)
class Chunk:
    """One chunk of a xorb: where its bytes are (header included), and how many it unpacks to."""

    start: int
    stop: int
    size: int


def read_shard(content: bytes) -> list[XetFile]:
    """The files of a shard. Raises NotAShard."""
    try:
        tag, _version, _footer = _HEADER.unpack_from(content, 0)
        if not tag.startswith(b"HFRepoMetaData"):
            raise NotAShard("no shard header")
        return _files(content)
    except struct.error as error:
        raise NotAShard(f"shard of {len(content)} bytes ends too early") from error


def _files(content: bytes) -> list[XetFile]:
    files: list[XetFile] = []
    position = _HEADER.size
    while True:
        name, flags, count = _FILE.unpack_from(content, position)
        if name == _END:
            return files
        position += _RECORD
        segments = []
        for number in range(count):
            xorb, _flags, size, first, stop = _SEGMENT.unpack_from(content, position + number * _RECORD)
            segments.append(Segment(_hex(xorb), size, first, stop))
        position += count * _RECORD
        if flags & _HAS_VERIFICATION:
            position += count * _RECORD
        sha256 = None
        if flags & _HAS_SHA256:
            sha256 = _hex(_DIGEST.unpack_from(content, position)[0])
            position += _RECORD
        files.append(XetFile(_hex(name), tuple(segments), sha256))


def read_chunks(content: bytes | mmap) -> list[Chunk]:
    """Where the chunks of a xorb are. Raises NotAShard."""
    chunks: list[Chunk] = []
    position = 0
    # A footer may follow the chunks; it begins with letters, a chunk with its version 0.
    while position < len(content) and content[position] == 0:
        try:
            _version, low, high, _scheme, size_low, size_high = _CHUNK.unpack_from(content, position)
        except struct.error as error:
            raise NotAShard("xorb ends inside a chunk header") from error
        stop = position + _CHUNK.size + low + (high << 16)
        if stop > len(content):
            raise NotAShard("xorb ends inside a chunk")
        chunks.append(Chunk(position, stop, size_low + (size_high << 16)))
        position = stop
    return chunks


def _hex(digest: bytes) -> str:
    """A Xet hash in text: four little-endian words."""
    return "".join(f"{word:016x}" for word in struct.unpack("<4Q", digest))
