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
    known = subprocess.run(["git", "show-ref", "--verify", "--quiet", tag.ref], cwd=target, check=False)
    if known.returncode:
        _git(target, "update-ref", tag.ref, commit)


def _git(folder: Path, *arguments: str) -> None:
    try:
        subprocess.run(
            ["git", *arguments], cwd=folder, env=os.environ | _ENVIRONMENT, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise UsageError(
            "the command `git` cannot be run", hint="install git, then run the same command again"
        ) from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(
            f"git could not make a copy to practise on: {error.stderr.decode('utf-8', 'replace').strip()}",
            hint="look at what it said; `git fsck` tells whether the repository is whole",
        ) from error
