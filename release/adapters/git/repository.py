"""Git objects of the source repository: plumbing only, through GitPython's command layer.

Objects are read through a git folder of our own, which has nothing but the repository's object store: no
configuration, no attributes, no hooks, no replacements, no grafts and no promised remote can have a say in what is read
(HUB.md §5 and PROVENANCE.md §4 list what each of them can do otherwise). The repository's own folder is asked only what
a ref holds. Every argument is fixed or an object id that was checked; nothing from outside becomes an option.
"""

import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self, cast

from git.cmd import Git
from git.exc import GitCommandError, GitCommandNotFound

from release.adapters.git.catfile import checked, damaged, header, next_blob, stopped
from release.errors import Refused, Unavailable, UsageError
from release.ports import Blob, SourceItem
from release.values import Mode, Oid

# Several steps and checks read the same tree: so many listings are kept.
_LISTINGS = 4
# A file above this size is not compared line by line: git would hold both sides in memory.
_DIFF_LIMIT = 16 << 20
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A missing object is missing: no remote that the configuration promises is asked, by whatever transport.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}
# For the few questions that the repository's own folder answers: its configuration can name programs.
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.sshCommand=false")
# Above this size git streams a blob instead of holding it in memory.
_STREAMING = ("-c", "core.bigFileThreshold=1m")
_FACTS = "rev-parse --path-format=absolute --git-dir --git-path objects --is-shallow-repository --show-object-format"


class GitRepository:
    """The repository around a folder. Implements `ports.ReadsSource`; close it after use, or use it in a `with`.

    `top` is the folder that holds `.git`.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `UsageError` where there is no repository, `Refused` where git does not trust its owner."""
        self.top = _top(folder)
        self._git = Git(self.top)
        self._safe: list[str] = []
        self._reader: Git.AutoInterrupt | None = None
        self._listings: dict[Oid, tuple[SourceItem, ...]] = {}
        # An explicit work tree keeps a configured core.worktree from sending git elsewhere.
        self._own = _ENVIRONMENT | {"GIT_WORK_TREE": str(self.top)}
        try:
            self._own["GIT_DIR"], objects, shallow, kind = self._facts()
        except _GitSaid as error:
            self._own["GIT_DIR"], objects, shallow, kind = self._ask_as_owner(error)
        self._shallow = shallow == "true"
        apart = tempfile.mkdtemp(prefix="release-git-")
        self._remove = weakref.finalize(self, shutil.rmtree, apart, ignore_errors=True)
        _make_git_dir(Path(apart), kind)
        self._apart = _ENVIRONMENT | {"GIT_DIR": apart, "GIT_OBJECT_DIRECTORY": objects}

    def _facts(self) -> list[str]:
        return self._ask(*_FACTS.split()).decode("utf-8", "surrogateescape").split("\n")[:-1]

    def _ask_as_owner(self, error: "_GitSaid") -> list[str]:
        if "not a git repository" in str(error):
            raise _no_repository(self.top) from error
        if "dubious ownership" not in str(error):
            raise damaged(f"git cannot read the repository {self.top}: {error}") from error
        # The user's own decision about this folder counts, with what takes one back (an empty value); the
        # repository's own configuration does not.
        told = subprocess.run(
            ["git", "config", "-z", "--get-all", "safe.directory"], capture_output=True, cwd="/", check=False
        )
        self._safe = told.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
        try:
            return self._facts()
        except _GitSaid as again:
            message = f"the repository {self.top} belongs to somebody else (git: dubious ownership)"
            hint = f"if you trust it: git config --global --add safe.directory {self.top}"
            raise Refused(message, hint=hint) from again

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._stop_reading()
        self._remove()

    def version(self) -> str:
        """Git's own version, as "2.39.5"."""
        return self._ask("version").decode().split()[2]

    def ref(self, name: str) -> Oid | None:
        try:
            held = Oid(self._ask("show-ref", "--verify", "--hash", "--", name).decode().strip())
        except _GitSaid as error:
            if "not a valid ref" in str(error):
                return None
            raise damaged(f"git cannot read {name}: {error}") from error
        if name.startswith("refs/tags/"):
            self._not_symbolic(name)
        return held

    def _not_symbolic(self, name: str) -> None:
        try:
            target = self._ask("symbolic-ref", "--quiet", "--", name).decode("utf-8", "replace").strip()
        except _GitSaid:
            return
        hint = "make a tag of its own: git tag -d NAME, then git tag -a NAME COMMIT"
        raise Refused(f"{name} is another name of {target} and moves with it", hint=hint)

    def commit(self, revision: str) -> Oid | None:
        """The commit that the user's own words name; None where they name none."""
        words = ("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        try:
            return Oid(self._ask(*words).decode().strip())
        except _GitSaid:
            return None

    def object(self, oid: Oid) -> tuple[str, bytes]:
        if self._reader is None:
            self._reader = self._start(istream=subprocess.PIPE)
        process, content = self._reader.proc, None
        try:
            if process is None or process.stdin is None or process.stdout is None:
                raise stopped(oid)
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
            stream = cast(BinaryIO, process.stdout)
            kind, size = header(stream, oid)
            content = b"".join(checked(stream, oid, kind, size))
        except BrokenPipeError as error:
            raise stopped(oid) from error
        finally:
            # Whatever kept the answer from coming whole: what is still on its way belongs to no question.
            if content is None:
                self._stop_reading()
        return kind, content

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        if tree not in self._listings:
            self._listings = dict([*self._listings.items()][1 - _LISTINGS :]) | {tree: tuple(self._list(tree))}
        return iter(self._listings[tree])

    def _list(self, tree: Oid) -> Iterator[SourceItem]:
        raw = self._read("ls-tree", "-r", "-z", "--full-tree", tree)
        seen = set()
        for line in raw.split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, _, oid = facts.split(b" ")
            if path in seen:
                # Which of the two a checkout would show depends on the reader.
                raise damaged(f"the tree {tree} holds {path.decode('utf-8', 'replace')!r} twice")
            seen.add(path)
            yield SourceItem(path.decode("utf-8", "surrogateescape"), Mode.of(mode.decode()), Oid(oid.decode()))

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        """One `cat-file --batch` for all of them, its questions in a file so that neither side waits for the other."""
        if not oids:
            return
        with _questions(oids) as questions:
            reader = self._start("--buffer", istream=questions)
            try:
                if reader.proc is None or reader.proc.stdout is None:
                    raise stopped(oids[0])
                for oid in oids:
                    yield next_blob(cast(BinaryIO, reader.proc.stdout), oid)
            finally:
                _end(reader)

    def diff(self, old: Oid, new: Oid) -> bytes:
        """The choices are those of `git diff --check` without configuration, its limit for renames included.

        One line of context: without any, git cuts off a common end before it compares, and may place changes elsewhere.
        """
        common = ["-r", "--no-ext-diff", "--no-textconv", "--full-index", "--no-color"]
        raw = self._read("diff-tree", *common, "--no-renames", "--raw", "-z", old, new).split(b"\0")[:-1]
        sides = {path: fields.decode().split(" ")[2:4] for fields, path in zip(raw[::2], raw[1::2], strict=True)}
        large = self._larger_than(_DIFF_LIMIT, [Oid(oid) for pair in sides.values() for oid in pair if oid.strip("0")])
        left_out = [
            f":(exclude,literal){os.fsdecode(path)}" for path, pair in sides.items() if not large.isdisjoint(pair)
        ]
        options = ["-p", "-U1", "-M", "-l1000", "--text", "--diff-algorithm=myers", "--no-indent-heuristic"]
        options += ["--diff-filter=AMRT", "--src-prefix=a/", "--dst-prefix=b/"]
        return self._read("diff-tree", *common, *options, old, new, "--", *left_out)

    def is_shallow(self) -> bool:
        return self._shallow

    def remotes(self) -> Mapping[str, str]:
        try:
            raw = self._ask("config", "--local", "--no-includes", "-z", "--get-regexp", r"^remote\..*\.url$")
        except _GitSaid:
            return {}
        found: dict[str, str] = {}
        for line in raw.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            key, _, url = line.partition("\n")
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), url)
        return dict(sorted(found.items(), key=lambda item: (item[0] != "origin", item[0])))

    def _larger_than(self, size: int, oids: list[Oid]) -> set[str]:
        with _questions(oids) as questions:
            answers = self._read("cat-file", "--batch-check", istream=questions).decode().splitlines()
        facts = [answer.split(" ") for answer in answers]
        return {fact[0] for fact in facts if len(fact) == 3 and int(fact[2]) > size}

    def _start(self, *options: str, istream: int | BinaryIO) -> Git.AutoInterrupt:
        """`cat-file --batch` over the object store."""
        command = ["git", *_STREAMING, "cat-file", "--batch", *options]
        try:
            return self._git.execute(command, istream=istream, as_process=True, env=self._apart)
        except GitCommandNotFound as error:
            raise _no_git(error) from error

    def _stop_reading(self) -> None:
        if self._reader is not None:
            _end(self._reader)
            self._reader = None

    def _ask(self, *arguments: str) -> bytes:
        """What the repository's own folder answers. Raises `_GitSaid` where git ends with an error."""
        trusted = [word for folder in self._safe for word in ("-c", f"safe.directory={folder}")]
        return self._run(["git", *_SETTINGS, *trusted, *arguments], self._own)

    def _read(self, *arguments: str, istream: BinaryIO | None = None) -> bytes:
        """What the object store answers."""
        try:
            return self._run(["git", *arguments], self._apart, istream)
        except _GitSaid as error:
            wanted = " and ".join(word for word in arguments if isinstance(word, Oid))
            raise damaged(f"git cannot read {wanted or 'the object store'}: {error}") from error

    def _run(self, command: list[str], environment: Mapping[str, str], istream: BinaryIO | None = None) -> bytes:
        try:
            return self._git.execute(
                command, istream=istream, stdout_as_string=False, strip_newline_in_stdout=False, env=environment
            )
        except GitCommandNotFound as error:
            raise _no_git(error) from error
        except GitCommandError as error:
            said = str(error.stderr).removeprefix("\n  stderr: ").strip("' \n")
            raise _GitSaid(" ".join(said.split())) from error


class _GitSaid(Exception):
    """Git ended with an error; the text is its own."""


def _no_git(error: Exception) -> Unavailable:
    return Unavailable(f"the command `git` cannot be run: {error}", hint="install git, then run the same command again")


def _no_repository(folder: Path) -> UsageError:
    return UsageError(
        f"{folder} is not inside a git repository with a worktree", hint="change into the repository that holds the tag"
    )


def _top(folder: Path) -> Path:
    for place in (folder, *folder.parents):
        # An empty `.git` is no repository for git either: it looks further up.
        if os.path.isfile(place / ".git") or os.path.lexists(place / ".git" / "HEAD"):
            return place
    raise _no_repository(folder)


def _make_git_dir(folder: Path, object_format: str) -> None:
    """As little as git takes for a repository, and bare, so that no file of attributes is looked for."""
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    settings = "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\n"
    (folder / "config").write_text(f"{settings}objectformat = {object_format}\n")


@contextmanager
def _questions(oids: Sequence[Oid]) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as questions:
        questions.write(b"".join(oid.encode() + b"\n" for oid in oids))
        questions.seek(0)
        yield questions


def _end(process: Git.AutoInterrupt) -> None:
    """Close the pipes and wait, whatever state the process is in."""
    inner = process.proc
    if inner is None:
        return
    for stream in (inner.stdin, inner.stdout, inner.stderr):
        if stream is not None:
            # What was asked of a process that died cannot be sent any more.
            with suppress(BrokenPipeError):
                stream.close()
    if inner.poll() is None:
        inner.terminate()
    inner.wait()
