"""llama.cpp's template engine by itself, without the server that rewrites messages before a template sees them.

The engine is the WebAssembly module that PyPI ggufdoctor carries, called through wasmtime with `"normalize": false`
(ENGINES.md §1.3). It parses and probes a template on every call, so nothing is kept between renders but the module's
machine code, which `install` makes once and for all. `compile` is one render for nothing, which finds out whether the
template can be read; of a syntax error it tells no line. Its clock stands at the first of January 2026, whatever `now`
says.

Every render has an instance and a memory of its own, which cannot grow beyond the limit. There is no fuel: the
process's own limits on time end a template that does not. The process's address space is not limited, since wasmtime
reserves gigabytes of it that it never uses.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import wasmtime  # type: ignore[import-not-found,unused-ignore]

from release.render.engines.given import VARIABLES, encoded
from release.render.engines.host import Broken, Render
from release.render.engines.llama_errors import from_message

_MODULE = "llamacpp-jinja.wasm"
_MANIFEST = "llamacpp-jinja.json"


class LlamaRaw:
    """`memory` is what one render may take, in bytes; None: 4 GiB, as far as the module can count.

    `code` is a folder with machine code made before; None, or nothing in it: it is made here, which takes a second.
    """

    def __init__(self, memory: int | None, code: Path | None) -> None:
        self.memory = memory
        data = _data()
        manifest = json.loads((data / _MANIFEST).read_text(encoding="utf-8"))
        self.version = f"{manifest['build_tag']} (wasmtime {version('wasmtime')})"
        self.engine = _engine()
        self.module = _module(self.engine, (data / _MODULE).read_bytes(), code)
        self.linker = wasmtime.Linker(self.engine)
        self.linker.define_wasi()

    def compile(self, source: str) -> Render:
        answer = self._asked(source, {"messages": []})
        if answer.get("stage") in ("lexer", "parser"):
            raise Broken("syntax", _first_line(answer["error"]))

        def render(variables: Mapping[str, Any]) -> str:
            answer = self._asked(source, {**VARIABLES, **variables})
            if answer["ok"]:
                return str(answer["text"])
            if answer["stage"] == "raise":
                raise Broken("raised", answer["error"])
            raise from_message(answer["error"])

        return render

    def _asked(self, source: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        request = encoded({"template": source, "context": variables, "normalize": False})
        with wasmtime.Store(self.engine) as store:
            if self.memory is not None:
                store.set_limits(memory_size=self.memory)
            # No file, no argument, no variable and no stream of ours is given to it.
            store.set_wasi(wasmtime.WasiConfig())
            try:
                exports: Any = self.linker.instantiate(store, self.module).exports(store)
                exports["_initialize"](store)
                place = exports["gd_alloc"](store, len(request))
                if not place:
                    raise MemoryError
                exports["memory"].write(store, request, place)
                start = exports["gd_render"](store, place, len(request))
                length = exports["gd_out_len"](store)
                told = bytes(exports["memory"].read(store, start, start + length))
            except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
                # Such as a macro that calls itself for ever: the module has one small stack.
                raise Broken("runtime", f"the engine stopped: {_last_line(str(error))}") from error
        answer: dict[str, Any] = json.loads(told.decode("utf-8", "surrogatepass"))
        return answer


def host(now: str, memory: int | None = None, code: str | None = None) -> LlamaRaw:
    """`now` is not used: the module's clock stands still of itself."""
    return LlamaRaw(memory, Path(code) if code is not None else None)


def make_code(folder: Path) -> Path:
    """Write the module's machine code for this machine into the folder; the file. Twice is once."""
    engine, source = _engine(), (_data() / _MODULE).read_bytes()
    file = folder / _code_name(source)
    if not file.is_file():
        whole = bytes(wasmtime.Module(engine, source).serialize())
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(whole)
        part.replace(file)
    return file


def _data() -> Path:
    package = find_spec("ggufdoctor")
    if package is None or package.origin is None:
        raise ImportError("the package ggufdoctor is not installed")
    return Path(package.origin).parent / "engine_data"


def _engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.wasm_exceptions = True
    return wasmtime.Engine(config)


def _module(engine: wasmtime.Engine, source: bytes, code: Path | None) -> wasmtime.Module:
    file = code / _code_name(source) if code is not None else None
    if file is not None and file.is_file():
        # It is run as it is, like everything that lies in this cache.
        try:
            return wasmtime.Module.deserialize_file(engine, str(file))
        except wasmtime.WasmtimeError:
            # Made for another processor, whose home this cache once was.
            pass
    return wasmtime.Module(engine, source)


def _code_name(source: bytes) -> str:
    machine = f"{version('wasmtime')} {os.uname().sysname} {os.uname().machine}"
    return f"llama.cpp-raw-{hashlib.sha256(source + machine.encode()).hexdigest()[:16]}.cwasm"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _last_line(text: str) -> str:
    """The cause at the end of a trap's list of causes, which are numbered where there are several."""
    return re.sub(r"^\d+: ", "", text.strip().rpartition("\n")[2].strip())
