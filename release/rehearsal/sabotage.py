"""Carries out faults: stands before the application and spoils requests and answers on their way."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from release.rehearsal.faults import Fault, Faults
from release.rehearsal.spoiling import SPOILED_LISTS, spoiled
from release.rehearsal.store import Store
from release.rehearsal.values import KINDS, new_id

# Who switches faults on and off is never hindered.
CONTROL = "/api/rehearsal/"

_REPO_PATH = re.compile(rf"/api/({'|'.join(KINDS)})s/([^/]+/[^/]+)/")

Drop = Callable[[tuple[str, int]], None]


class Sabotage:
    """`drop(client)` closes the connection of a client, given by its address, without a word."""

    def __init__(self, app: ASGIApp, faults: Faults, store: Store, drop: Drop) -> None:
        self._app = app
        self._faults = faults
        self._store = store
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _path(scope)
        if scope["type"] != "http" or path.startswith(CONTROL) or not self._faults.active():
            await self._app(scope, receive, send)
            return
        method = scope["method"]
        delay = self._faults.take(method, path, ("delay",))
        if delay is not None:
            await asyncio.sleep(delay.seconds)
        before = self._faults.take(method, path, ("status", "drop"))
        if before is not None:
            await self._refuse(before, scope, receive, send)
            return
        await self._move("move_before", method, path)
        after = self._faults.take(method, path, ("status_after", "drop_after"))
        answer = _swallow if after is not None else _Spoiler(self._faults, scope, path, send, self._drop)

        async def answer_after_move(message: Message) -> None:
            # The work is done and nobody knows yet: this is when somebody else commits.
            if message["type"] == "http.response.start" and message["status"] < 400:
                await self._move("move_after", method, path)
            await answer(message)

        await self._app(scope, receive, answer_after_move)
        if after is not None:
            await self._refuse(after, scope, receive, send)

    async def _refuse(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        if fault.kind in ("drop", "drop_after"):
            await hang_up(scope, self._drop)
            return
        if fault.kind == "status":
            await _read_all(receive)
        await _failure(fault)(scope, receive, send)

    async def _move(self, kind: str, method: str, path: str) -> None:
        """Let somebody else commit, as often as a fault says so."""
        found = _REPO_PATH.match(path)
        fault = self._faults.take(method, path, (kind,)) if found is not None else None
        if found is None or fault is None:
            return
        for each in KINDS:
            repository = self._store.find(each, found[2]) if each == found[1] else None
            if repository is not None:
                files = {f"somebody-else-{new_id()}.txt": b"Somebody else was here.\n"}
                ref = fault.branch if fault.branch.startswith("refs/") else f"refs/heads/{fault.branch}"
                await run_in_threadpool(
                    self._store.commit, repository, files, "A commit of somebody else", ref=ref, author="somebody-else"
                )


class _Spoiler:
    """Passes an answer on, spoiled if a fault says so."""

    def __init__(self, faults: Faults, scope: Scope, path: str, send: Send, drop: Drop) -> None:
        self._faults = faults
        self._scope = scope
        self._path = path
        self._send = send
        self._drop = drop
        self._start: Message | None = None
        self._body = bytearray()
        self._position = 0
        self._bytes_fault: Fault | None = None
        self._is_gone = False

    async def __call__(self, message: Message) -> None:
        if self._is_gone:
            return
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_list()
        else:
            await self._send_bytes(message)

    async def _begin(self, message: Message) -> None:
        method, is_success = self._scope["method"], message["status"] in (200, 206)
        if is_success and _is_json(message) and self._is_wanted(SPOILED_LISTS):
            # A list is spoiled as a whole.
            self._start = message
            return
        if is_success and method == "GET":
            self._bytes_fault = self._faults.take(method, self._path, ("corrupt", "cut"))
        await self._send(message)

    async def _send_list(self) -> None:
        assert self._start is not None
        content = json.loads(self._body)
        headers = MutableHeaders(raw=list(self._start["headers"]))
        for kind in SPOILED_LISTS:
            fault = self._list_fault(kind, content)
            if fault is not None:
                content = spoiled(fault, content)
                if kind == "truncate" and "link" in headers:
                    del headers["link"]
        body = json.dumps(content).encode()
        headers["content-length"] = str(len(body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})

    def _list_fault(self, kind: str, content: Any) -> Fault | None:
        """A fault strikes only a list that has what it is about."""
        return self._faults.take(
            self._scope["method"], self._path, (kind,), lambda fault: spoiled(fault, content) is not None
        )

    async def _send_bytes(self, message: Message) -> None:
        body, fault = message.get("body", b""), self._bytes_fault
        start, self._position = self._position, self._position + len(body)
        if fault is None or not start <= fault.offset < self._position:
            await self._send(message)
            return
        within = fault.offset - start
        if fault.kind == "cut":
            await self._send({**message, "body": body[:within], "more_body": True})
            self._is_gone = True
            await hang_up(self._scope, self._drop)
            return
        corrupted = bytearray(body)
        corrupted[within] ^= 0x01
        await self._send({**message, "body": bytes(corrupted)})

    def _is_wanted(self, kinds: tuple[str, ...]) -> bool:
        method = self._scope["method"]
        return any(fault.kind in kinds and fault.matches(method, self._path) for fault, _ in self._faults.active())


async def hang_up(scope: Scope, drop: Drop) -> None:
    """Close the connection and let the server notice before the application returns."""
    client = scope.get("client")
    if client is not None:
        drop(tuple(client))
    await asyncio.sleep(0.05)


def _path(scope: Scope) -> str:
    """What faults are matched against: for a large file at the storage, the address that led there."""
    if scope["type"] != "http":
        return ""
    asked_for = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("asked")
    return unquote(asked_for[0] if asked_for else scope["path"])


def _failure(fault: Fault) -> Response:
    headers = {}
    if fault.retry_after is not None:
        headers = {"Retry-After": str(fault.retry_after), "RateLimit": f'"api";r=0;t={fault.retry_after}'}
    message = f"Fault of the rehearsal: {fault.status}"
    return JSONResponse({"error": message}, status_code=fault.status, headers=headers)


def _is_json(message: Message) -> bool:
    return any(name == b"content-type" and b"json" in value for name, value in message["headers"])


async def _read_all(receive: Receive) -> None:
    """Take the body in, so that the connection can be used again."""
    while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
        pass


async def _swallow(_message: Message) -> None:
    """The answer that nobody gets."""
