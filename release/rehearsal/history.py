"""The commits of a branch: in order, by path, and made fewer or other than they were."""

import io
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from release.rehearsal.git import BareGit
from release.rehearsal.landing import Signature
from release.rehearsal.pointers import LONGEST_POINTER, SHORTEST_POINTER, Pointer, read_pointer
from release.rehearsal.values import moment

# NUL is the one character that neither a message nor a path can hold.
_FIELDS = "%H%x00%an%x00%at%x00%B"


@dataclass(frozen=True)
class Commit:
    """`title` is the first line of the message and `body` the rest; `date` is ISO 8601, UTC."""

    oid: str
    author: str
    date: str
    title: str
    body: str


def commits(git: BareGit, commit: str) -> list[Commit]:
    """The commit and what came before it, the latest first."""
    output = git.run("log", "-z", "--topo-order", f"--format={_FIELDS}", commit)
    fields = output.decode("utf-8", "replace").split("\0")
    return [_commit(*fields[start : start + 4]) for start in range(0, len(fields) - 1, 4)]


def last_commits(git: BareGit, commit: str, paths: Set[str]) -> dict[str, Commit]:
    """For each file or folder, the latest commit that changed it. Stops as soon as all are found."""
    missing = set(paths)
    found: dict[str, Commit] = {}
    for changed, touched in _changes(git, commit):
        for path in touched & missing:
            found[path] = changed
        missing -= touched
        if not missing:
            break
    return found


def squash(git: BareGit, ref: str, head: str, message: str, signature: Signature) -> bool:
    """Make one commit of all that lead to `head`; False if `ref` has moved in the meantime."""
    who = {
        "GIT_AUTHOR_NAME": signature.name,
        "GIT_AUTHOR_EMAIL": signature.email,
        "GIT_AUTHOR_DATE": f"{signature.at} +0000",
        "GIT_COMMITTER_NAME": signature.name,
        "GIT_COMMITTER_EMAIL": signature.email,
        "GIT_COMMITTER_DATE": f"{signature.at} +0000",
    }
    new = git.run("commit-tree", git.tree_of(head), given=message.encode(), environment=who).decode().strip()
    return git.move_ref(ref, new, head)


def purge(git: BareGit, blobs: Set[str]) -> None:
    """Rewrite every branch, tag and pull request as if the blobs had never been committed."""
    refs = [ref for ref, _ in git.refs("refs/heads/", "refs/tags/", "refs/pr/", "refs/convert/")]
    stream = git.run("fast-export", "--no-data", "--signed-tags=strip", "--tag-of-filtered-object=rewrite", *refs)
    with git.process("fast-import", "--quiet", "--force") as (importer, _):
        importer.writelines(_without(stream, blobs))
        importer.close()


def all_pointers(git: BareGit) -> dict[str, Pointer]:
    """Every pointer that was ever committed, by the id of its blob."""
    listing = git.run("rev-list", "--objects", "--all").decode("utf-8", "replace")
    oids = [line.split(" ", 1)[0] for line in listing.splitlines()]
    checked = git.run("cat-file", "--batch-check", given="".join(f"{oid}\n" for oid in oids).encode()).decode()
    sized = [line.split(" ") for line in checked.splitlines()]
    small = [oid for oid, kind, size in sized if kind == "blob" and SHORTEST_POINTER <= int(size) <= LONGEST_POINTER]
    pointers = {oid: read_pointer(content) for oid, content in git.blobs(small).items()}
    return {oid: pointer for oid, pointer in pointers.items() if pointer is not None}


def _without(stream: bytes, blobs: Set[str]) -> Iterator[bytes]:
    """A fast-export stream in which a path that one of the blobs was put at is deleted instead."""
    lines = io.BytesIO(stream)
    while line := lines.readline():
        if line.startswith(b"data "):
            # A message may hold lines that look like changes, and need not end with one.
            yield line + lines.read(int(line.split(b" ")[1]))
        elif line.startswith(b"M ") and line.split(b" ", 3)[2].decode() in blobs:
            yield b"D " + line.split(b" ", 3)[3]
        else:
            yield line


def _changes(git: BareGit, commit: str) -> Iterator[tuple[Commit, set[str]]]:
    """Every commit, the latest first, with the files and folders that it changed."""
    form = f"--format=%x00{_FIELDS}%x00"
    output = git.run("log", "-z", "--topo-order", "-m", "--first-parent", "-t", "-r", "--name-only", form, commit)
    tokens = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    # An empty token comes before each commit, and another one after its fields; the first path is on a new line.
    next(tokens, None)
    while oid := next(tokens, ""):
        author, at, message, _ = (next(tokens, "") for _ in range(4))
        touched = {token.removeprefix("\n") for token in iter(lambda: next(tokens, ""), "")}
        yield _commit(oid, author, at, message), touched


def _commit(oid: str, author: str, at: str, message: str) -> Commit:
    title, _, body = message.strip("\n").partition("\n")
    date = moment(datetime.fromtimestamp(int(at), UTC))
    return Commit(oid, author, date, title, body.strip("\n"))
