"""What the Hub answers when it will not do something, and the few shapes that its answers share.

The client reads the kind of a refusal from `X-Error-Code` and its text from `X-Error-Message` (HUB.md §1.1), so
every refusal is an exception that carries both. The texts are the ones that the client, its tests and its users
know the Hub by.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

REPO_NOT_FOUND = "RepoNotFound"
REVISION_NOT_FOUND = "RevisionNotFound"
ENTRY_NOT_FOUND = "EntryNotFound"
GATED_REPO = "GatedRepo"

Item = TypeVar("Item")


class HubError(Exception):
    """A refusal: HTTP status, text, and the code by which the client tells the kinds apart.

    `facts` are further keys of the body, such as the `url` of a repository that already exists.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        facts: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.facts = dict(facts or {})
        self.headers = dict(headers or {})


class Moved(Exception):
    """The repository has another name now; `location` is the same request at that name."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


def bad_request(message: str, **facts: Any) -> HubError:
    """400; `facts` are further keys of the body."""
    return HubError(400, message, facts=facts)


def not_signed_in(*, on_repository: bool = False) -> HubError:
    """401. On a repository's address the client takes it for "not found", as the Hub means it."""
    return HubError(401, "Invalid username or password.", code=REPO_NOT_FOUND if on_repository else None)


def bad_token() -> HubError:
    """401 for a token that nobody has. It must not look like a missing repository."""
    return HubError(401, "Invalid credentials in Authorization header")


def repo_not_found() -> HubError:
    """404 for a repository that is not there, or that the sender must not know of."""
    return HubError(404, "Repository not found", code=REPO_NOT_FOUND)


def revision_not_found(revision: str) -> HubError:
    """404 for a branch, tag or commit that is not there."""
    return HubError(404, f"Invalid rev id: {revision}", code=REVISION_NOT_FOUND)


def entry_not_found(message: str = "Entry not found", *, commit: str | None = None) -> HubError:
    """404 for a path. With the commit it was looked for in, the client remembers that the file is not there."""
    return HubError(
        404, message, code=ENTRY_NOT_FOUND, headers={"X-Repo-Commit": commit} if commit is not None else None
    )


def forbidden(message: str) -> HubError:
    """403 for what the sender has no right to."""
    return HubError(403, message)


def conflict(message: str, **facts: Any) -> HubError:
    """409 for what is there already; `facts` are further keys of the body."""
    return HubError(409, message, facts=facts)


def stale_parent() -> HubError:
    """412: the branch moved on from the parent that the client named."""
    return HubError(412, "The branch was updated since you opened this page. Please refresh and try again.")


def gated(kind: str, repo_id: str, *, signed_in: bool) -> HubError:
    """401 or 403 for the files of a gated repository; `kind` is model, dataset or space."""
    if not signed_in:
        return HubError(
            401,
            f"Access to {kind} {repo_id} is restricted. You must have access to it and be authenticated to access it."
            " Please log in.",
            code=GATED_REPO,
        )
    return HubError(
        403,
        f"Access to {kind} {repo_id} is restricted and you are not in the authorized list."
        f" Visit https://huggingface.co/{repo_id} to ask for access.",
        code=GATED_REPO,
    )


def refusal(error: HubError) -> Response:
    """The answer for a refusal: JSON body, and the same text in the headers for a HEAD request."""
    headers = dict(error.headers)
    if error.code is not None:
        headers["X-Error-Code"] = error.code
    headers["X-Error-Message"] = _printable(error.message)
    return JSONResponse({"error": error.message, **error.facts}, status_code=error.status, headers=headers)


def _printable(text: str) -> str:
    """What fits into a header: a name in the text may hold line ends or any letter there is."""
    return "".join(letter if " " <= letter <= "~" else "?" for letter in text.replace("\n", " ")).strip()


@dataclass(frozen=True)
class Window(Generic[Item]):
    """The items of one page, and the headers that lead to the next."""

    items: Sequence[Item]
    headers: Mapping[str, str]


def window(items: Sequence[Item], *, url: str, query: Mapping[str, str], size: int) -> Window[Item]:
    """`size` items from `query["cursor"]` on, and a `Link` to the next page if there is one.

    `url` is the absolute address of the list without its query. Raises HubError 400 for a cursor that is not ours.
    """
    start = _position(query.get("cursor"))
    headers = {}
    if start + size < len(items):
        following = {**query, "cursor": _cursor(start + size)}
        headers["Link"] = f'<{url}?{urlencode(following)}>; rel="next"'
    return Window(items[start : start + size], headers)


def page(items: Sequence[Any], *, url: str, query: Mapping[str, str], size: int) -> JSONResponse:
    """One page of items that are JSON already; see `window`."""
    shown = window(items, url=url, query=query, size=size)
    return JSONResponse(shown.items, headers=shown.headers)


def page_size(query: Mapping[str, str], *, most: int) -> int:
    """The `limit` of the query, kept between 1 and `most`. Raises HubError 400 if it is not a number."""
    text = query.get("limit")
    if text is None:
        return most
    if not text.isdecimal() or int(text) == 0:
        raise bad_request(f'Invalid "limit": {text}')
    return min(int(text), most)


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"from:{position}".encode()).decode()


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        label, _, number = base64.urlsafe_b64decode(cursor.encode()).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise bad_request("Invalid cursor") from error
    if label != "from" or not number.isdecimal():
        raise bad_request("Invalid cursor")
    return int(number)
