"""Git objects of the source repository: plumbing only, through GitPython's command layer.

The worktree, the index, attributes, filters, hooks, replacements and the repository's own configuration have no say
in what is read (HUB.md §5 and PROVENANCE.md §4 list what each of them can do otherwise). Every argument is fixed or
an object id that was checked; nothing from outside becomes an option.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from git.cmd import Git
from git.exc import GitCommandError, GitCommandNotFound

from release.errors import Refused, Unavailable, UsageError
from release.ports import Blob, SourceItem
from release.values import Mode, Oid

_CHUNK = 1 << 20
# A file above this size is not compared line by line: git would hold both sides in memory.
_DIFF_LIMIT = 16 << 20
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
_SETTINGS = {
    # A repository's configuration can name programs; none of these runs one.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.sshCommand": "false",
    "protocol.allow": "never",
    # Above this size git streams a blob instead of holding it in memory.
    "core.bigFileThreshold": "1m",
    "core.quotePath": "true",
}


class GitRepository:
    """The repository around a folder. Implements `ports.ReadsSource`; close it after use, or use it in a `with`.

    `top` is the folder that holds `.git`.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `UsageError` where there is no repository, `Refused` where git does not trust its owner."""
        self.top = _top(folder)
        self._git = Git(self.top)
        self._safe: list[str] = []
        self._git_dir: str | None = None
        self._reader: Git.AutoInterrupt | None = None
        try:
            facts = self._run("rev-parse", "--absolute-git-dir", "--is-shallow-repository").decode().splitlines()
        except _GitSaid as error:
            facts = self._ask_as_owner(error)
        self._git_dir, self._shallow = facts[0], facts[1] == "true"

    def _ask_as_owner(self, error: "_GitSaid") -> list[str]:
        if "dubious ownership" not in error.said:
            raise Unavailable(
                f"git cannot read the repository {self.top}: {error.said}",
                hint="run `git fsck` there; clone again if it is damaged",
            ) from error
        # The user's own decision about this folder counts; the repository's own configuration does not.
        told = subprocess.run(
            ["git", "config", "--get-all", "safe.directory"], capture_output=True, cwd="/", text=True, check=False
        )
        self._safe = [line for line in told.stdout.splitlines() if line]
        try:
            return self._run("rev-parse", "--absolute-git-dir", "--is-shallow-repository").decode().splitlines()
        except _GitSaid as again:
            raise Refused(
                f"the repository {self.top} belongs to somebody else (git: dubious ownership)",
                hint=f"if you trust it: git config --global --add safe.directory {self.top}",
            ) from again

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._reader is not None:
            _end(self._reader)
            self._reader = None

    def version(self) -> str:
        """Git's own version, as "2.39.5"."""
        said = self._run("version").decode()
        found = re.search(r"\d+(\.\d+)+", said)
        return found.group() if found else said.strip()

    def ref(self, name: str) -> Oid | None:
        try:
            return Oid(self._run("show-ref", "--verify", "--hash", "--", name).decode().strip())
        except _GitSaid as error:
            if "not a valid ref" in error.said:
                return None
            raise self._unreadable(error) from error

    def commit(self, revision: str) -> Oid | None:
        """The commit that the user's own words name; None where they name none."""
        try:
            return Oid(
                self._run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
            )
        except _GitSaid:
            return None

    def object(self, oid: Oid) -> tuple[str, bytes]:
        if self._reader is None:
            self._reader = self._start("cat-file", "--batch", istream=subprocess.PIPE)
        process = self._reader.proc
        if process is None or process.stdin is None or process.stdout is None:
            raise Unavailable("git ended while it was being read", hint="run the same command again")
        process.stdin.write(oid.encode() + b"\n")
        process.stdin.flush()
        kind, size = _header(cast(BinaryIO, process.stdout), oid)
        content = process.stdout.read(size + 1)[:-1]
        _same(oid, _hash(oid, kind, size, [content]))
        return kind, content

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        raw = self._read("ls-tree", "-r", "-z", "--full-tree", tree)
        for line in raw.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, oid = facts.split(b" ")
            yield SourceItem(path.decode("utf-8", "surrogateescape"), _mode(mode), Oid(oid.decode()))

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        """One `cat-file --batch` for all of them, its questions in a file so that neither side waits for the other."""
        if not oids:
            return
        with tempfile.TemporaryFile() as questions:
            questions.write(b"".join(oid.encode() + b"\n" for oid in oids))
            questions.seek(0)
            reader = self._start("cat-file", "--batch", "--buffer", istream=questions)
            try:
                if reader.proc is None or reader.proc.stdout is None:
                    raise Unavailable("git could not be started", hint="run the same command again")
                for oid in oids:
                    yield _next_blob(cast(BinaryIO, reader.proc.stdout), oid)
            finally:
                _end(reader)

    def diff(self, old: Oid, new: Oid) -> bytes:
        """`--text` and no index keep every attribute out; the heuristics are those of `git diff --check`."""
        common = ["-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index", "--no-color"]
        raw = self._read("diff-tree", *common, "--raw", "-z", "--diff-filter=AMT", old, new).split(b"\0")[:-1]
        changed = [(fields.split(b" ")[3].decode(), path) for fields, path in zip(raw[::2], raw[1::2], strict=True)]
        large = self._larger_than(_DIFF_LIMIT, [Oid(oid) for oid, _ in changed])
        left_out = [b":(top,exclude,literal)" + path for oid, path in changed if oid in large]
        options = ["-p", "-U0", "--text", "--diff-algorithm=myers", "--no-indent-heuristic", "--diff-filter=AMT"]
        options += ["--src-prefix=a/", "--dst-prefix=b/"]
        return self._read("diff-tree", *common, *options, old, new, "--", *left_out)

    def is_shallow(self) -> bool:
        return self._shallow

    def remotes(self) -> Mapping[str, str]:
        try:
            raw = self._run("config", "--local", "--no-includes", "-z", "--get-regexp", r"^remote\..*\.url$")
        except _GitSaid:
            return {}
        found: dict[str, str] = {}
        for line in raw.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            key, _, url = line.partition("\n")
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), url)
        return dict(sorted(found.items(), key=lambda item: (item[0] != "origin", item[0])))

    def _larger_than(self, size: int, oids: list[Oid]) -> set[str]:
        with tempfile.TemporaryFile() as questions:
            questions.write(b"".join(oid.encode() + b"\n" for oid in oids))
            questions.seek(0)
            answers = self._read("cat-file", "--batch-check", istream=questions).decode().splitlines()
        facts = [answer.split(" ") for answer in answers]
        return {fact[0] for fact in facts if len(fact) == 3 and int(fact[2]) > size}

    def _command(self, *arguments: str | bytes) -> list[str | bytes]:
        settings = [word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}")]
        settings += [word for folder in self._safe for word in ("-c", f"safe.directory={folder}")]
        return ["git", "--no-replace-objects", *settings, *arguments]

    def _environment(self) -> dict[str, str]:
        if self._git_dir is None:
            return _ENVIRONMENT
        # An explicit work tree keeps a configured core.worktree from sending git elsewhere; without an index no
        # attributes are read from one.
        return _ENVIRONMENT | {
            "GIT_DIR": self._git_dir,
            "GIT_WORK_TREE": str(self.top),
            "GIT_INDEX_FILE": f"{self._git_dir}/no-index-is-read",
        }

    def _start(self, *arguments: str, istream: int | BinaryIO) -> Git.AutoInterrupt:
        try:
            process = self._git.execute(
                self._command(*arguments), istream=istream, as_process=True, env=self._environment()
            )
        except GitCommandNotFound as error:
            raise _no_git(error) from error
        return process

    def _run(self, *arguments: str | bytes, istream: BinaryIO | None = None) -> bytes:
        """The command's output. Raises `_GitSaid` where git ends with an error."""
        try:
            return self._git.execute(
                self._command(*arguments),
                istream=istream,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                env=self._environment(),
            )
        except GitCommandNotFound as error:
            raise _no_git(error) from error
        except GitCommandError as error:
            raise _GitSaid(str(error.stderr).removeprefix("\n  stderr: ").strip("' \n")) from error

    def _read(self, *arguments: str | bytes, istream: BinaryIO | None = None) -> bytes:
        try:
            return self._run(*arguments, istream=istream)
        except _GitSaid as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: "_GitSaid") -> Unavailable:
        return Unavailable(
            f"git cannot read an object that the tag needs: {error.said}",
            hint="fetch it (`git fetch --tags origin`), or clone again if the repository is damaged",
        )


class _GitSaid(Exception):
    """Git ended with an error; `said` is its own text."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


def _no_git(error: Exception) -> Unavailable:
    return Unavailable(f"the command `git` cannot be run: {error}", hint="install git, then run the same command again")


def _top(folder: Path) -> Path:
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    raise UsageError(
        f"{folder} is not inside a git repository with a worktree", hint="change into the repository that holds the tag"
    )


def _mode(mode: bytes) -> Mode:
    # Old tools wrote other permissions (100664); only the owner's exec bit means anything to git.
    kind = mode[:3]
    if kind == b"100":
        return Mode.EXECUTABLE if int(mode[-3:-2]) & 1 else Mode.REGULAR
    return Mode.SYMLINK if kind == b"120" else Mode.SUBMODULE


def _header(stream: BinaryIO, oid: Oid) -> tuple[str, int]:
    line = stream.readline().decode("utf-8", "replace").split()
    if len(line) != 3:
        raise Unavailable(
            f"the object {oid} is missing from the repository",
            hint="fetch it (`git fetch --tags origin`), or clone again if the repository is damaged",
        )
    return line[1], int(line[2])


def _next_blob(stream: BinaryIO, oid: Oid) -> Blob:
    kind, size = _header(stream, oid)
    if size <= _CHUNK:
        content = stream.read(size + 1)[:-1]
        _same(oid, _hash(oid, kind, size, (content,)))
        return Blob(oid, size, iter((content,)))
    return Blob(oid, size, _streamed(stream, oid, kind, size))


def _streamed(stream: BinaryIO, oid: Oid, kind: str, size: int) -> Iterator[bytes]:
    digest = hashlib.new("sha1" if len(oid) == 40 else "sha256", f"{kind} {size}\0".encode())
    left = size
    while left:
        chunk = stream.read(min(_CHUNK, left))
        if not chunk:
            raise Unavailable(f"git ended in the middle of {oid}", hint="run `git fsck`, then the same command again")
        digest.update(chunk)
        left -= len(chunk)
        if not left:
            stream.read(1)
            _same(oid, digest.hexdigest())
        yield chunk


def _hash(oid: Oid, kind: str, size: int, chunks: Sequence[bytes]) -> str:
    digest = hashlib.new("sha1" if len(oid) == 40 else "sha256", f"{kind} {size}\0".encode())
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _same(oid: Oid, computed: str) -> None:
    if computed != oid:
        raise Unavailable(
            f"the object {oid} holds other bytes than its name says (they hash to {computed})",
            hint="the repository is damaged or was tampered with: clone it again and run `git fsck`",
        )


def _end(process: Git.AutoInterrupt) -> None:
    """Close the pipes and wait, whatever state the process is in."""
    inner = process.proc
    if inner is None:
        return
    for stream in (inner.stdin, inner.stdout, inner.stderr):
        if stream is not None:
            stream.close()
    if inner.poll() is None:
        inner.terminate()
    inner.wait()
