"""A request as a handler sees it: who sends it, which repository it is about, and its body.

Handlers are plain functions that run in a worker thread; this is where a request is read, and where it is decided
whether its sender may see or change the repository that it names.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, cast
from urllib.parse import parse_qs, quote

from starlette.requests import Request

from release.rehearsal.accounts import NOBODY, Accounts, Visitor
from release.rehearsal.answers import (
    Moved,
    bad_request,
    bad_token,
    forbidden,
    gated,
    not_signed_in,
    repo_not_found,
)
from release.rehearsal.faults import Faults
from release.rehearsal.journal import Journal
from release.rehearsal.links import Links
from release.rehearsal.repositories import Repository
from release.rehearsal.store import Store
from release.rehearsal.values import KINDS, Kind


@dataclass(frozen=True)
class Hub:
    """What every handler works with. `links` lead to the storage, which has an origin of its own, as on the Hub.

    Uploads of more than `multipart_above` bytes go in parts of `part_size` bytes.
    """

    store: Store
    accounts: Accounts
    links: Links
    faults: Faults
    journal: Journal
    multipart_above: int
    part_size: int


@dataclass(frozen=True)
class Call:
    """One request. `values` are the parts of the address, unquoted; `body` is on disk when it is long."""

    hub: Hub
    request: Request
    visitor: Visitor
    values: Mapping[str, Any]
    body: IO[bytes]

    @property
    def store(self) -> Store:
        """What the Hub keeps."""
        return self.hub.store

    @property
    def query(self) -> Mapping[str, str]:
        """The query, each key with its last value."""
        return self.request.query_params

    @property
    def base_url(self) -> str:
        """The origin that the client used, such as http://127.0.0.1:8000."""
        return str(self.request.base_url).rstrip("/")

    @property
    def url(self) -> str:
        """The address of this request without its query."""
        return f"{self.base_url}{_raw_path(self.request)}"

    def json(self) -> dict[str, Any]:
        """The body as a JSON object; an empty body is an empty object. Raises HubError 400."""
        self.body.seek(0)
        text = self.body.read()
        try:
            content = json.loads(text) if text.strip() else {}
        except ValueError as error:
            raise bad_request("The body must be JSON") from error
        if content is None:
            return {}
        if not isinstance(content, dict):
            raise bad_request("The body must be a JSON object")
        return content

    def form(self) -> dict[str, list[str]]:
        """The body as a form, or a JSON object read as one."""
        if "json" in self.request.headers.get("content-type", ""):
            return {
                key: [str(each) for each in value] if isinstance(value, list) else [str(value)]
                for key, value in self.json().items()
            }
        self.body.seek(0)
        return parse_qs(self.body.read().decode("utf-8", "replace"), keep_blank_values=True)

    # -- who and what --------------------------------------------------------------------------------------

    def signed_in(self) -> str:
        """The name of the sender. Raises HubError 401 without a token."""
        if self.visitor.name is None:
            raise not_signed_in(on_repository="namespace" in self.values)
        return self.visitor.name

    @property
    def kind(self) -> Kind:
        """The kind of repository that the address is about."""
        return cast(Kind, self.values.get("kind", "model"))

    def repository(self, *, writing: bool = False) -> Repository:
        """The repository of the path, if the sender may see it, or change it with `writing`.

        Raises Moved if it has another name now, and HubError: 404, or 401 without a token, as if a private
        repository did not exist; 403 if it may be seen but not changed.
        """
        repo_id = f"{self.values['namespace']}/{self.values['name']}"
        return self.reachable(self.kind, repo_id, writing=writing)

    def reachable(self, kind: Kind, repo_id: str, *, writing: bool = False) -> Repository:
        """`repository`, for one that the body names."""
        repository = self.store.find(kind, repo_id)
        if repository is None:
            self._follow(kind, repo_id)
        if repository is None or not self.may_see(repository):
            raise repo_not_found() if self.visitor.user is not None else not_signed_in(on_repository=True)
        if writing:
            self._require_write(repository)
        return repository

    def may_see(self, repository: Repository) -> bool:
        """Whether the sender may know of a repository."""
        is_public = repository.record.visibility == "public"
        return is_public or self.hub.accounts.may_read(self.visitor, repository.record.namespace)

    def may_write(self, repository: Repository) -> bool:
        """Whether the sender may change, move and delete a repository."""
        return self.hub.accounts.may_write(self.visitor, repository.record.namespace, repository.record.creator)

    def require_commit(self, repository: Repository, revision: str) -> None:
        """Raises HubError 401 or 403 unless the sender may commit to a branch.

        Who opened a pull request may add to it; everything else is for the repository's writers.
        """
        user = self.signed_in()
        pull_request = repository.discussions.of_ref(revision)
        is_own = pull_request is not None and pull_request.author == user and self.visitor.may_write
        if not is_own and not self.may_write(repository):
            raise forbidden("Forbidden: pass `create_pr=1` as a query parameter to open a pull request")

    def require_access(self, repository: Repository) -> None:
        """Raises HubError GatedRepo if the files are for accepted users and the sender is not one."""
        record = repository.record
        if record.gated is False or self.hub.accounts.may_read(self.visitor, record.namespace):
            return
        accepted = {each.user for each in record.access_requests if each.status == "accepted"}
        if self.visitor.name not in accepted:
            raise gated(record.kind, record.repo_id, signed_in=self.visitor.user is not None)

    def web_path(self, repository: Repository) -> str:
        """The path of the repository's page: models have no prefix."""
        prefix = "" if repository.kind == "model" else f"{repository.kind}s/"
        return f"/{prefix}{repository.repo_id}"

    def _require_write(self, repository: Repository) -> None:
        if self.visitor.user is None:
            raise not_signed_in(on_repository=True)
        if not self.may_write(repository):
            raise forbidden(f"You don't have write access to {repository.kind} {repository.repo_id}")

    def _follow(self, kind: Kind, repo_id: str) -> None:
        new = self.store.new_name(kind, repo_id)
        moved = self.store.find(kind, new) if new is not None else None
        raw = _raw_path(self.request)
        if new is None or moved is None or not self.may_see(moved) or "namespace" not in self.values:
            return
        old = f"/{self.request.path_params['namespace']}/{self.request.path_params['name']}"
        location = raw.replace(old, f"/{quote(new)}", 1)
        raise Moved(f"{location}?{self.request.url.query}" if self.request.url.query else location)


def visitor_of(hub: Hub, request: Request) -> Visitor:
    """Whose token the request carries, as a bearer token or as git-lfs's password. Raises HubError 401."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if not credentials:
        return NOBODY
    token = credentials.strip()
    if scheme.lower() == "basic":
        try:
            token = base64.b64decode(token).decode().rpartition(":")[2]
        except (binascii.Error, UnicodeDecodeError) as error:
            raise bad_token() from error
    visitor = hub.accounts.visitor(token)
    if visitor is None:
        raise bad_token()
    return visitor


def kind_of(text: object) -> Kind:
    """The kind of repository that a body names; models may go without. Raises HubError 400."""
    if text is None:
        return "model"
    for kind in KINDS:
        if kind == text:
            return kind
    raise bad_request(f"Invalid repo type: {text}")


def _raw_path(request: Request) -> str:
    return str(request.scope["path"])
