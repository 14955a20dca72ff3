"""Everything that the embedded Hub keeps, in one directory that only one server has open.

hub.json                              says that this is a store
repositories/models/NAMESPACE/NAME.git   bare git repositories; the Hub's own records inside them
large/                                large files by SHA-256
xet/                                  what Xet clients sent
moved.json                            old names of repositories
"""

import fcntl
import json
import os
import shutil
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from release.errors import Unavailable, UsageError
from release.rehearsal.answers import conflict
from release.rehearsal.attributes import initial_attributes, tracked_paths, upload_mode
from release.rehearsal.commits import Change, PutFile, PutLargeFile
from release.rehearsal.landing import signed_by
from release.rehearsal.large_files import LargeFiles
from release.rehearsal.ledger import PushedFile
from release.rehearsal.repositories import Record, Repository, checked_repo_id
from release.rehearsal.values import DEFAULT_BRANCH, KINDS, Kind, Visibility, new_id, now, write_json
from release.rehearsal.xet import XetStore

_FORMAT = {"format": "release.rehearsal", "version": 1}

Content = bytes | Path


class Store:
    """The store in `directory`, which is made if it is missing or empty.

    Raises UsageError if the directory holds something else, Unavailable if another server has it open or there is no
    git.
    """

    def __init__(self, directory: Path) -> None:
        if shutil.which("git") is None:
            raise Unavailable("git is not installed", hint="install git 2.28 or later")
        self.directory = directory.resolve()
        self._make()
        self._lock_file = (self.directory / "lock").open("w")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock_file.close()
            raise Unavailable(
                f"another embedded Hub serves {self.directory}", hint="stop it, or serve another directory"
            ) from error
        self.large = LargeFiles(self.directory / "large")
        self.xet = XetStore(self.directory / "xet")
        self._lock = threading.RLock()
        self._repositories: dict[tuple[Kind, str], Repository] = {}
        self._moved: dict[str, str] = {}
        self._load()

    def close(self) -> None:
        """Let another server open the directory."""
        self._lock_file.close()

    # -- repositories --------------------------------------------------------------------------------------

    def find(self, kind: Kind, repo_id: str) -> Repository | None:
        """A repository by its id, in whatever case."""
        return self._repositories.get((kind, repo_id.lower()))

    def new_name(self, kind: Kind, repo_id: str) -> str | None:
        """The id that a moved repository has now."""
        return self._moved.get(f"{kind} {repo_id.lower()}")

    def all(self, kind: Kind) -> list[Repository]:
        """All repositories of a kind, the youngest first."""
        found = [repository for (each, _), repository in self._repositories.items() if each == kind]
        return sorted(found, key=lambda repository: repository.record.created_at, reverse=True)

    def create(
        self,
        kind: Kind,
        repo_id: str,
        creator: str,
        *,
        visibility: Visibility = "public",
        sdk: str | None = None,
    ) -> Repository:
        """A new repository with the Hub's initial commit. Raises HubError: 400 for an impossible id, 409 if taken."""
        namespace, _, name = repo_id.partition("/")
        checked_repo_id(namespace, name)
        record = Record(kind, namespace, name, creator, visibility=visibility, sdk=sdk)
        with self._lock:
            self._refuse_taken(kind, repo_id)
            repository = Repository(self._folder(kind, repo_id), record)
            repository.git.init()
            repository.save()
            first = _first_files(record)
            landing = repository.landing(lambda _: None)
            landing.land(DEFAULT_BRANCH, lambda: first, "initial commit", signed_by(creator))
            self._repositories[kind, repo_id.lower()] = repository
            self._forget_move(kind, repo_id)
        return repository

    def delete(self, repository: Repository) -> None:
        """Remove a repository for good."""
        with self._lock:
            del self._repositories[repository.kind, repository.repo_id.lower()]
            # Renamed first: a folder that could not be removed in one go is not half a repository.
            gone = repository.folder.with_name(f".deleted-{new_id()}")
            os.replace(repository.folder, gone)
        shutil.rmtree(gone, ignore_errors=True)

    def move(self, repository: Repository, repo_id: str) -> None:
        """Rename a repository; its old id leads to the new one. Raises HubError 409 if the new id is taken."""
        namespace, _, name = repo_id.partition("/")
        with self._lock:
            kind, old = repository.kind, repository.repo_id
            if self.find(kind, repo_id) is not repository:  # a change of case alone is no conflict
                self._refuse_taken(kind, repo_id, called=True)
            folder = self._folder(kind, repo_id)
            folder.parent.mkdir(parents=True, exist_ok=True)
            os.replace(repository.folder, folder)
            del self._repositories[kind, old.lower()]
            moved = Repository.load(folder)
            moved.update(namespace=namespace, name=name)
            self._repositories[kind, repo_id.lower()] = moved
            self._forget_move(kind, repo_id)
            self._moved = {key: repo_id if to == old else to for key, to in self._moved.items()}
            self._moved[f"{kind} {old.lower()}"] = repo_id
            write_json(self.directory / "moved.json", self._moved)

    def duplicate(self, repository: Repository, repo_id: str, creator: str, visibility: Visibility) -> Repository:
        """A copy with all its history and large files. Raises HubError 409 if the id is taken."""
        namespace, _, name = repo_id.partition("/")
        with self._lock:
            self._refuse_taken(repository.kind, repo_id)
            folder = self._folder(repository.kind, repo_id)
            shutil.copytree(repository.folder, folder)
            (folder / "discussions.json").unlink(missing_ok=True)
            fresh = replace(
                repository.record,
                namespace=namespace,
                name=name,
                creator=creator,
                visibility=visibility,
                id=new_id(),
                created_at=now(),
                likes=(),
                access_requests=(),
            )
            copy = Repository(folder, fresh)
            copy.save()
            for ref, _ in copy.git.refs("refs/pr/"):
                copy.git.delete_ref(ref)
            self._repositories[copy.kind, repo_id.lower()] = copy
            self._forget_move(copy.kind, repo_id)
        return copy

    # -- content -------------------------------------------------------------------------------------------

    def large_file_size(self, repository: Repository, oid: str) -> int | None:
        """Size in bytes of a large file that was uploaded to the repository; None if it was not."""
        if not repository.ledger.owns(oid):
            return None
        if self.large.has(oid):
            return self.large.size(oid)
        file = self.xet.by_sha256(oid)
        return file.size if file is not None else None

    def seed(
        self,
        repo_id: str,
        files: Mapping[str, Content],
        alias: str | None = None,
        *,
        kind: Kind = "model",
        message: str = "Seed",
        visibility: Visibility = "public",
    ) -> str:
        """Commit files (path in the repository → bytes or a file of this machine) to `main`; the commit's id.

        A missing repository is made. `alias`, 40 hex digits, is from then on the id under which the commit is
        known: git ids cannot be chosen, and a pinned upstream revision has one already.
        """
        repository = self.find(kind, repo_id)
        if repository is None:
            creator = repo_id.partition("/")[0]
            repository = self.create(kind, repo_id, creator, visibility=visibility)
        return self.commit(repository, files, message, alias=alias)

    def commit(
        self,
        repository: Repository,
        files: Mapping[str, Content],
        message: str,
        *,
        ref: str = DEFAULT_BRANCH,
        author: str = "rehearsal",
        alias: str | None = None,
    ) -> str:
        """Commit files as somebody else than the client would: the commit's id, or its alias."""
        head = repository.commit(ref)
        tracked = tracked_paths(repository.git, head, list(files))
        changes = [self._change(repository, path, files[path], path in tracked) for path in sorted(files)]
        landing = repository.landing(lambda oid: self.large_file_size(repository, oid))
        commit = landing.land(ref, lambda: changes, message, signed_by(author))
        if alias is not None:
            repository.update(aliases={**repository.record.aliases, alias: commit})
        return repository.shown(commit)

    def _change(self, repository: Repository, path: str, content: Content, tracked: bool) -> Change:
        if isinstance(content, Path):
            size = content.stat().st_size
            with content.open("rb") as file:
                sample = file.read(512)
        else:
            size, sample = len(content), content[:512]
        if upload_mode(size, sample, tracked=tracked) == "regular":
            return PutFile(path, content.read_bytes() if isinstance(content, Path) else content)
        oid = self.large.adopt(content) if isinstance(content, Path) else self.large.keep(content)
        repository.ledger.upload([oid])
        repository.ledger.push([PushedFile(oid, size, path, DEFAULT_BRANCH, now())])
        return PutLargeFile(path, oid, size)

    # -- the directory -------------------------------------------------------------------------------------

    def _make(self) -> None:
        marker = self.directory / "hub.json"
        if marker.exists():
            if json.loads(marker.read_text(encoding="utf-8")) != _FORMAT:
                raise UsageError(f"{self.directory} is a store of another version", hint="serve an empty directory")
            return
        if self.directory.exists() and (not self.directory.is_dir() or any(self.directory.iterdir())):
            raise UsageError(
                f"{self.directory} is not empty and not a store of the embedded Hub", hint="serve an empty directory"
            )
        self.directory.mkdir(parents=True, exist_ok=True)
        write_json(marker, _FORMAT)

    def _load(self) -> None:
        for kind in KINDS:
            for file in (self.directory / "repositories" / f"{kind}s").glob("*/*.git/record.json"):
                repository = Repository.load(file.parent)
                self._repositories[kind, repository.repo_id.lower()] = repository
        moved = self.directory / "moved.json"
        if moved.exists():
            self._moved = json.loads(moved.read_text(encoding="utf-8"))

    def _folder(self, kind: Kind, repo_id: str) -> Path:
        return self.directory / "repositories" / f"{kind}s" / f"{repo_id}.git"

    def _refuse_taken(self, kind: Kind, repo_id: str, *, called: bool = False) -> None:
        if self.find(kind, repo_id) is None:
            return
        if called:
            raise conflict(f'A {kind} repository called "{repo_id}" already exists')
        raise conflict(f"You already created this {kind} repo: {repo_id}")

    def _forget_move(self, kind: Kind, repo_id: str) -> None:
        if self._moved.pop(f"{kind} {repo_id.lower()}", None) is not None:
            write_json(self.directory / "moved.json", self._moved)


def _first_files(record: Record) -> list[PutFile]:
    """What the Hub's initial commit holds."""
    files = [PutFile(".gitattributes", initial_attributes(record.kind))]
    if record.kind == "space":
        files.append(PutFile("README.md", f"---\ntitle: {record.name}\nsdk: {record.sdk}\n---\n".encode()))
    return files
