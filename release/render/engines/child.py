"""One process's life: started without our environment, asked a line at a time, and killed when it takes too long."""

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from release.values.rendering import Fault

_CHUNK = 1 << 18
_TAIL = 16_000
# Among the last words of programs that end where there is no more memory: Rust's, C++'s, node's.
_OUT_OF_MEMORY = ("memory allocation of ", "std::bad_alloc", "JavaScript heap out of memory")


class Gone(Exception):
    """The process did not answer and is dead now: why, as a `Fault`, and in words."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message


class Child:
    """A process in a session of its own, in an empty folder that is its HOME and goes away with it.

    Nothing of this process's environment reaches it: no token, no proxy, no HF_HOME; `path` is its PATH. What it
    writes on standard error is kept in a file `stderr` of that folder, to tell why it died; it may empty the file.
    """

    def __init__(self, argv: Sequence[str], path: str = "/usr/bin:/bin") -> None:
        """Raises `OSError` where the program cannot be started."""
        self._home = tempfile.TemporaryDirectory(prefix="render-", ignore_cleanup_errors=True)
        home = self._home.name
        environment = {"PATH": path, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": home, "TMPDIR": home}
        self._said = Path(home, "stderr")
        try:
            with self._said.open("ab") as said:
                self._process = subprocess.Popen(
                    argv,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    cwd=home,
                    env=environment,
                    # A Ctrl-C at the terminal is ours to handle, and what the process starts dies with it.
                    start_new_session=True,
                )
        except OSError:
            self._home.cleanup()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        os.set_blocking(self._requests.fileno(), False)
        os.set_blocking(self._answers.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: bytes, seconds: float, most: int) -> bytes:
        """One line in, one line out, without their newlines, within `seconds` and `most` bytes. Raises `Gone`."""
        deadline = time.monotonic() + seconds
        left = memoryview(request + b"\n")
        answer = bytearray()
        reads = self._answers.fileno()
        poll = select.poll()
        poll.register(reads, select.POLLIN)
        left = self._write(left)
        if left:
            poll.register(self._requests.fileno(), select.POLLOUT)
        while True:
            ready = poll.poll(max(0.0, (deadline - time.monotonic()) * 1000))
            if not ready:
                self.end()
                raise Gone(Fault.TIMEOUT, f"no answer within {seconds:g} seconds")
            for descriptor, _ in ready:
                if descriptor == reads:
                    chunk = os.read(reads, _CHUNK)
                    answer += chunk
                    if not chunk:
                        raise self._died()
                    if chunk.endswith(b"\n"):
                        return bytes(answer[:-1])
                elif not (left := self._write(left)):
                    poll.unregister(descriptor)
            if len(answer) > most:
                self.end()
                raise Gone(Fault.CRASH, f"an answer of more than {most:,} bytes")

    def _write(self, left: memoryview) -> memoryview:
        """What could not be written yet. A reader that is gone is found out by reading."""
        try:
            while left:
                left = left[os.write(self._requests.fileno(), left) :]
        except BlockingIOError:
            return left
        except BrokenPipeError:
            return left[:0]
        return left

    def _died(self) -> Gone:
        """Why a process whose output ended is dead."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.end()
            return Gone(Fault.CRASH, "its process closed its output")
        words = self._last_words()
        self.end()
        if code == -signal.SIGXCPU:
            return Gone(Fault.TIMEOUT, "it used up its processor time")
        wanted = [line for line in words if any(known in line for known in _OUT_OF_MEMORY)]
        if code == -signal.SIGABRT and wanted:
            return Gone(Fault.MEMORY, wanted[-1])
        # C++ tells first what it did not expect; what follows may be many lines of the template.
        told = [line for line in words if line.startswith("what(): ")] or words
        said = told[-1] if told else ""
        how = f"ended with exit code {code}" if code >= 0 else f"was killed: {signal.strsignal(-code)}"
        return Gone(Fault.CRASH, f"its process {how}{f' ({said})' if said else ''}")

    def _last_words(self) -> list[str]:
        with self._said.open("rb") as said:
            said.seek(max(0, self._said.stat().st_size - _TAIL))
            lines = said.read().decode("utf-8", "replace").split("\n")
        return [line.strip() for line in lines if line.strip()]

    def end(self) -> None:
        """Kill it with all that it started, and wait for it. Twice is once."""
        if not self._requests.closed:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                # It is dead and was alone; macOS says so by refusing.
                self._process.kill()
        self._process.wait()
        self._requests.close()
        self._answers.close()
        self._home.cleanup()
