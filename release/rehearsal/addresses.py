"""Which address and method a function answers.

A revision such as `refs/pr/1` is one segment of a path and arrives as `refs%2Fpr%2F1`, so routes are matched on the
path as it was sent (see application), and each value is unquoted after that.
"""

import tempfile
from collections.abc import Awaitable, Callable, Mapping
from typing import IO, Any, cast
from urllib.parse import unquote

from anyio import CapacityLimiter, to_thread
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from release.rehearsal.accounts import NOBODY, Visitor
from release.rehearsal.calls import Call, Hub, visitor_of
from release.rehearsal.values import KINDS

# A repository in the API. On the web a model has no prefix; see `web`.
REPO = "/api/{kind:kinds}/{namespace}/{name}"

_IN_MEMORY = 8 * 1024 * 1024  # bytes: longer bodies wait on disk


class _Kinds(Convertor[str]):
    """`models` in a path is the kind `model`."""

    regex = "|".join(f"{kind}s" for kind in KINDS)

    def convert(self, value: str) -> str:
        return value.removesuffix("s")

    def to_string(self, value: str) -> str:
        return f"{value}s"


register_url_convertor("kinds", _Kinds())


Handler = Callable[[Call], Response]
StreamHandler = Callable[[Hub, Request], Awaitable[Response]]


def on(methods: str, path: str, handler: Handler) -> Route:
    """A route: methods separated by spaces, a Starlette path, and the function that answers."""
    return _route(methods, path, handler, visitor_of)


def on_storage(methods: str, path: str, handler: Handler, *, at_once: int | None = None) -> Route:
    """A route of the storage, which a signed address or a token of its own opens, and not the token of a user.

    `at_once` limits how many requests are worked on at a time: for a handler that waits for this very server.
    """
    limiter = CapacityLimiter(at_once) if at_once is not None else None
    return _route(methods, path, handler, lambda _hub, _request: NOBODY, limiter)


def _route(
    methods: str,
    path: str,
    handler: Handler,
    visitor: Callable[[Hub, Request], Visitor],
    limiter: CapacityLimiter | None = None,
) -> Route:
    async def endpoint(request: Request) -> Response:
        hub: Hub = request.app.state.hub
        # The type of IO that spools says less than it can do.
        with cast(IO[bytes], tempfile.SpooledTemporaryFile(_IN_MEMORY)) as body:
            async for block in request.stream():
                body.write(block)
            call = Call(hub, request, visitor(hub, request), _unquoted(request.path_params), body)
            return await to_thread.run_sync(handler, call, limiter=limiter)

    return Route(path, endpoint, methods=methods.split())


def on_stream(methods: str, path: str, handler: StreamHandler) -> Route:
    """A route whose handler reads the body as it arrives."""

    async def endpoint(request: Request) -> Response:
        return await handler(request.app.state.hub, request)

    return Route(path, endpoint, methods=methods.split())


def web(methods: str, path: str, handler: Handler) -> list[Route]:
    """Routes for an address on the web: `path` follows the repository's page."""
    return [
        on(methods, f"/{{kind:kinds}}/{{namespace}}/{{name}}{path}", handler),
        on(methods, f"/{{namespace}}/{{name}}{path}", handler),
    ]


def _unquoted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: unquote(value) if isinstance(value, str) else value for key, value in values.items()}
