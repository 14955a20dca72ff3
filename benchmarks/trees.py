"""The publishing tree of many small files, beside what a shell would do."""

import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import BIN, command, compare
from release import __version__
from release.adapters.git import GitRepository
from release.adapters.pins import Pins
from release.adapters.signatures import SshKeygen
from release.adapters.workspace import Workspace
from release.config import TagConfig
from release.steps.build import Build
from release.steps.resolve import Resolve
from release.values import TagName

_SHELL = """
rm -rf out && mkdir out && git archive v1 | tar -x -C out && cd out &&
find . -type f | LC_ALL=C sort | xargs sha256sum > ../SUMS
"""


def main() -> None:
    for count, whole in ((1_000, 2.5), (10_000, 1.5)):
        with tempfile.TemporaryDirectory() as folder:
            top = repository(Path(folder), count)
            shell = command("sh", "-c", _SHELL, cwd=top)
            compare(
                f"build, {count} files / git archive | tar, sha256sum", lambda top=top: _build(top), shell, bound=1.3
            )
            prepare = command(str(BIN / "release"), "prepare", "v1", cwd=top)
            compare(f"release prepare, {count} files / the same", prepare, shell, bound=whole)


def repository(folder: Path, count: int, *, size: int = 4096) -> Path:
    """A packed repository with `count` text files of about `size` bytes, tagged v1."""
    words = random.Random(1)
    for number in range(count):
        path = folder / f"data/{number % 50:02}/{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{words.getrandbits(256):064x}\n" for _ in range(size // 65)))
    (folder / "release.toml").write_text('repo = "acme/many"\nfiles = ["data/**"]\n')
    for arguments in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["-c", "gc.auto=0", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "many"],
        ["tag", "v1"],
        ["gc", "--quiet"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def _build(top: Path) -> float:
    """The step by itself, in this process."""
    shutil.rmtree(top / ".release", ignore_errors=True)
    with GitRepository(top) as git:
        space = Workspace(top, TagName("v1"))
        source = Resolve(git, SshKeygen()).run("v1")
        step = Build(git, TagConfig(git), Pins(top, "", None, offline=True), space, space, __version__)
        start = time.perf_counter()
        step.run(source)
        return time.perf_counter() - start
