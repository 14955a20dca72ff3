"""The `hf upload` command, as its own process, in its own session, holding the release's lock.

Its environment is an allow-list: the payload's repository has no say in it, and the token is nowhere else.
"""

import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from release.errors import Refused, Unavailable
from release.ports import UploadExit

_PASSED = (
    ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH"]
    + ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]
    + [name for low in ("http_proxy", "https_proxy", "all_proxy", "no_proxy") for name in (low, low.upper())]
    + ["HF_OIDC_RESOURCE", "HF_OIDC_ID_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"]
)
# An upload that shows no sign of life for so long is ended.
_SILENCE = 30 * 60
_GRACE = 10
_TAIL = 4096
_UNITS = {b"": 1, b"k": 10**3, b"M": 10**6, b"G": 10**9, b"T": 10**12}


class HfCommand:
    """Implements `ports.RunsUpload`. `tree` is the working directory: what lies there is what goes.

    `home` is the command's own HF_HOME. `lock` gives the descriptor that the process inherits, so that the lock
    lives as long as it does; `started` hears its process id, `heard` how many bytes of a large file are there.
    """

    def __init__(
        self,
        tree: Path,
        home: Path,
        endpoint: str,
        token: str | None,
        lock: Callable[[], int],
        started: Callable[[int], None],
        heard: Callable[[int, int], None],
        command: Path = Path(sys.executable).parent / "hf",
    ) -> None:
        self._tree, self._home, self._endpoint, self._token = tree, home, endpoint, token
        self._lock, self._started, self._heard = lock, started, heard
        self._command = command

    def check_ready(self) -> None:
        if self._token is None:
            raise Refused(
                "there is no token to publish with", hint="hf auth login, or set HF_TOKEN (in CI: HF_OIDC_RESOURCE)"
            )
        if not os.access(self._command, os.X_OK):
            raise Refused(
                f"the `hf` command is not beside this Python ({self._command})",
                hint=f"{sys.executable} -m pip install --force-reinstall huggingface_hub",
            )

    def run(self, argv: Sequence[str]) -> UploadExit:
        self.check_ready()
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            process = subprocess.Popen(
                [str(self._command), *argv[1:]],
                cwd=self._tree,
                env=self._environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(self._lock(),),
            )
        except OSError as error:
            raise Unavailable(f"`hf upload` cannot be started: {error}", hint="run the same command again") from error
        with process:
            self._started(process.pid)
            return self._follow(process)

    def _environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        passed = {name: environ[name] for name in _PASSED if name in environ}
        return passed | {
            "HF_TOKEN": self._token or "",
            "HF_HOME": str(self._home),
            "HF_ENDPOINT": self._endpoint,
            # With Xet the command splits an upload into several commits (HUB.md §1.0).
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_IMPLICIT_TOKEN": "0",
            "NO_COLOR": "1",
            # Bars go to stderr although that is no terminal: they are the sign of life.
            "TQDM_POSITION": "-1",
        }

    def _follow(self, process: "subprocess.Popen[bytes]") -> UploadExit:
        output, said, interrupted = bytearray(), bytearray(), False
        try:
            with selectors.DefaultSelector() as pipes:
                pipes.register(process.stdout or -1, selectors.EVENT_READ, output)
                pipes.register(process.stderr or -1, selectors.EVENT_READ, said)
                last = time.monotonic()
                while pipes.get_map():
                    for key, _ in pipes.select(timeout=1.0):
                        chunk = os.read(key.fd, 1 << 16)
                        if not chunk:
                            pipes.unregister(key.fileobj)
                            continue
                        last = time.monotonic()
                        key.data.extend(chunk)
                        if key.data is said:
                            del said[:-_TAIL]
                            if progress := _progress(said):
                                self._heard(*progress)
                    if time.monotonic() - last > _SILENCE:
                        said += f"\nended after {_SILENCE // 60} minutes without a sign of life".encode()
                        _stop(process)
                        break
            process.wait()
        except KeyboardInterrupt:
            _stop(process)
            interrupted = True
        text = self._without_token(said.decode("utf-8", "replace").strip())
        return UploadExit(process.returncode, text, _commit(output), interrupted)

    def _without_token(self, text: str) -> str:
        return text.replace(self._token, "hf_***") if self._token else text


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the process and whatever it started, and wait for it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=_GRACE)
        except ProcessLookupError:
            process.wait()
        except subprocess.TimeoutExpired:
            continue
        return


def _progress(said: bytearray) -> tuple[int, int] | None:
    """(done, total) bytes of the last bar of tqdm: `model.bin:  45%|████▌     | 12.3M/27.3M [00:02<00:03]`."""
    bars = re.findall(rb"\| ?([\d.]+)([kMGT]?)B?/([\d.]+)([kMGT]?)B? \[", said)
    if not bars:
        return None
    done, done_unit, total, total_unit = bars[-1]
    return int(float(done) * _UNITS[done_unit]), int(float(total) * _UNITS[total_unit])


def _commit(output: bytearray) -> str | None:
    """The commit in `{"url": ".../commit/OID"}`: a hint, never believed."""
    _, found, oid = output.decode("utf-8", "replace").rpartition("/commit/")
    return oid.split('"')[0] if found else None
