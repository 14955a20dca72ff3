"""A throw-away clone: the source repository to practise on, without remote, identity or filters."""

import os
import subprocess
from pathlib import Path

from release.errors import Unavailable, UsageError
from release.values import Oid, TagName

_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def clone(source: Path, target: Path, commit: Oid, tag: TagName) -> None:
    """Clone `source` to `target` with `commit` checked out; `tag` is made there if the source has none.

    No configuration but git's own defaults is used, so nobody's filters or hooks run. What a shallow source lacks is
    lacking here too, which a release without history does not notice.
    """
    _git(source, "clone", "--quiet", "--no-checkout", "--template=", "--", str(source), str(target))
    _git(target, "remote", "remove", "origin")
    (target / ".git" / "shallow").unlink(missing_ok=True)
    _git(target, "checkout", "--quiet", "--detach", commit)
    if not _git(target, "for-each-ref", "--format=%(refname)", tag.ref):
        _git(target, "update-ref", tag.ref, commit)


def uncommitted(source: Path) -> tuple[str, ...]:
    """Paths that differ from HEAD or are not tracked. Configured filters are taken out: they are programs."""
    known = _git(source, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*", nothing=1)
    off = ["-c", "core.fsmonitor=false"]
    for name in sorted({key.split(".", 1)[1].rpartition(".")[0] for key in known.split("\0") if key}):
        off += [word for key in ("clean", "smudge", "process") for word in ("-c", f"filter.{name}.{key}=")]
        off += ["-c", f"filter.{name}.required=false"]
    said = _git(source, *off, "--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames")
    return tuple(line[3:] for line in said.split("\0")[:-1])


def _git(folder: Path, *arguments: str, nothing: int = 0) -> str:
    """What git said. `nothing` is the exit code that means "none found" rather than a failure."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env=os.environ | _ENVIRONMENT, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise UsageError("the command `git` cannot be run", hint="install git, then run it again") from error
    if done.returncode not in (0, nothing):
        raise Unavailable(
            f"git could not make a copy to practise on: {done.stderr.decode('utf-8', 'replace').strip()}",
            hint="look at what it said; `git fsck` tells whether the repository is whole",
        )
    return done.stdout.decode("utf-8", "surrogateescape")
