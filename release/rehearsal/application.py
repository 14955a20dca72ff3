"""Routes and refusals, put together as one ASGI application."""

import uuid

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from release.rehearsal.answers import HubError, Moved, not_signed_in, refusal, repo_not_found
from release.rehearsal.calls import Hub, visitor_of
from release.rehearsal.journal import Journal
from release.rehearsal.routes import all_routes
from release.rehearsal.sabotage import CONTROL, Drop, Sabotage
from release.rehearsal.values import KINDS


def application(hub: Hub, drop: Drop) -> ASGIApp:
    """The Hub as an ASGI application. `drop` is how a fault closes a connection; see Sabotage."""
    app = Starlette(
        routes=all_routes(),
        exception_handlers={
            HubError: _refused,
            Moved: _moved,
            404: _unknown,
            405: _unknown,
        },
    )
    app.state.hub = hub
    return Door(Sabotage(app, hub.faults, hub.store, drop), hub.journal)


class Door:
    """Has routes see the path as it was sent, notes every request, and gives every answer a request id."""

    def __init__(self, app: ASGIApp, journal: Journal) -> None:
        self._app = app
        self._journal = journal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        raw = scope.get("raw_path") or scope["path"].encode()
        path = raw.decode("latin-1")
        request_id = _request_id(scope)
        number = self._journal.note(scope["method"], path) if not path.startswith(CONTROL) else 0

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._journal.answer(number, message["status"])
                message["headers"] = [*message["headers"], (b"x-request-id", request_id)]
            await send(message)

        await self._app({**scope, "path": path}, receive, send_with_id)


def _request_id(scope: Scope) -> bytes:
    """The id that the client gave the request, so that both sides can talk about it."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    return headers.get(b"x-request-id") or headers.get(b"x-amzn-trace-id") or uuid.uuid4().hex.encode()


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HubError)
    return refusal(error)


def _moved(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Moved)
    return RedirectResponse(error.location, status_code=307)


def _unknown(request: Request, _error: Exception) -> Response:
    """No such address. Below a repository's, the Hub says that the repository does not exist."""
    path = request.scope["path"]
    if path.startswith(tuple(f"/api/{kind}s/" for kind in KINDS)) or "/resolve/" in path:
        try:
            signed_in = visitor_of(request.app.state.hub, request).user is not None
        except HubError as error:
            return refusal(error)
        return refusal(repo_not_found() if signed_in else not_signed_in(on_repository=True))
    return PlainTextResponse("Not Found", status_code=404)
