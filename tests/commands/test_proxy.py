"""`release proxy`: bytes go through unchanged, streams stream, and a diagnosis never costs a request (L-013)."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.utils import httpx

REQUEST = b'{ "messages" : [ {"role":"user","content":"Hi"} ], "stream": true }'


class Upstream(ThreadingHTTPServer):
    """A server that keeps what it was sent, and answers in two pieces with a wait between them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(201)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("X-Upstream", "yes")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (b"data: one\n\n", b"data: two\n\n"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            self.server.go_on.wait(30)
        self.wfile.write(b"0\r\n\r\n")

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Quiet."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


class Proxy:
    """A running `release proxy` with its three records."""

    def __init__(self, folder: Path, upstream: str, template: str) -> None:
        (folder / "t.jinja").write_text(template)
        self.folder = folder
        records = [f"--{name}={name}" for name in ("metrics", "requests", "prompts")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "release", "proxy", "--upstream", upstream, "--chat-template", "t.jinja", *records],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rpartition(":")[2])

    @contextmanager
    def post(self, body: bytes) -> Iterator[httpx.Response]:
        """The answer to one request, not read yet."""
        url, headers = (
            f"http://127.0.0.1:{self.port}/v1/chat/completions?x=1",
            {"Authorization": "Bearer k", "X-Odd": "a"},
        )
        with httpx.Client(timeout=30) as client, client.stream("POST", url, content=body, headers=headers) as answer:
            yield answer

    def whole(self, body: bytes) -> bytes:
        with self.post(body) as answer:
            return answer.read()

    def record(self, name: str) -> bytes:
        """What is in a record, once something is."""
        for _ in range(300):
            if (self.folder / name).exists() and (self.folder / name).stat().st_size:
                break
            time.sleep(0.1)
        return (self.folder / name).read_bytes()


@pytest.fixture
def proxy(tmp_path: Path, upstream: Upstream) -> Iterator[Proxy]:
    running = Proxy(tmp_path, upstream.url, "{{ messages[0].content }}!")
    yield running
    running.process.send_signal(signal.SIGINT)
    running.process.communicate(timeout=30)


def test_the_request_arrives_byte_for_byte(proxy: Proxy, upstream: Upstream) -> None:
    upstream.go_on.set()
    proxy.whole(REQUEST)
    assert upstream.bodies == [REQUEST]
    assert {upstream.headers[0][name] for name in ("authorization", "x-odd")} == {"Bearer k", "a"}


def test_the_answer_comes_back_as_it_was(proxy: Proxy, upstream: Upstream) -> None:
    upstream.go_on.set()
    with proxy.post(REQUEST) as answer:
        assert (answer.status_code, answer.headers["X-Upstream"]) == (201, "yes")
        assert answer.read() == b"data: one\n\ndata: two\n\n"


def test_a_stream_arrives_piece_by_piece(proxy: Proxy, upstream: Upstream) -> None:
    """The first piece is here while the second has not been sent."""
    with proxy.post(REQUEST) as answer:
        pieces = answer.iter_raw()
        assert next(pieces) == b"data: one\n\n"
        upstream.go_on.set()
        assert b"".join(pieces) == b"data: two\n\n"


def test_the_prompt_is_written_beside(proxy: Proxy, upstream: Upstream) -> None:
    upstream.go_on.set()
    proxy.whole(REQUEST)
    assert proxy.record("prompts") == b"Hi!"
    assert REQUEST in proxy.record("requests")
    assert json.loads(proxy.record("metrics"))["characters"] == 3


@pytest.mark.parametrize("body", [b"not json", b"{}", b'{"messages": []}'], ids=["text", "no-messages", "no-message"])
def test_a_render_that_fails_costs_no_request(proxy: Proxy, upstream: Upstream, body: bytes) -> None:
    upstream.go_on.set()
    assert proxy.whole(body) == b"data: one\n\ndata: two\n\n"
    assert proxy.whole(REQUEST) == b"data: one\n\ndata: two\n\n"
    assert proxy.record("prompts").endswith(b"Hi!")


def test_an_upstream_that_is_away_is_a_bad_gateway(tmp_path: Path) -> None:
    running = Proxy(tmp_path, "http://127.0.0.1:9", "x")
    try:
        with running.post(REQUEST) as answer:
            assert answer.status_code == 502
    finally:
        running.process.send_signal(signal.SIGTERM)
        running.process.communicate(timeout=30)


def test_it_ends_cleanly(proxy: Proxy) -> None:
    proxy.process.send_signal(signal.SIGINT)
    _, said = proxy.process.communicate(timeout=30)
    assert "Traceback" not in said
