"""`release hub serve` and the stock `hf` command, each in a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import hf


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """(URL, process) of a Hub that was started from a shell."""
    process = subprocess.Popen(
        [sys.executable, "-m", "release", "hub", "serve", str(tmp_path / "hub")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip(), process
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)


def test_the_first_line_is_a_url_that_answers(served: tuple[str, "subprocess.Popen[str]"], tmp_path: Path) -> None:
    who = hf("auth", "whoami", "--format", "json", hub=served[0], home=tmp_path / "home")
    assert who.code == 0, who.err


def test_a_folder_goes_up_comes_down_and_is_verified(
    served: tuple[str, "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """`hf upload` as it is, Xet included, then `hf download` and `hf cache verify`."""
    url, home = served[0], tmp_path / "home"
    folder, copy = tmp_path / "folder", tmp_path / "copy"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "model.safetensors").write_bytes(bytes(range(256)) * 400)
    up = hf("upload", "me/model", str(folder), ".", hub=url, home=home)
    down = hf("download", "me/model", "--local-dir", str(copy), hub=url, home=home)
    strict = ["--fail-on-missing-files", "--fail-on-extra-files"]
    verified = hf("cache", "verify", "me/model", "--local-dir", str(copy), *strict, hub=url, home=home)
    assert (up.code, down.code, verified.code) == (0, 0, 0), up.err + down.err + verified.err
    assert (copy / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()


def test_it_ends_cleanly_when_it_is_told_to(served: tuple[str, "subprocess.Popen[str]"]) -> None:
    _, process = served
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0


def test_a_folder_that_is_no_hub_is_refused(tmp_path: Path) -> None:
    (tmp_path / "something").write_text("x")
    done = subprocess.run(
        [sys.executable, "-m", "release", "hub", "serve", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
