"""What a person or a program sees: narration on stderr, results on stdout.

Text from outside (paths, messages of the Hub) is shown with its control and bidi characters spelled out. Colour is
rich's decision: none in a pipe, none with NO_COLOR.
"""

import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from release.errors import ReleaseError
from release.values import Finding

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

SCHEMA = "hf-release/result/v1"


class Terminal:
    """Implements `ports.Narrator`, and prints results: for people, or as one JSON object.

    `heading` is the command's name.
    """

    def __init__(self, command: str, *, as_json: bool) -> None:
        self._command = command
        self._as_json = as_json
        self._bar: tuple[Progress, TaskID] | None = None

    def step(self, title: str) -> None:
        self._end_bar()
        self._say(f"• {title}", "bold")

    def note(self, text: str) -> None:
        self._end_bar()
        self._say(f"  {one_line(text)}", "")

    def progress(self, what: str, done: int, total: int) -> None:
        if not sys.stderr.isatty() or total <= 0:
            return
        if self._bar is None:
            from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

            bar = Progress(
                "  {task.description}",
                BarColumn(),
                DownloadColumn(),
                TimeRemainingColumn(),
                console=_console(sys.stderr),
            )
            bar.start()
            self._bar = bar, bar.add_task(what, total=total)
        self._bar[0].update(self._bar[1], completed=done, total=total)
        if done >= total:
            self._end_bar()

    def show(self, pieces: Iterable["RenderableType"]) -> None:
        """Print an intermediate result for people; a program gets it with the rest."""
        self._end_bar()
        if not self._as_json:
            console = _console(sys.stdout)
            with console.capture() as captured:
                for piece in pieces:
                    console.print(piece)
            _write(captured.get())

    def result(self, document: Mapping[str, object], human: Callable[[], Iterable["RenderableType"]]) -> None:
        """Print one result: the document under --json, else what `human` makes of it."""
        self._end_bar()
        if self._as_json:
            self._object({"ok": True, "exit": 0, **document})
            return
        self.show(human())

    def failure(self, error: ReleaseError) -> None:
        """Say what happened and what to do next; under --json also as the one object on stdout."""
        self._end_bar()
        if self._as_json:
            facts = {
                "kind": type(error).__name__,
                "message": error.message,
                "hint": error.hint,
                "complaints": list(error.complaints),
                **error.facts,
            }
            self._object({"ok": False, "exit": error.exit_code, "error": facts})
        if findings := getattr(error, "findings", ()):
            self.show([findings_table(findings)])
        self._say(f"{_ERROR_WORDS.get(error.exit_code, 'error')}: {one_line(error.message)}", "bold red")
        for complaint in error.complaints:
            self._say(f"  - {one_line(complaint)}", "")
        self._say(f"  → {one_line(error.hint)}", "")

    def _object(self, document: Mapping[str, object]) -> None:
        # ASCII only: no name from outside can reorder or colour what is shown.
        _write(json.dumps({"schema": SCHEMA, "command": self._command, **document}, default=str) + "\n")

    def _say(self, text: str, style: str) -> None:
        if sys.stderr.isatty():
            from rich.text import Text

            _console(sys.stderr).print(Text(text, style=style))
        else:
            print(text, file=sys.stderr)  # noqa: T201

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None


_ERROR_WORDS = {2: "cannot start", 3: "refused", 4: "conflict", 5: "unavailable", 6: "unfinished", 7: "mismatch"}


def printable(text: str) -> str:
    """The text with everything spelled out that would not show as itself: ESC as \\x1b, U+202E as \\u202e."""
    return "".join(_shown(char) for char in text)


def one_line(text: str) -> str:
    """The same with line breaks spelled out too: no name can begin a line that looks like one of ours, or that GitHub
    Actions takes for a command.
    """
    return printable(text).replace("\n", "\\n")


def _shown(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> "RenderableType":
    """A table of text; columns in `right` are aligned to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, title in enumerate(titles):
        made.add_column(title, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(one_line(cell)) for cell in row))
    return made


def findings_table(findings: Sequence[Finding]) -> "RenderableType":
    """Every finding with its place."""
    places = [f"{f.path or ''}{f':{f.line}' if f.line else ''}" for f in findings]
    rows = [(f.level.value, f.rule, place, f.message) for f, place in zip(findings, places, strict=True)]
    return table(("level", "rule", "where", "what"), rows)


def line(text: str, style: str = "") -> "RenderableType":
    """One line of text that is not markup, whatever stands in it."""
    from rich.text import Text

    return Text(printable(text), style=style)


def size_of(count: int | None) -> str:
    """A number of bytes for people: 812 B, 4.1 kB, 1.2 GB."""
    if count is None:
        return ""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{int(value)} B" if unit == "B" else f"{value:.1f} {unit}"


def _console(stream: TextIO) -> "Console":
    from rich.console import Console

    # NO_COLOR asks for no colour; bold and dim are escape codes too, and who sets it wants none. In a pipe nothing is
    # wrapped or cut either: a program, or grep, reads it.
    plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty()
    width = None if stream.isatty() else 4000
    return Console(file=stream, width=width, highlight=False, color_system=None if plain else "auto")


def _write(text: str) -> None:
    """To stdout. A reader who has seen enough (`| head`) is no error: what was done is done."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
