"""One Hub repository, through huggingface_hub. Its errors are translated here, once.

What the Hub answers is data: paths are compared, never opened or written; the token goes to the Hub alone.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from release.errors import Conflict, Refused, ReleaseError, Unavailable, Unfinished
from release.values import (
    Entry,
    HubCommit,
    HubFile,
    HubHead,
    HubRefs,
    Oid,
    RepoId,
    RepoType,
    Sha256,
    TagName,
    Visibility,
)
from release.values.plan import Storage

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.hf_api import RepoFile

BRANCH = "main"
_SECONDS = 60
_CHUNK = 1 << 20
# The Hub takes at most this many files in one such question (HUB.md §1.2).
_PREUPLOAD = 256


class Hub:
    """Implements `ports.ReadsHub` and `ports.WritesHub` for one repository at one endpoint."""

    def __init__(self, endpoint: str, repo: RepoId, repo_type: RepoType, token: str | None) -> None:
        self._endpoint = endpoint.rstrip("/")
        self._repo = repo
        self._type = repo_type.value
        self._token = token

    @property
    def endpoint(self) -> str:
        return self._endpoint

    def head(self) -> HubHead | None:
        from huggingface_hub.errors import RepositoryNotFoundError

        with self._asking("the repository"):
            try:
                info = self._api.repo_info(self._repo, repo_type=self._type, revision=BRANCH, timeout=_SECONDS)
            except RepositoryNotFoundError:
                return None
            commit = Oid(str(info.sha))
        return HubHead(commit, self.files(commit), bool(info.private))

    def files(self, commit: Oid) -> tuple[HubFile, ...]:
        from huggingface_hub.hf_api import RepoFile

        with self._asking("the files of a commit"):
            listing = self._api.list_repo_tree(self._repo, recursive=True, revision=commit, repo_type=self._type)
            found = [_file(item) for item in listing if isinstance(item, RepoFile)]
        return tuple(sorted(found, key=lambda file: file.path))

    def commits(self) -> Iterator[HubCommit]:
        from huggingface_hub.utils import paginate, parse_datetime

        with self._asking("the commits"):
            for item in paginate(f"{self._api_url}/commits/{BRANCH}", {}, self._headers(), timeout=_SECONDS):
                date = parse_datetime(item["date"]).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                yield HubCommit(Oid(item["id"]), str(item["title"]), str(item["message"]), date)

    def refs(self) -> HubRefs:
        with self._asking("the branches and tags"):
            refs = self._api.list_repo_refs(self._repo, repo_type=self._type)
            return HubRefs(
                {ref.name: Oid(ref.target_commit) for ref in refs.branches},
                {ref.name: Oid(ref.target_commit) for ref in refs.tags},
            )

    def storage(
        self, files: Sequence[tuple[Entry, bytes]], gitignore: str | None
    ) -> Mapping[str, tuple[Storage, bool]] | None:
        from huggingface_hub.utils import hf_raise_for_status, http_backoff

        if self._token is None:
            return None
        found: dict[str, tuple[Storage, bool]] = {}
        with self._asking("how it would store the files"):
            for start in range(0, len(files), _PREUPLOAD):
                asked = [
                    {"path": entry.path, "size": entry.size, "sample": base64.b64encode(sample[:512]).decode()}
                    for entry, sample in files[start : start + _PREUPLOAD]
                ]
                body = {"files": asked} | ({"gitIgnore": gitignore} if gitignore is not None else {})
                url = f"{self._api_url}/preupload/{BRANCH}"
                answer = http_backoff("POST", url, json=body, headers=self._headers(), timeout=_SECONDS, max_retries=2)
                hf_raise_for_status(answer)
                for file in answer.json()["files"]:
                    found[file["path"]] = (Storage(file["uploadMode"]), bool(file["shouldIgnore"]))
        return found

    def read(self, commit: Oid, path: str, *, anonymous: bool) -> Iterator[bytes]:
        from huggingface_hub.utils import hf_raise_for_status, http_stream_backoff

        prefix = "" if self._type == "model" else f"{self._type}s/"
        url = f"{self._endpoint}/{prefix}{self._repo}/resolve/{commit}/{quote(path)}"
        headers = self._headers(anonymous=anonymous) | {"Accept-Encoding": "identity"}
        with (
            self._asking(f"the bytes of {path}"),
            http_stream_backoff(
                "GET", url, headers=headers, max_retries=2, timeout=_SECONDS, follow_redirects=True
            ) as r,
        ):
            hf_raise_for_status(r)
            yield from r.iter_bytes(_CHUNK)

    def create_repository(self, visibility: Visibility) -> None:
        sdk = "static" if self._type == "space" else None
        private = visibility is Visibility.PRIVATE
        with self._asking("to make the repository"):
            self._api.create_repo(self._repo, repo_type=self._type, private=private, space_sdk=sdk)

    def create_tag(self, tag: TagName, commit: Oid) -> None:
        try:
            with self._asking("to make the tag"):
                self._api.create_tag(self._repo, tag=tag, revision=commit, repo_type=self._type, exist_ok=True)
        except Unavailable as error:
            raise Unfinished(str(error), hint="run the same command again: it makes the tag that is missing") from error

    @cached_property
    def _api(self) -> "HfApi":
        from huggingface_hub import HfApi, set_client_factory
        from huggingface_hub.utils import httpx

        # The library waits for ever by default; a release must come to an end.
        set_client_factory(lambda: httpx.Client(follow_redirects=True, timeout=_SECONDS))
        return HfApi(endpoint=self._endpoint, token=self._token or False, library_name="hf-release")

    @property
    def _api_url(self) -> str:
        return f"{self._endpoint}/api/{self._type}s/{self._repo}"

    def _headers(self, *, anonymous: bool = False) -> dict[str, str]:
        from huggingface_hub.utils import build_hf_headers

        token = False if anonymous or self._token is None else self._token
        return build_hf_headers(token=token, library_name="hf-release")

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        """Translate what goes wrong while the Hub is asked for `what`."""
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled
        from huggingface_hub.utils import httpx

        _ = self._api
        asked = f"asked for {what} of {self._repo}, {self._endpoint}"
        try:
            yield
        except HfHubHTTPError as error:
            raise self._refusal(asked, error) from error
        except (httpx.HTTPError, OfflineModeIsEnabled) as error:
            hint = "check the connection (and HF_ENDPOINT, HF_HUB_OFFLINE), then run the same command again"
            raise Unavailable(f"{asked} did not answer: {_line(error)}", hint=hint) from error
        except (KeyError, TypeError, ValueError) as error:
            hint = "if it is a mirror, set HF_ENDPOINT to the Hub itself"
            raise Unavailable(f"{asked} gave an answer that is not the Hub's: {error!r}", hint=hint) from error

    def _refusal(self, asked: str, error: "HfHubHTTPError") -> ReleaseError:
        status = error.response.status_code
        said = error.server_message or _line(error)
        if status == 429:
            wait = error.response.headers.get("Retry-After")
            hint = f"wait {wait} seconds" if wait else "wait a few minutes"
            return Unavailable(f"{asked} said: too many requests", hint=f"{hint}, then run the same command again")
        if status >= 500 or status in (408, 412):
            return Unavailable(f"{asked} answered {status}: {said}", hint="wait, then run the same command again")
        if status == 409:
            return Conflict(f"{asked} answered: it exists already ({said})", hint="look at the Hub, then plan again")
        if status == 404:
            return Refused(f"{asked} answered: not found ({said})", hint="check `repo` in the config, and your token")
        hint = "log in with a token that may write there: hf auth login, or HF_TOKEN" if status in (401, 403) else ""
        return Refused(f"{asked} said no ({status}): {said}", hint=hint or "see what it said; nothing was written")


def _file(item: "RepoFile") -> HubFile:
    sha256 = Sha256(item.lfs.sha256) if item.lfs is not None else None
    return HubFile(path=item.path, size=int(item.size), blob=Oid(item.blob_id), sha256=sha256)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
