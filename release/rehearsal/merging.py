"""A pull request's commits → the changes that bring a branch to the same, or the files on which both disagree."""

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from release.rehearsal.commits import Change, Delete, PutBlob, PutFile
from release.rehearsal.git import BareGit, GitFailed


@dataclass(frozen=True)
class Blob:
    """What is at a path: mode and blob id."""

    mode: str
    oid: str


@dataclass(frozen=True)
class Merge:
    """What to change on the branch. With conflicts there are no changes."""

    changes: tuple[Change, ...]
    conflicts: tuple[str, ...]


def merge(git: BareGit, ours: str, theirs: str) -> Merge:
    """Three-way merge of commit `theirs` into commit `ours`, file by file, and line by line where both changed one."""
    before, here, there = (_blobs(git, commit) for commit in (base_of(git, ours, theirs), ours, theirs))
    changes: list[Change] = []
    conflicts: list[str] = []
    for path in sorted(before.keys() | there.keys()):
        old, mine, new = before.get(path), here.get(path), there.get(path)
        if new in (old, mine):
            continue
        if mine == old:
            changes.append(_taken(path, new))
            continue
        text = _lines_merged(git, old, mine, new)
        if text is None:
            conflicts.append(path)
        else:
            changes.append(PutFile(path, text))
    return Merge((), tuple(conflicts)) if conflicts else Merge(tuple(changes), ())


def base_of(git: BareGit, ours: str, theirs: str) -> str | None:
    """The commit where both went apart; None if they have nothing in common."""
    try:
        return git.run("merge-base", ours, theirs).decode().strip()
    except GitFailed:
        return None


def _taken(path: str, blob: Blob | None) -> Change:
    return PutBlob(path, blob.oid, blob.mode) if blob is not None else Delete(path, is_folder=False)


def _blobs(git: BareGit, commit: str | None) -> Mapping[str, Blob]:
    if commit is None:
        return {}
    return {
        entry.path: Blob(entry.mode, entry.oid) for entry in git.entries(git.tree_of(commit)) if entry.kind == "blob"
    }


def _lines_merged(git: BareGit, old: Blob | None, mine: Blob | None, new: Blob | None) -> bytes | None:
    """The text with the changes of both sides; None where they touch the same lines or it is not text."""
    if old is None or mine is None or new is None:
        return None
    contents = git.blobs(list({old.oid, mine.oid, new.oid}))
    if any(b"\0" in content for content in contents.values()):
        return None
    with tempfile.TemporaryDirectory() as folder:
        names = ("mine", "old", "new")
        for name, blob in zip(names, (mine, old, new), strict=True):
            (Path(folder) / name).write_bytes(contents[blob.oid])
        # merge-file needs no repository; its status is the number of conflicts.
        merged = subprocess.run(
            ["git", "merge-file", "-p", *names], cwd=folder, env=git.environment, capture_output=True, check=False
        )
    return merged.stdout if merged.returncode == 0 else None
