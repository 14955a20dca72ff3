"""A passive proxy: requests go on byte for byte, answers stream through, and what a template makes of them is written
beside (L-013). Nothing that goes wrong with the diagnosis reaches the client.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from huggingface_hub.utils import httpx
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

# They belong to one connection, not to the message (RFC 9110 §7.6.1); the length and the host are set anew.
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "host", "content-length"}
)
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
# Diagnoses that wait; one more is dropped rather than let a busy client eat the memory.
_WAITING = 64


def serve_proxy(upstream: str, port: int, diagnose: Callable[[bytes], None], announce: Callable[[str], None]) -> None:
    """Serve until interrupted. `diagnose` is given the body of every POST, one at a time, off the request's path.

    `announce` hears the URL once it answers.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        application = _application(upstream.rstrip("/"), diagnose)
        server = uvicorn.Server(
            uvicorn.Config(application, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
        )
        application.state.announce = lambda: announce(f"http://127.0.0.1:{listening.getsockname()[1]}")
        server.run(sockets=[listening])


def _application(upstream: str, diagnose: Callable[[bytes], None]) -> Starlette:
    waiting: asyncio.Queue[bytes] = asyncio.Queue(_WAITING)

    async def work() -> None:
        while True:
            body = await waiting.get()
            await asyncio.to_thread(diagnose, body)

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        worker = asyncio.create_task(work())
        async with httpx.AsyncClient(timeout=None, follow_redirects=False) as client:
            application.state.client = client
            application.state.announce()
            yield
        worker.cancel()

    async def forward(request: Request) -> Response:
        body = await request.body()
        if request.method == "POST" and not waiting.full():
            waiting.put_nowait(body)
        query = f"?{request.url.query}" if request.url.query else ""
        raw_path = request.scope.get("raw_path", request.url.path.encode()).decode("ascii")
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _HOP]
        client: httpx.AsyncClient = request.app.state.client
        try:
            sent = client.build_request(request.method, f"{upstream}{raw_path}{query}", headers=headers, content=body)
            answer = await client.send(sent, stream=True)
        except httpx.HTTPError as error:
            return PlainTextResponse(f"the upstream did not answer: {error}\n", status_code=502)
        kept = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP}
        # Raw, so that a compressed answer stays as it came and a stream arrives piece by piece.
        return StreamingResponse(
            answer.aiter_raw(), answer.status_code, headers=kept, background=BackgroundTask(answer.aclose)
        )

    return Starlette(routes=[Route("/{path:path}", forward, methods=_METHODS)], lifespan=lifespan)
