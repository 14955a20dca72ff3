"""`serve`: until it is interrupted, and then at once."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from hf_command import Command

SCRIPT = """
import sys
from pathlib import Path
from release.rehearsal import serve
serve(Path(sys.argv[1]), announce=lambda url: print(url, flush=True))
print("stopped", flush=True)
"""


@contextlib.contextmanager
def serving(directory: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and its URL."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(directory)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        try:
            yield child, child.stdout.readline().strip()
        finally:
            child.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path / "hub") as (child, url):
        with httpx2.Client() as client:
            assert client.get(f"{url}/api/models").json() == []
            # A client that keeps its connection does not keep the server.
            started = time.monotonic()
            child.send_signal(number)
            out, err = child.communicate(timeout=20)
        assert time.monotonic() - started < 5
    assert (child.returncode, out, err) == (0, "stopped\n", "")


def test_a_server_in_another_process_can_be_used_and_made_to_fail(tmp_path: Path) -> None:
    with serving(tmp_path / "hub") as (_, url):
        hf = Command(url, tmp_path)
        (tmp_path / "a.txt").write_text("a")
        hf.ok("upload", "me/model", "a.txt", "a.txt")
        httpx2.post(f"{url}/api/rehearsal/faults", json={"kind": "status_after", "path": "*/commit/*", "status": 504})
        (tmp_path / "b.txt").write_text("b")
        assert hf("upload", "me/model", "b.txt", "b.txt").returncode == 1
        listed = hf.ok("models", "ls", "me/model", "-R", "--format", "json")
        assert '"b.txt"' in listed


def test_what_was_committed_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    with serving(tmp_path / "hub") as (child, url):
        hf = Command(url, tmp_path)
        (tmp_path / "a.txt").write_text("a")
        hf.ok("upload", "me/model", "a.txt", "a.txt")
        child.kill()
    with serving(tmp_path / "hub") as (_, url):
        assert httpx2.get(f"{url}/me/model/resolve/main/a.txt").text == "a"


def test_importing_the_room_does_not_load_a_server() -> None:
    script = (
        "import sys, release.rehearsal; sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'yaml')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
