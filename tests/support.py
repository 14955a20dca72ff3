"""Source repositories and command runs, as a user makes them."""

import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from release import cli

TOKEN = "hf_testtesttesttesttesttesttest"
_NUMBERS = itertools.count()


class SourceRepository:
    """A git repository on disk, with commits and tags at fixed times."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, **environment: str) -> str:
        """The output of one git command. Raises `CalledProcessError` where git fails."""
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"), ("DATE", "2026-01-02T03:04:05+00:00"))
        }
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=os.environ | identity | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes], message: str = "Change") -> str:
        """Write these files, commit everything, and return the commit's id."""
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def tag(self, name: str, *, message: str | None = "A release", at: str = "HEAD") -> str:
        """Tag a commit: annotated, or lightweight where there is no message. Returns what the ref holds."""
        annotated = ["-a", "-m", message] if message is not None else []
        self.git("tag", *annotated, name, at)
        return self.git("rev-parse", f"refs/tags/{name}")


@dataclass(frozen=True)
class Run:
    """One finished run of the command line."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document


def release(
    folder: Path, *arguments: str, hub: str | None = None, token: str | None = TOKEN, **environment: str
) -> Run:
    """Run `release …` in a folder, against a Hub, with a token, in this process: all but the start of Python."""
    out, err = io.StringIO(), io.StringIO()
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(_environment(hub, token, environment, before))
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run(list(arguments), {})
    finally:
        os.environ.clear()
        os.environ.update(before)
    return Run(code, out.getvalue(), err.getvalue())


def release_process(
    folder: Path, *arguments: str, hub: str | None = None, token: str | None = TOKEN, **environment: str
) -> Run:
    """The same in a process of its own, exactly as a user does."""
    done = subprocess.run(
        [sys.executable, "-m", "release", *arguments],
        cwd=folder,
        env=_environment(hub, token, environment, os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def start_release(
    folder: Path, *arguments: str, hub: str, token: str = TOKEN, **environment: str
) -> "subprocess.Popen[str]":
    """The same, left running."""
    return subprocess.Popen(
        [sys.executable, "-m", "release", *arguments],
        cwd=folder,
        env=_environment(hub, token, environment, os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hf(
    *arguments: str, hub: str, home: Path, cwd: Path | None = None, token: str | None = TOKEN, **environment: str
) -> Run:
    """Run the stock `hf` command against a Hub, with a home of its own."""
    command = Path(sys.executable).parent / "hf"
    settings = {"HF_HOME": str(home), **environment}
    done = subprocess.run(
        [str(command), *arguments],
        cwd=cwd,
        env=_environment(hub, token, settings, os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def fresh_repo_id() -> str:
    """A Hub repository that no other test uses."""
    return f"acme/repo-{os.getpid()}-{next(_NUMBERS)}"


def _environment(
    hub: str | None, token: str | None, extra: Mapping[str, str], base: Mapping[str, str]
) -> dict[str, str]:
    environment = dict(base)
    # A closed port, so that a test that forgot its Hub fails at once.
    environment["HF_ENDPOINT"] = hub or "http://127.0.0.1:9"
    if token is not None:
        environment["HF_TOKEN"] = token
    environment.setdefault("HF_HOME", "/nonexistent")
    return environment | extra
