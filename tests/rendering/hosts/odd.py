"""A host whose "templates" are things that no template should be able to do. Run by the worker, in a child."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from release.render.engines.host import Broken, Render


class Odd:
    version = "odd 1"

    def compile(self, source: str) -> Render:
        if source == "broken":
            raise Broken("syntax", "it is broken", 3, 4)
        act = getattr(self, source)
        return lambda variables: str(act(variables) or "")

    def echo(self, variables: Mapping[str, Any]) -> str:
        return str(variables["text"])

    def prints(self, variables: Mapping[str, Any]) -> str:
        sys.stdout.write('{"text": "forged"}\n')
        sys.stdout.flush()
        os.write(1, b'{"text": "forged"}\n')
        return "printed" + sys.stdin.read()

    def exits(self, variables: Mapping[str, Any]) -> None:
        sys.stderr.write("about to leave\n")
        raise SystemExit(3)

    def crashes(self, variables: Mapping[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def aborts(self, variables: Mapping[str, Any]) -> None:
        sys.stderr.write("memory allocation of 8 bytes failed\nnote: where it was\n")
        sys.stderr.flush()
        os.abort()

    def terminates(self, variables: Mapping[str, Any]) -> None:
        sys.stderr.write("terminate called\n  what():  out of range at row 2:\n{{ the template }}\n")
        sys.stderr.flush()
        os.abort()

    def fails(self, variables: Mapping[str, Any]) -> None:
        raise KeyboardInterrupt("an error that nobody names")

    def closes(self, variables: Mapping[str, Any]) -> None:
        os.closerange(0, 64)
        time.sleep(60)

    def sleeps(self, variables: Mapping[str, Any]) -> None:
        time.sleep(60)

    def burns(self, variables: Mapping[str, Any]) -> None:
        while True:
            pass

    def forks(self, variables: Mapping[str, Any]) -> None:
        child = subprocess.Popen(["/bin/sleep", "60"])
        Path(variables["note"]).write_text(str(child.pid))
        time.sleep(60)

    def environment(self, variables: Mapping[str, Any]) -> str:
        return " ".join(sorted(os.environ)) + f" {os.getcwd()} {os.environ['HOME']} {sorted(os.listdir('.'))}"

    def imports(self, variables: Mapping[str, Any]) -> str:
        return " ".join(sys.path) + " " + " ".join(sorted({name.split(".")[0] for name in sys.modules}))

    def writes(self, variables: Mapping[str, Any]) -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            Path("big").write_bytes(b"x" * (1 << 21))
        except OSError as error:
            return str(error.strerror)
        return "written"

    def grows(self, variables: Mapping[str, Any]) -> str:
        return "x" * (1 << 34)


def host(now: str) -> Odd:
    return Odd()
