"""The program that a child process runs: one JSON request a line in, one JSON answer a line out.

    {"host": FILE, "package": FOLDER, "path": [...], "now": ..., "limits": {...}, "options": {...}} → {"version": ...}
    {"compile": SOURCE, "key": KEY}     → {"ok": true}
    {"render": KEY, "variables": {...}} → {"text": ...}

Any of them can be answered by {"fault": ..., "message": ..., "line": ..., "column": ...}, the first also by
{"unavailable": REASON}, the last by {"unknown": KEY}: only the newest templates are kept. It runs under `python -I
-S`: no environment variable, no site-packages and no working directory has a say in what is imported.
"""

import importlib.util
import json
import os
import resource
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from release.render.engines.host import Host, Render

_KEPT = 64


def main() -> None:
    requests, answers = _take_the_channel()
    greeting = json.loads(requests.readline())
    limits = greeting["limits"]
    confine(limits)
    sys.path.extend(greeting["path"])
    _add_package("release", greeting["package"])
    try:
        host = _load("release_host", greeting["host"]).host(greeting["now"], **greeting["options"])
    except ImportError as error:
        _write(answers, {"unavailable": f"it cannot be imported: {error}"})
        return
    _write(answers, {"version": host.version})
    serve(cast("Host", host), requests, answers, limits)


def serve(host: "Host", requests: BinaryIO, answers: BinaryIO, limits: Mapping[str, Any]) -> None:
    """Answer every request until there are no more."""
    from release.render.engines.host import Broken

    templates: OrderedDict[str, Render] = OrderedDict()
    for line in requests:
        allow_time(limits["cpu_seconds"])
        request = json.loads(line)
        try:
            answer = _answer(host, templates, request, limits["characters"])
        except Broken as broken:
            answer = {key: getattr(broken, key) for key in ("fault", "message", "line", "column")}
        except MemoryError:
            answer = {"fault": "memory", "message": f"it needed more than {limits['memory']} bytes"}
        _write(answers, answer)


def _answer(
    host: "Host", templates: "OrderedDict[str, Render]", request: Mapping[str, Any], characters: int
) -> dict[str, object]:
    if "compile" in request:
        if request["key"] not in templates:
            templates[request["key"]] = host.compile(request["compile"])
        if len(templates) > _KEPT:
            templates.popitem(last=False)
        return {"ok": True}
    key = request["render"]
    if key not in templates:
        return {"unknown": key}
    templates.move_to_end(key)
    text = templates[key](request["variables"])
    if len(text) > characters:
        return {"fault": "memory", "message": f"the prompt has {len(text)} characters, more than {characters}"}
    return {"text": text}


def confine(limits: Mapping[str, Any], set_limit: Callable[[int, tuple[int, int]], None] = resource.setrlimit) -> None:
    """Put the process's limits on it. One that the system does not know (memory on macOS) is left out."""
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: limits["file_bytes"]}
    if limits["memory"] is not None:
        wanted[resource.RLIMIT_AS] = limits["memory"]
    for kind, most in wanted.items():
        try:
            set_limit(kind, (most, most))
        except (OSError, ValueError):
            continue


def allow_time(seconds: int, set_limit: Callable[[int, tuple[int, int]], None] = resource.setrlimit) -> None:
    """Allow that much more processor time. The parent kills by the clock; this ends a child without a parent."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    set_limit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, most))


def _take_the_channel() -> tuple[BinaryIO, BinaryIO]:
    """Move the pipes out of reach: what a template's functions read or print has nothing to do with them."""
    requests = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return requests, answers


def _write(answers: BinaryIO, answer: Mapping[str, object]) -> None:
    # Not ASCII-only: a prompt may hold lone surrogates next to each other, which JSON escapes would join.
    left = memoryview(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    while left:
        left = left[answers.write(left) :]


def _add_package(name: str, folder: str) -> None:
    """Make one package importable by its folder, and nothing that lies beside it."""
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def _load(name: str, file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
