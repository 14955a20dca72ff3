"""Memory while a packed 500 MB file goes through `release prepare`: this process and git's, each at its highest."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

_MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.argv[1], "prepare", "v1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def main() -> None:
    small, large = _peak(1 << 20), _peak(500 << 20)
    print(f"  highest process: {small >> 20} MiB with a 1 MiB file, {large >> 20} MiB with a 500 MiB file")


def _peak(size: int) -> int:
    """The largest resident set among `release` and its children, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        with open(top / "large.bin", "wb") as stream:
            block = random.Random(1).randbytes(1 << 20)
            for number in range(size >> 20):
                stream.write(number.to_bytes(8, "big") + block[8:])
        (top / "release.toml").write_text('repo = "acme/large"\nfiles = ["*.bin"]\n')
        for arguments in (
            ["init", "--quiet"],
            ["-c", "core.bigFileThreshold=1m", "add", "--all"],
            ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "large"],
            ["tag", "v1"],
            ["-c", "core.bigFileThreshold=1m", "repack", "-adq"],
        ):
            subprocess.run(["git", *arguments], cwd=top, check=True)
        command = str(Path(sys.executable).parent / "release")
        said = subprocess.run(
            [sys.executable, "-c", _MEASURE, command], cwd=top, capture_output=True, text=True, check=True
        ).stdout
        # Kilobytes on Linux, bytes on macOS (getrusage(2)).
        return int(said) * (1 if sys.platform == "darwin" else 1024)
