"""The `hf upload` process: its environment, its progress, its end."""

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from release.adapters.hf import HfCommand
from release.errors import Refused
from support import TOKEN

# A stand-in for the command, to see what reaches it; the real one is driven everywhere else.
_SCRIPT = """#!{python} -I
import json, os, sys
print(json.dumps({{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}}), file=sys.stderr)
print("m.bin: 45%|####      | 12.5M/25.0M [00:01<00:01]", end="\\r", file=sys.stderr)
print('{{"url": "http://hub/acme/a/commit/abc"}}')
sys.exit(3)
"""


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., HfCommand]:
    """An HfCommand that runs the stand-in."""
    script = tmp_path / "hf"
    script.write_text(_SCRIPT.format(python=sys.executable))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "tree").mkdir()
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)

    def make(token: str | None = TOKEN, heard: Callable[[int, int], None] = lambda done, total: None) -> HfCommand:
        return HfCommand(
            tree=tmp_path / "tree",
            home=tmp_path / "home",
            endpoint="http://hub",
            token=token,
            lock=lambda: lock,
            started=lambda pid: None,
            heard=heard,
            command=script,
        )

    return make


def _seen(said: str) -> dict[str, object]:
    first = said.replace("hf_***", TOKEN).splitlines()[0]
    document: dict[str, object] = json.loads(first)
    return document


def test_its_environment_is_an_allow_list(command: Callable[..., HfCommand]) -> None:
    """Nothing of ours that could change what it does or whom it talks to; and no second commit by Xet."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["PYTHONPATH"] = "evil"
    try:
        environment = _seen(command().run(["hf", "upload"]).said)["env"]
    finally:
        del os.environ["HF_HUB_OFFLINE"], os.environ["PYTHONPATH"]
    assert isinstance(environment, dict)
    assert not {"HF_HUB_OFFLINE", "PYTHONPATH"} & set(environment)
    assert environment["HF_HUB_DISABLE_XET"] == "1"


def test_the_token_is_in_its_environment_and_in_nothing_that_it_says(command: Callable[..., HfCommand]) -> None:
    ended = command().run(["hf", "upload", "acme/a"])
    assert TOKEN not in ended.said
    assert _seen(ended.said)["argv"] == ["upload", "acme/a"]


def test_it_works_in_the_tree(command: Callable[..., HfCommand], tmp_path: Path) -> None:
    assert _seen(command().run(["hf"]).said)["cwd"] == str(tmp_path / "tree")


def test_its_exit_code_and_its_commit_are_reported(command: Callable[..., HfCommand]) -> None:
    ended = command().run(["hf"])
    assert (ended.code, ended.commit, ended.interrupted) == (3, "abc", False)


def test_its_bars_are_progress_in_bytes(command: Callable[..., HfCommand]) -> None:
    heard: list[tuple[int, int]] = []
    command(heard=lambda done, total: heard.append((done, total))).run(["hf"])
    assert heard[-1] == (12_500_000, 25_000_000)


def test_without_a_token_it_is_not_started(command: Callable[..., HfCommand]) -> None:
    with pytest.raises(Refused, match="no token"):
        command(token=None).run(["hf"])


def test_without_the_command_it_says_how_to_get_it(command: Callable[..., HfCommand], tmp_path: Path) -> None:
    made = command()
    (tmp_path / "hf").unlink()
    with pytest.raises(Refused, match="not beside this Python"):
        made.run(["hf"])
