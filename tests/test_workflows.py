"""The workflows of this repository: pinned, least privileged, and clean under zizmor."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text())
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_permission_is_given_to_a_whole_workflow(path: Path) -> None:
    document: dict[str, Any] = yaml.safe_load(path.read_text())
    assert document["permissions"] == {}


def test_publishing_waits_for_an_environment_and_for_its_turn() -> None:
    document: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    assert document["jobs"]["publish"]["environment"] == "hub"
    assert document["concurrency"] == {"group": "release", "cancel-in-progress": False}


def test_zizmor_has_nothing_to_say() -> None:
    """Without the network: the audits that need GitHub's API are left out."""
    command = Path(sys.executable).parent / "zizmor"
    done = subprocess.run(
        [str(command), "--offline", "--persona", "pedantic", str(ROOT / ".github")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "No findings" in done.stdout + done.stderr) == (0, True)
