"""What Xet clients send and fetch: xorbs and shards, kept as they come, and how a file is put together from them.

The store is served over HTTP rather than named to the client as a `local://` directory: hf-xet locks such a
directory for as long as a process lives, so a second client, or this server, could not read it meanwhile.
"""

import hashlib
import importlib
import mmap
import shutil
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from release.rehearsal.large_files import BLOCK, LargeFiles
from release.rehearsal.shards import Chunk, NotAShard, Segment, XetFile, read_chunks, read_shard

_SESSION_MEMORY = 64 * 1024 * 1024  # bytes that hf-xet may hold while it puts a file together


class XetStore:
    """The store in `folder`: `xorbs/` and `shards/`, both under the names that the client gave or their SHA-256."""

    def __init__(self, folder: Path) -> None:
        self._xorbs = folder / "xorbs"
        self._shards = folder / "shards"
        self._xorbs.mkdir(parents=True, exist_ok=True)
        self._shards.mkdir(exist_ok=True)
        self._log = folder / "log"
        self._files: dict[str, XetFile] = {}
        self._by_sha256: dict[str, XetFile] = {}
        self._unpacking = threading.Lock()
        self._session: Any = None
        self._chunks = lru_cache(maxsize=256)(lambda xorb: _chunks_in(self.xorb(xorb)))
        for shard in self._shards.iterdir():
            self._learn(read_shard(shard.read_bytes()))

    def xorb(self, name: str) -> Path:
        """Where a xorb is, or would be."""
        return self._xorbs / name

    def keep_xorb(self, name: str, content: IO[bytes]) -> bool:
        """Keep a xorb; False if it was here already. Raises NotAShard if it is not one."""
        if self.xorb(name).is_file():
            return False
        waiting = self._xorbs / f".{uuid.uuid4().hex}"
        with waiting.open("wb") as file:
            shutil.copyfileobj(content, file, BLOCK)
        try:
            if not _chunks_in(waiting):
                raise NotAShard("a xorb without chunks")
            waiting.replace(self.xorb(name))
        finally:
            waiting.unlink(missing_ok=True)
        return True

    def keep_shard(self, content: bytes) -> list[XetFile]:
        """Keep a shard; the files that it describes. Raises NotAShard, also if a xorb is missing."""
        files = read_shard(content)
        for file in files:
            for segment in file.segments:
                if not self.xorb(segment.xorb).is_file():
                    raise NotAShard(f"no xorb {segment.xorb}")
        (self._shards / hashlib.sha256(content).hexdigest()).write_bytes(content)
        self._learn(files)
        return files

    def file(self, xet_hash: str) -> XetFile | None:
        """The file with this Xet hash."""
        return self._files.get(xet_hash)

    def by_sha256(self, oid: str) -> XetFile | None:
        """The file with this SHA-256, if it was uploaded with Xet."""
        return self._by_sha256.get(oid)

    def reconstruction(self, file: XetFile, start: int, stop: int, address: Callable[[str], str]) -> dict[str, Any]:
        """How bytes `start` up to `stop` of a file are put together, as the client reads it.

        `address(xorb)` is where a xorb can be fetched. `stop` lies within the file.
        """
        terms: list[dict[str, Any]] = []
        needed: dict[str, list[tuple[int, int]]] = {}
        skipped, position = 0, 0
        for segment in file.segments:
            if position + segment.size > start and position < stop:
                first, last, before = self._needed(segment, start - position, stop - position)
                if not terms:
                    skipped = max(0, start - position) - before
                chunks = self._chunks(segment.xorb)[first:last]
                terms.append(
                    {
                        "hash": segment.xorb,
                        "unpacked_length": sum(chunk.size for chunk in chunks),
                        "range": {"start": first, "end": last},
                    }
                )
                needed.setdefault(segment.xorb, []).append((first, last))
            position += segment.size
        fetches = {
            xorb: [self._fetch(xorb, first, last, address(xorb)) for first, last in _merged(ranges)]
            for xorb, ranges in needed.items()
        }
        return {"offset_into_first_range": skipped, "terms": terms, "fetch_info": fetches}

    def unpack(self, file: XetFile, large: LargeFiles, endpoint: str, token: str) -> None:
        """Put a file together in the folder of large files, for those who fetch it without Xet.

        hf-xet does it, by fetching from this very server: only it can read a xorb. Raises WrongContent if the file
        is not what its SHA-256 says.
        """
        assert file.sha256 is not None
        with self._unpacking:
            if large.has(file.sha256):
                return
            with large.receive(file.sha256, file.size) as arrival:
                for block in _blocks(self._stream(file, endpoint, token)):
                    arrival.write(block)

    def _stream(self, file: XetFile, endpoint: str, token: str) -> Iterator[bytes]:
        hf_xet = _hf_xet()
        if self._session is None:
            self._session = hf_xet.XetSession(
                hf_xet.XetConfig().with_config(
                    {
                        "log.dest": str(self._log),
                        "telemetry.enabled": False,
                        "reconstruction.download_buffer_size": _SESSION_MEMORY,
                        "reconstruction.download_buffer_perfile_size": _SESSION_MEMORY,
                        "reconstruction.download_buffer_limit": _SESSION_MEMORY,
                    }
                )
            )
        group = self._session.new_download_stream_group(endpoint=endpoint, token=token, token_expiry_unix_secs=2**40)
        stream: Iterator[bytes] = group.download_stream(hf_xet.XetFileInfo(file.xet_hash, file.size))
        yield from stream

    def _needed(self, segment: Segment, start: int, stop: int) -> tuple[int, int, int]:
        """Which chunks of a segment hold its bytes `start` up to `stop`, and how many bytes come before them."""
        first, last = segment.first, segment.first
        before, position = 0, 0
        for number in range(segment.first, segment.stop):
            size = self._chunks(segment.xorb)[number].size
            if position + size <= start:
                first, before = number + 1, position + size
            if position < stop:
                last = number + 1
            position += size
        return first, last, before

    def _fetch(self, xorb: str, first: int, last: int, url: str) -> dict[str, Any]:
        chunks = self._chunks(xorb)[first:last]
        return {
            "range": {"start": first, "end": last},
            "url": url,
            "url_range": {"start": chunks[0].start, "end": chunks[-1].stop - 1},
        }

    def _learn(self, files: Iterable[XetFile]) -> None:
        for file in files:
            self._files[file.xet_hash] = file
            if file.sha256 is not None:
                self._by_sha256[file.sha256] = file


def _hf_xet() -> Any:
    """hf-xet: a large native module without types, and needed only to unpack."""
    return importlib.import_module("hf_xet")


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of chunks without overlap: the client looks for the one range that holds a term, and takes the first."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _chunks_in(path: Path) -> list[Chunk]:
    """The chunks of a xorb; their bytes are not read, only what lies between them."""
    if path.stat().st_size == 0:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return read_chunks(content)


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of at most a block: what is written is hashed in steps that stay in the processor's cache."""
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), BLOCK):
            yield bytes(view[start : start + BLOCK])
