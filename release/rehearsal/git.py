"""A bare repository, by git's own plumbing: objects, refs and nothing that reads the user's configuration.

Every call is one short-lived `git` process with a scrubbed environment, so nothing is left open between requests
and a clone or a push from outside may happen at any time. Names from a request reach git only after `is_revision`.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

COMMIT_ID = re.compile(r"[0-9a-f]{40}")
ABBREVIATED_ID = re.compile(r"[0-9a-f]{7,40}")
NO_OBJECT = "0" * 40

# What a ref name may not hold, by `git check-ref-format`.
_NOT_IN_NAMES = re.compile(r"[\x00-\x20\x7f ~^:?*\[\\]|\.\.|@\{|//|\.lock(/|$)|(^|/)\.|\.$|/$|^/|^-|^@$|^$")


class GitFailed(Exception):
    """git said no; the text is what it wrote on stderr."""


@dataclass(frozen=True)
class GitEntry:
    """One line of a tree. `size` is the blob's, in bytes; a tree has none."""

    mode: str
    kind: Literal["blob", "tree", "commit"]
    oid: str
    size: int
    path: str


def is_ref_name(name: str) -> bool:
    """Whether git would accept this as the last part of a ref."""
    return _NOT_IN_NAMES.search(name) is None


class BareGit:
    """One bare repository at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def environment(self) -> Mapping[str, str]:
        """What a git process may see, for a command that needs no repository."""
        return _environment()

    def init(self) -> None:
        """Make the repository, with `main` as its branch and no hooks."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        command = ["git", "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(self.path)]
        _finish(subprocess.run(command, env=_environment(), capture_output=True, check=False))
        # Objects that a commit left behind may be the ones that a foreign clone is fetching.
        self.run("config", "gc.auto", "0")

    def run(
        self,
        *arguments: str,
        given: bytes | IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """What `git ARGUMENTS` prints. `given` goes to its stdin. Raises GitFailed."""
        piped: dict[str, bytes | IO[bytes]] = {}
        if isinstance(given, bytes):
            piped["input"] = given
        elif given is not None:
            piped["stdin"] = given
        return _finish(
            subprocess.run(  # type: ignore[call-overload]
                self._command(arguments), env=_environment(environment), capture_output=True, check=False, **piped
            )
        )

    @contextmanager
    def process(self, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """A git process: its stdin, to be closed by the block, and its stdout.

        It has ended when the block is left; an exception in the block ends it. Raises GitFailed if git did.
        """
        with tempfile.TemporaryFile() as complaints:
            child = subprocess.Popen(
                self._command(arguments),
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
            )
            assert child.stdin is not None
            assert child.stdout is not None
            is_whole = False
            try:
                yield child.stdin, child.stdout
                is_whole = True
            except BrokenPipeError:
                # git went away while it was written to; why, it has said.
                is_whole = True
            finally:
                if not is_whole:
                    child.kill()
                for pipe in (child.stdin, child.stdout):
                    with suppress(BrokenPipeError):
                        pipe.close()
                child.wait()
            if child.returncode != 0:
                complaints.seek(0)
                raise GitFailed(complaints.read().decode("utf-8", "replace").strip() or f"git {arguments[0]} failed")

    # -- refs ----------------------------------------------------------------------------------------------

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, tag, full ref or (abbreviated) id stands for; None if there is none."""
        if not is_ref_name(revision):
            return None
        try:
            found = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except GitFailed:
            return None
        return found.decode().strip()

    def ref(self, name: str) -> str | None:
        """The commit of a full ref such as `refs/heads/main`; None if it does not exist."""
        return self.resolve(name) if name.startswith("refs/") else None

    def refs(self, *prefixes: str) -> list[tuple[str, str]]:
        """(ref, commit) below the prefixes, sorted by name; an annotated tag counts as the commit it is on."""
        listing = self.run("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", *prefixes)
        lines = [line.split(" ") for line in listing.decode().splitlines()]
        return [(name, peeled or oid) for name, oid, peeled in lines]

    def move_ref(self, name: str, new: str, old: str) -> bool:
        """Set a ref to `new` if it is still at `old` (NO_OBJECT: if it does not exist). False if it was not."""
        try:
            self.run("update-ref", name, new, old)
        except GitFailed:
            return False
        return True

    def delete_ref(self, name: str) -> None:
        """Remove a full ref, wherever it is. Raises GitFailed if the name is impossible."""
        self.run("update-ref", "-d", name)

    # -- objects -------------------------------------------------------------------------------------------

    def tree_of(self, commit: str) -> str:
        """The id of a commit's root tree."""
        return self.run("rev-parse", f"{commit}^{{tree}}").decode().strip()

    def entries(self, tree: str) -> list[GitEntry]:
        """Everything below a tree, folders before what is in them, in git's order."""
        listing = self.run("ls-tree", "-r", "-t", "-l", "-z", "--full-tree", tree)
        return [_entry(line) for line in listing.split(b"\0") if line]

    def blob(self, oid: str) -> bytes:
        """The bytes of one blob."""
        return self.run("cat-file", "blob", oid)

    def blobs(self, oids: Sequence[str]) -> dict[str, bytes]:
        """The contents of many blobs, by one process."""
        if not oids:
            return {}
        output = self.run("cat-file", "--batch", given="".join(f"{oid}\n" for oid in oids).encode())
        found: dict[str, bytes] = {}
        position = 0
        for oid in oids:
            end_of_header = output.index(b"\n", position)
            size = int(output[position:end_of_header].split(b" ")[2])
            found[oid] = output[end_of_header + 1 : end_of_header + 1 + size]
            position = end_of_header + 1 + size + 1
        return found

    def _command(self, arguments: Sequence[str]) -> list[str]:
        # --git-dir: an explicit directory is not searched for, so its owner does not matter to git.
        return ["git", f"--git-dir={self.path}", "-c", "core.quotePath=false", *arguments]


def _entry(line: bytes) -> GitEntry:
    facts, path = line.split(b"\t", 1)
    mode, kind, oid, size = facts.decode().split()
    if kind not in ("blob", "tree", "commit"):
        raise GitFailed(f"git listed a {kind}")
    return GitEntry(
        mode=mode,
        kind=kind,  # type: ignore[arg-type]
        oid=oid,
        size=int(size) if size.isdecimal() else 0,
        path=path.decode("utf-8", "surrogateescape"),
    )


def _finish(done: subprocess.CompletedProcess[bytes]) -> bytes:
    if done.returncode != 0:
        raise GitFailed(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What git may see: no GIT_* of the caller, no configuration of the user or the machine."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        **(more or {}),
    }
