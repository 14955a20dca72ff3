"""The embedded Hub as something to start and stop: for a test, a rehearsal, or until it is interrupted."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

import uvicorn

from release.errors import Unavailable
from release.rehearsal.accounts import Accounts, open_accounts, read_accounts
from release.rehearsal.application import application
from release.rehearsal.calls import Hub
from release.rehearsal.faults import Faults
from release.rehearsal.journal import Journal, Seen
from release.rehearsal.links import Links
from release.rehearsal.store import Store

_HOST = "127.0.0.1"
_STARTING = 30  # seconds
_STOPPING = 10  # seconds
_MIB = 1024 * 1024


class EmbeddedHub:
    """A Hub on loopback that keeps everything in `directory`.

    Inside the `with` block it answers at `url`; `store` is what it keeps, `faults` are the ways in which it fails, and
    `requests` is what it was asked. `port` 0 picks a free one. `accounts` is
    the path of an accounts file, or Accounts; without, any token that starts with `hf_` may write everywhere.
    Uploads of large files above `multipart_above` bytes go in parts of `part_size` bytes.

    Raises UsageError for a directory or an accounts file that is not one, Unavailable if the port is taken or
    another server has the directory open.
    """

    def __init__(
        self,
        directory: Path,
        port: int = 0,
        accounts: Accounts | Path | None = None,
        *,
        multipart_above: int = 64 * _MIB,
        part_size: int = 16 * _MIB,
    ) -> None:
        self._directory = directory
        self._port = port
        self._accounts = _accounts(accounts)
        self._multipart_above = multipart_above
        self._part_size = part_size
        self._sockets: list[socket.socket] = []
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._journal = Journal()
        self.faults = Faults()
        self.url = ""
        self.store: Store

    @property
    def requests(self) -> list[Seen]:
        """What was asked so far, in order; never a token, a query or a body."""
        return self._journal.all()

    def forget_requests(self) -> None:
        """Start `requests` anew."""
        self._journal.clear()

    def start(self) -> "EmbeddedHub":
        """Open the store and answer. The Hub has one address, its storage another."""
        self.store = Store(self._directory)
        try:
            hub_socket = _listen(self._port)
            storage_socket = _listen(0)
        except OSError as error:
            self.store.close()
            raise Unavailable(
                f"port {self._port} of {_HOST} is taken", hint="give another --port, or 0 for a free one"
            ) from error
        self._sockets = [hub_socket, storage_socket]
        self.url = f"http://{_HOST}:{hub_socket.getsockname()[1]}"
        hub = Hub(
            store=self.store,
            accounts=self._accounts,
            links=Links(f"http://{_HOST}:{storage_socket.getsockname()[1]}"),
            faults=self.faults,
            journal=self._journal,
            multipart_above=self._multipart_above,
            part_size=self._part_size,
        )
        config = uvicorn.Config(
            application(hub, self._drop),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            # The client keeps its connections for longer than uvicorn's 5 seconds.
            timeout_keep_alive=75,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._sockets}, name="embedded-hub", daemon=True
        )
        self._thread.start()
        self._wait_until_started()
        return self

    def stop(self) -> None:
        """Answer no more and close the store. What was committed stays."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(_STOPPING)
        for each in self._sockets:
            each.close()
        self.store.close()

    def __enter__(self) -> "EmbeddedHub":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _drop(self, client: tuple[str, int]) -> None:
        """Close a client's connection without a word. Called on the server's own thread."""
        assert self._server is not None
        for connection in list(self._server.server_state.connections):
            transport = getattr(connection, "transport", None)
            if getattr(connection, "client", None) == client and isinstance(transport, asyncio.Transport):
                transport.abort()

    def _wait_until_started(self) -> None:
        assert self._server is not None
        assert self._thread is not None
        waited = threading.Event()
        for _ in range(_STARTING * 200):
            if self._server.started:
                return
            if not self._thread.is_alive():
                break
            waited.wait(0.005)
        self.stop()
        raise Unavailable("the embedded Hub did not start", hint="look at what it wrote on stderr")


def serve(
    directory: Path,
    *,
    announce: Callable[[str], None],
    port: int = 0,
    accounts: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. `announce` is given the URL once it answers.

    Raises as EmbeddedHub does. Must be called from the main thread.
    """
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with EmbeddedHub(directory, port, accounts) as hub:
            announce(hub.url)
            stopped.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _accounts(accounts: Accounts | Path | None) -> Accounts:
    if accounts is None:
        return open_accounts()
    return accounts if isinstance(accounts, Accounts) else read_accounts(accounts)


def _listen(port: int) -> socket.socket:
    # With the protocol named, asyncio sends small answers at once; without, each waits 40 ms for an acknowledgement.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A server that was stopped a moment ago does not block its port.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_HOST, port))
    except OSError:
        listening.close()
        raise
    return listening
