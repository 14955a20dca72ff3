"""llama.cpp's server inside this process, by PyPI xllamacpp: `/apply-template` over a socket in the process's folder.

What the server adds around a template, and what it cannot be asked (ENGINES.md §0.3, §0.4, §2):

- Messages are taken apart and put together again: unknown keys (`reasoning`, `thinking`) are gone, `None` is "", a
  tool call without `type` or `arguments` is refused, and arguments, which the API takes as JSON text, reach a template
  that can use them as a mapping.
- Structured media never reach a template. Without a projector they are refused; with one a template would see text
  with a marker, which is pinned here (`LLAMA_MEDIA_MARKER`), since it is another one in every process by default.
- `enable_thinking` is always defined, and must be true or false. `bos_token` and `eos_token` are the model's unless a
  variable says otherwise. `strftime_now` reads the machine's clock: `now` does not reach it.
- A template that fails on the server's own sample conversations is refused at the start, as a server does that a user
  starts with it. So a template that is always raising, endless or too large fails in `compile`.
- A text is Unicode; a lone surrogate cannot be asked.

A server holds one template. It starts in a few milliseconds, so the two that were used last are kept: a template and
the one that it is compared with. A socket needs no free port and no other user of the machine reaches it.
"""

import http.client
import json
import os
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from release.render.engines.given import VARIABLES, encoded
from release.render.engines.host import Broken, Render
from release.render.engines.tiny_model import tiny_model

MEDIA_MARKER = "<__media__>"
_MODEL = "tiny.gguf"
_KEPT = 2
# Where child.py keeps what this process writes on standard error: the server's log.
_SAID = Path("stderr")
# Only errors: everything else would fill the file that standard error goes to.
_ERRORS_ONLY = 1
# The log is written by a thread of its own.
_LOG_SECONDS = 0.5

# What an engine's words mean; with the template's source, which they may be about.
Explain = Callable[[str, str], Broken]


class LlamaServers:
    """A Host: one server a template. `settings` are those of CommonParams that this engine is about.

    `from_log` explains what a server that did not start wrote, `from_answer` the message of an answer that is an error.
    """

    def __init__(self, version: str, settings: Mapping[str, Any], from_log: Explain, from_answer: Explain) -> None:
        self.version = version
        self.settings = settings
        self.from_log = from_log
        self.from_answer = from_answer
        self.running: OrderedDict[str, _Server] = OrderedDict()
        self.started = 0
        os.environ["LLAMA_MEDIA_MARKER"] = MEDIA_MARKER
        Path(_MODEL).write_bytes(tiny_model())
        # What a server uses for a template that it takes for none, or (before January 2026) cannot read.
        self.own_template = ""
        server = self._start("")
        self.own_template = server.template()
        server.stop()

    def compile(self, source: str) -> Render:
        self._server(source)

        def render(variables: Mapping[str, Any]) -> str:
            status, answer = self._server(source).ask("POST", "/apply-template", request(variables))
            if status == 200:
                return str(answer["prompt"])
            raise self.from_answer(str(answer.get("error", {}).get("message", answer)), source)

        return render

    def _server(self, source: str) -> "_Server":
        if source not in self.running:
            encoded(source)
            while len(self.running) >= _KEPT:
                self.running.popitem(last=False)[1].stop()
            self.running[source] = self._start(source)
        self.running.move_to_end(source)
        return self.running[source]

    def _start(self, source: str) -> "_Server":
        self.started += 1
        if _SAID.exists():
            os.truncate(_SAID, 0)
        try:
            server = _Server(source, self.settings, f"{self.started}.sock")
        except RuntimeError as error:
            raise self._refused(source) from error
        if self.own_template and source != self.own_template and server.template() == self.own_template:
            server.stop()
            raise self._refused(source)
        return server

    def _refused(self, source: str) -> Broken:
        log = _log()
        if not log:
            return Broken("syntax", "the server takes it for no template and uses one of its own")
        return self.from_log(log, source)


class _Server:
    """One running server. Raises `RuntimeError` where it does not start."""

    def __init__(self, source: str, settings: Mapping[str, Any], address: str) -> None:
        import xllamacpp  # type: ignore[import-not-found,import-untyped,unused-ignore]

        parameters = xllamacpp.CommonParams()
        parameters.model.path = _MODEL
        parameters.chat_template = source
        # Each thread reserves address space, which is limited.
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        common = {"use_jinja": True, "n_ctx": 256, "n_parallel": 1, "n_threads_http": 2, "n_gpu_layers": 0}
        quiet = {"warmup": False, "fit_params": False, "offline": True, "cache_ram_mib": 0, "verbosity": _ERRORS_ONLY}
        for name, value in {**common, **quiet, **settings}.items():
            setattr(parameters, name, value)
        if hasattr(parameters, "hostnames"):
            parameters.hostnames = [address]
        else:
            parameters.hostname = address
        self.server = xllamacpp.Server(parameters)
        self.connection = _Connection(address)
        # Answered by its main loop. A server that is stopped before that runs waits for its end for ever.
        self.ask("GET", "/slots")

    def template(self) -> str:
        """The template that it runs, which need not be the one that it was given."""
        _, answer = self.ask("GET", "/props")
        return str(answer["chat_template"])

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, dict[str, Any]]:
        self.connection.request(method, path, body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        return response.status, answer

    def stop(self) -> None:
        # A connection that is still open keeps the server for a tenth of a second.
        self.connection.close()
        self.server = None
        Path(self.connection.address).unlink(missing_ok=True)


class _Connection(http.client.HTTPConnection):
    """HTTP over a socket that lies in the working directory: a relative name is never too long for one."""

    def __init__(self, address: str) -> None:
        super().__init__("localhost")
        self.address = address

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.address)


def request(variables: Mapping[str, Any]) -> bytes:
    """The body of `/apply-template`: OpenAI's wire form, and what it has no name for as `chat_template_kwargs`.

    Raises `Broken` for a text that no JSON can carry.
    """
    given = {**VARIABLES, **variables}
    messages = given.pop("messages", [])
    body = {
        "messages": [_wire_message(message) for message in messages] if isinstance(messages, list) else messages,
        "add_generation_prompt": given.pop("add_generation_prompt"),
    }
    tools = given.pop("tools")
    if tools:
        body["tools"] = tools
    # Undefined and null are not the same to a template; the server has no documents of its own.
    if given["documents"] is None:
        del given["documents"]
    return encoded({**body, "chat_template_kwargs": given})


def _wire_message(message: object) -> object:
    """The message with its tool arguments as JSON text, where they are anything else."""
    if not isinstance(message, dict) or not isinstance(message.get("tool_calls"), list):
        return message
    return {**message, "tool_calls": [_wire_call(call) for call in message["tool_calls"]]}


def _wire_call(call: object) -> object:
    if not isinstance(call, dict):
        return call
    function = call.get("function")
    if not isinstance(function, dict) or isinstance(function.get("arguments", ""), str):
        return call
    return {**call, "function": {**function, "arguments": json.dumps(function["arguments"], ensure_ascii=False)}}


def _log() -> str:
    """What the server wrote since the log was emptied, once it is silent. Nothing: it wrote nothing in time."""
    deadline = time.monotonic() + _LOG_SECONDS
    log = b""
    while time.monotonic() < deadline:
        now = _SAID.read_bytes() if _SAID.exists() else b""
        # One error is several writes.
        if log and now == log:
            break
        log = now
        time.sleep(0.01)
    return log.decode("utf-8", "replace")
