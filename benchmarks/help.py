"""How long a user waits for `release --help`."""

import sys

from benchmarks.pairs import BIN, command, compare


def main() -> None:
    ours = command(str(BIN / "release"), "--help")
    compare("release --help / python -c 'import click'", ours, command(sys.executable, "-c", "import click"), bound=1.5)
    compare("release --help / hf --help", ours, command(str(BIN / "hf"), "--help"), bound=0.2)
