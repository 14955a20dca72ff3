"""Two commands in turn, A B A B …, and the ratio of each pair: so it holds while the machine's speed drifts."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

BIN = Path(sys.executable).parent


def command(
    *argv: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
) -> Callable[[], float]:
    """A run of one command, as seconds of wall time; `before` is not counted."""

    def run() -> float:
        before()
        start = time.perf_counter()
        subprocess.run(
            argv,
            cwd=cwd,
            env=os.environ | dict(env or {}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        )
        return time.perf_counter() - start

    return run


def in_sequence(*runs: Callable[[], float]) -> Callable[[], float]:
    """Several commands one after the other, counted together."""
    return lambda: sum(run() for run in runs)


def compare(name: str, ours: Callable[[], float], theirs: Callable[[], float], *, bound: float, runs: int = 7) -> None:
    """Print the median, smallest and largest ratio of `runs` pairs, after one pair to warm up."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(runs)]
    ratios = sorted(a / b for a, b in pairs)
    a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
    median = statistics.median(ratios)
    print(
        f"  {name:46} {median:5.2f}x  ({ratios[0]:.2f}–{ratios[-1]:.2f})  {a * 1000:6.0f} ms / {b * 1000:6.0f} ms"
        f"  bound {bound}x{'' if median <= bound else '  ABOVE'}",
        flush=True,
    )
