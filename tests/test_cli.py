"""The command line as a whole: what goes where, and what happens to what nobody foresaw."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from release.adapters.redaction import without_secrets
from support import TOKEN, SourceRepository, release, release_process

CONFIG = 'repo = "acme/a"\nfiles = ["*.txt"]\n'


def test_results_go_to_stdout_and_narration_to_stderr(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    run = release(source.path, "prepare", "v1", "--json")
    assert run.out.count("\n") == 1
    assert "Building the publishing tree" in run.err


def test_a_pipe_gets_no_colour_codes(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    run = release_process(source.path, "prepare", "v1")
    assert "\x1b" not in run.out + run.err


@pytest.mark.parametrize(("settings", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_unless_it_wants_none(
    source: SourceRepository, settings: dict[str, str], coloured: bool
) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "-m", "release", "prepare", "v1"],
        cwd=source.path,
        env=environment | {"TERM": "xterm-256color"} | settings,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert (done.returncode, b"\x1b" in shown) == (0, coloured)


def test_names_from_outside_are_spelled_out(source: SourceRepository) -> None:
    """An escape sequence or a bidi override in a file name reaches no terminal."""
    source.commit({"release.toml": CONFIG, "a\x1b[31m\u202e.txt": "one\n"})
    source.tag("v1")
    run = release(source.path, "prepare", "v1")
    assert run.code == 3
    assert not {"\x1b", "\u202e"} & set(run.out + run.err)
    assert "a\\x1b[31m\\u202e.txt" in run.out


def test_markup_in_a_name_is_text(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "[bold]a.txt": "-----BEGIN RSA PRIVATE KEY-----\n"})
    source.tag("v1")
    assert "[bold]a.txt:1" in release(source.path, "prepare", "v1").out


def test_a_reader_who_leaves_early_is_no_error(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, **{f"{number}.txt": "x\n" for number in range(400)}})
    source.tag("v1")
    command = f"{sys.executable} -m release prepare v1 --json | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=source.path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_what_nobody_foresaw_is_a_traceback_with_exit_1(tmp_path: Path) -> None:
    """A bug must look like one, say where to report it, and show no token."""
    code = "from release import cli; cli.release.main = lambda *a, **k: 1 / 0 if True else None; cli.main(['status'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ | {"HF_TOKEN": TOKEN}
    )
    assert (done.returncode, "ZeroDivisionError" in done.stderr, "please report it" in done.stderr) == (1, True, True)


def test_no_secret_survives_in_a_traceback() -> None:
    text = f"{TOKEN} Authorization: Bearer abc.def https://user:pw@example.com/x"
    assert not {TOKEN, "abc.def", "user:pw"} & set(without_secrets(text).replace("/", " ").split())


def test_git_variables_of_the_environment_do_not_redirect_it(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    other = SourceRepository(tmp_path / "other")
    other.commit({"release.toml": CONFIG, "a.txt": "evil\n"})
    other.tag("v1")
    run = release_process(source.path, "prepare", "v1", GIT_DIR=str(other.path / ".git"), GIT_WORK_TREE=str(other.path))
    assert run.code == 0
    assert (source.path / ".release/v1/tree/a.txt").read_text() == "one\n"


@pytest.mark.parametrize("name", ["release", "hf-release"])
def test_both_console_scripts_are_the_command(name: str) -> None:
    script = Path(sys.executable).parent / name
    done = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("release, version ")


def test_a_system_that_gives_no_temporary_folder_is_unavailable(source: SourceRepository) -> None:
    """What no adapter foresaw of a disk is no bug of ours, and says so."""
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    code = (
        "import tempfile, sys; tempfile.tempdir = '/nonexistent'; from release import cli; sys.exit(cli.run({}, {{}}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.format(["prepare", "v1"])],
        cwd=source.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (5, False)
