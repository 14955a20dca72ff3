"""Publishing and verifying on an embedded Hub, beside the stock commands that do the parts of it."""

import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.pairs import BIN, command, compare, in_sequence
from release.rehearsal import EmbeddedHub

_TOKEN = "hf_benchbenchbenchbenchbench"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, EmbeddedHub(Path(folder) / "hub") as hub:
        top = Path(folder) / "source"
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_TOKEN": _TOKEN, "HF_HOME": f"{folder}/home", "NO_PROXY": "127.0.0.1"}
        _repository(top)
        numbers = itertools.count()

        def prepare_another() -> None:
            """A tag and a Hub repository of its own for each run."""
            shutil.rmtree(top / "archive", ignore_errors=True)
            shutil.rmtree(top / ".release", ignore_errors=True)
            (top / "release.toml").write_text(f'repo = "acme/n{next(numbers)}"\nfiles = ["data/**"]\n')
            for arguments in (["add", "release.toml"], [*_WHO, "commit", "-qm", "next"], ["tag", "-f", "v1"]):
                subprocess.run(["git", *arguments], cwd=top, check=True, stdout=subprocess.DEVNULL)
            subprocess.run([str(BIN / "release"), "prepare", "v1"], cwd=top, check=True, capture_output=True)

        publish = command(
            str(BIN / "release"), "publish", "v1", "--confirm", "--create", cwd=top, before=prepare_another
        )
        hf, copy = str(BIN / "hf"), Path(folder) / "copy"
        uploads = itertools.count()

        def stock() -> float:
            repo = f"acme/stock{next(uploads)}"
            shutil.rmtree(copy, ignore_errors=True)
            return in_sequence(
                command(hf, "upload", repo, ".", ".", cwd=top / "data", env={"HF_HUB_DISABLE_XET": "1"}),
                command(hf, "download", repo, "--local-dir", str(copy)),
                command(hf, "cache", "verify", repo, "--local-dir", str(copy)),
            )()

        compare("publish / hf upload, download, cache verify", publish, stock, bound=0.75)
        publish()
        repo = f"acme/n{next(numbers) - 1}"

        def stock_verify() -> float:
            shutil.rmtree(copy, ignore_errors=True)
            return in_sequence(
                command(hf, "download", repo, "--local-dir", str(copy)),
                command(hf, "cache", "verify", repo, "--local-dir", str(copy)),
            )()

        verify = command(str(BIN / "release"), "verify", "v1", cwd=top)
        compare("verify / hf download, hf cache verify", verify, stock_verify, bound=0.6)


_WHO = ["-c", "user.name=a", "-c", "user.email=a@b"]


def _repository(top: Path, count: int = 40) -> None:
    """Forty files, as many as a release of templates has."""
    for number in range(count):
        path = top / f"data/{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * 2000)
    for arguments in (["init", "-q"], ["add", "-A"], [*_WHO, "commit", "-qm", "files"]):
        subprocess.run(["git", *arguments], cwd=top, check=True)
