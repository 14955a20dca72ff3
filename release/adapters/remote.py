"""The source's remote: what its tag holds, by `git ls-remote`.

The address comes from the repository's configuration, so it is checked first; the command runs outside the
repository, with the user's own configuration and credentials, never with the repository's.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from release.errors import Refused, Unavailable
from release.values import Oid, TagName

_TIMEOUT = 60


class Remote:
    """Implements `ports.ReadsRemote`. `base` is where a relative path among the addresses starts.

    `transport` are the user's own settings for talking to remotes (GIT_SSH_COMMAND and the like), which the
    command line took out of the environment.
    """

    def __init__(self, base: Path, transport: Mapping[str, str]) -> None:
        self._base = base
        self._transport = dict(transport)

    def tag(self, url: str, tag: TagName) -> tuple[Oid, Oid] | None:
        address = self._address(url)
        try:
            answer = subprocess.run(
                ["git", "ls-remote", "--", address, tag.ref, f"{tag.ref}^{{}}"],
                capture_output=True,
                cwd="/",
                env=os.environ | self._transport | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
                timeout=_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _silent(url, str(error)) from error
        if answer.returncode:
            raise _silent(url, answer.stderr.decode("utf-8", "replace").strip())
        found = {}
        for line in answer.stdout.decode("utf-8", "replace").splitlines():
            oid, _, name = line.partition("\t")
            found[name] = Oid(oid)
        if tag.ref not in found:
            return None
        return found[tag.ref], found.get(f"{tag.ref}^{{}}", found[tag.ref])

    def _address(self, url: str) -> str:
        """https, ssh and files only: other transports run programs (`ext::`) or are plain text (`git://`, `http://`)."""
        if re.match(r"(https|ssh|file)://", url) or re.match(r"([\w.-]+@)?[\w.-]+:(?!:)(?!//)", url):
            return url
        if re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])[:/]", url):
            return url
        if "::" in url or "://" in url or url.startswith("-"):
            raise Refused(
                f"the remote's address {_shown(url)!r} is not asked: only https, ssh and files are",
                hint="point the remote at an https or ssh address: git remote set-url NAME URL",
            )
        return str(self._base / url)


def _silent(url: str, said: str) -> Unavailable:
    return Unavailable(
        f"the remote {_shown(url)} did not answer: {_shown(' '.join(said.split()))}",
        hint="check the connection and your credentials, then run the same command again",
    )


def _shown(text: str) -> str:
    """Without the user part of addresses, in which tokens and passwords are."""
    return re.sub(r"(?<=//)[^/@\s]*@", "", text)
