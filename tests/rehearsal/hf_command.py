"""The stock `hf` command, as a user runs it against an embedded Hub."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TOKEN = "hf_any"


@dataclass(frozen=True)
class Command:
    """The `hf` command against one Hub, with a home of its own. Xet is off unless a call turns it on."""

    url: str
    home: Path
    token: str = TOKEN

    def __call__(
        self, *arguments: str, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(Path(sys.executable).with_name("hf")), *arguments],
            cwd=cwd or self.home,
            env={**os.environ, **self._environment(), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def ok(self, *arguments: str, cwd: Path | None = None, **environment: str) -> str:
        """The command's stdout, once it has succeeded."""
        done = self(*arguments, cwd=cwd, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": self.token,
            "HF_HOME": str(self.home / "hf-home"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
