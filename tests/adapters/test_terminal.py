"""What a person or a program sees: nothing that a name could colour, reorder or forge."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.adapters.terminal import Terminal, findings_table, line, one_line, printable, size_of, table
from release.errors import Conflict, Refused
from release.values import Finding, Level

HOSTILE = "a\x1b[31mred\x1b[0m\u202egnp.exe\u2066\u200b\x07\x9b\n::error::forged\r\udcff"


class _ChecksFailed(Refused):
    """A failure with findings, as the step `check` raises it."""

    findings = (Finding("a/b", HOSTILE, Level.ERROR, HOSTILE, 3),)


def said(act: Callable[[Terminal], object], *, as_json: bool = False) -> tuple[str, str]:
    """(stdout, stderr) of one use of a terminal that is none."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        act(Terminal("prepare", as_json=as_json))
    return out.getvalue(), err.getvalue()


@given(st.text())
def test_what_is_shown_is_printable(text: str) -> None:
    shown = one_line(text)
    assert all(char.isprintable() or char == "\t" for char in shown)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown.replace("\t", ""))


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert one_line(HOSTILE) == (
        "a\\x1b[31mred\\x1b[0m\\u202egnp.exe\\u2066\\u200b\\x07\\x9b\\n::error::forged\\r\\udcff"
    )


def test_unusual_spaces_are_spaces() -> None:
    assert printable("a\u00a0b\u3000c") == "a b c"


def test_a_text_of_several_lines_keeps_its_lines() -> None:
    assert printable("a\nb\tc") == "a\nb\tc"


@pytest.mark.parametrize(
    "act",
    [
        lambda t: t.note(HOSTILE),
        lambda t: t.failure(Refused(HOSTILE, hint=HOSTILE, complaints=[HOSTILE, "second"], facts={"name": HOSTILE})),
        lambda t: t.show([table(("a", "b"), [(HOSTILE, "x")])]),
        lambda t: t.show([findings_table([Finding("a/b", HOSTILE, Level.ERROR, HOSTILE, 3)])]),
        lambda t: t.failure(_ChecksFailed(HOSTILE, hint=HOSTILE)),
    ],
)
def test_no_name_can_forge_a_line_or_a_colour(act: Callable[[Terminal], object]) -> None:
    for shown in said(act):
        assert not any(one.lstrip().startswith("::") for one in shown.splitlines())
        assert not set(shown) & set("\x1b\u202e\u2066\u200b\x07\x9b\r")


def test_markup_in_a_name_is_text() -> None:
    out, _ = said(lambda t: t.show([line("[bold]x[/bold] [link=http://e.com]y"), table(("a",), [("[red]z",)])]))
    assert ("[bold]x[/bold] [link=http://e.com]y" in out, "[red]z" in out) == (True, True)


def test_in_a_pipe_nothing_is_wrapped_or_cut() -> None:
    out, _ = said(lambda t: t.show([line("x" * 3000), table(("a",), [("y" * 3000,)])]))
    assert ("x" * 3000 in out, "y" * 3000 in out) == (True, True)


def test_narration_goes_to_stderr_and_results_to_stdout() -> None:
    def act(terminal: Terminal) -> None:
        terminal.step("Building")
        terminal.note("a note")
        terminal.progress("a.bin", 1, 2)
        terminal.show([line("shown")])
        terminal.result({"x": 1}, lambda: [line("result")])

    assert said(act) == ("shown\nresult\n", "• Building\n  a note\n")


@given(st.text())
def test_json_is_one_line_of_ascii(text: str) -> None:
    out, _ = said(lambda t: t.result({"name": text}, lambda: []), as_json=True)
    document = json.loads(out)
    assert (out.isascii(), out.count("\n"), document["name"]) == (True, 1, text)


def test_json_of_a_result_tells_the_command_and_that_it_went_well() -> None:
    out, _ = said(lambda t: t.result({"x": Path("y")}, lambda: []), as_json=True)
    assert json.loads(out) == {"schema": "hf-release/result/v1", "command": "prepare", "ok": True, "exit": 0, "x": "y"}


def test_json_of_a_failure_tells_its_kind_and_facts_and_people_still_read_it() -> None:
    error = Conflict("it moved", hint="look", complaints=["one"], facts={"now": "abc"})
    out, err = said(lambda t: t.failure(error), as_json=True)
    assert json.loads(out) == {
        "schema": "hf-release/result/v1",
        "command": "prepare",
        "ok": False,
        "exit": 4,
        "error": {"kind": "Conflict", "message": "it moved", "hint": "look", "complaints": ["one"], "now": "abc"},
    }
    assert err == "conflict: it moved\n  - one\n  → look\n"


def test_under_json_nothing_else_is_on_stdout() -> None:
    def act(terminal: Terminal) -> None:
        terminal.step("Building")
        terminal.show([line("for people")])
        terminal.failure(Refused("no", hint="yes"))

    assert len(said(act, as_json=True)[0].splitlines()) == 1


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (None, ""),
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (4096, "4.1 kB"),
        (1_500_000, "1.5 MB"),
        (10**15, "1000.0 TB"),
    ],
)
def test_sizes_are_shown_for_people(count: int | None, shown: str) -> None:
    assert size_of(count) == shown


class _Screen:
    """A terminal that keeps what is written on it."""

    def __init__(self) -> None:
        self._ours, theirs = pty.openpty()
        self.stream = os.fdopen(theirs, "w")

    def read(self) -> str:
        self.stream.flush()
        os.set_blocking(self._ours, False)
        parts = []
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._ours, 65_536):
                parts.append(part)
        return b"".join(parts).decode("utf-8", "replace")

    def close(self) -> None:
        self.stream.close()
        os.close(self._ours)


@pytest.fixture
def screen() -> Iterator[_Screen]:
    made = _Screen()
    yield made
    made.close()


def _on(screen: _Screen, act: Callable[[Terminal], object]) -> str:
    with contextlib.redirect_stderr(screen.stream), contextlib.redirect_stdout(screen.stream):
        act(Terminal("publish", as_json=False))
    return screen.read()


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_has_colour_unless_told_otherwise(
    screen: _Screen, monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)
    shown = _on(screen, lambda t: t.failure(Refused("no", hint="yes")))
    assert ("\x1b[1;31m" in shown, "refused: no" in shown) == (coloured, True)


def test_a_bar_shows_how_far_a_file_is_and_goes_when_it_is_done(
    screen: _Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")

    def act(terminal: Terminal) -> None:
        for done in (0, 500, 1000):
            terminal.progress("a.bin", done, 1000)
        terminal.progress("nothing", 0, 0)
        terminal.progress("b.bin", 1, 1000)
        terminal.step("Next")

    shown = _on(screen, act)
    assert ("a.bin" in shown, "1.0/1.0 kB" in shown, "nothing" in shown, "Next" in shown) == (True, True, False, True)


def test_names_on_a_terminal_are_harmless_too(screen: _Screen) -> None:
    shown = _on(screen, lambda t: t.note(HOSTILE))
    assert ("\\x1b[31mred" in shown, "\u202e" in shown) == (True, False)


def test_a_reader_that_went_away_is_not_our_failure() -> None:
    """`release status | head -1`."""
    code = (
        "import sys; from release.adapters.terminal import Terminal\n"
        "for _ in range(10000): Terminal('status', as_json=True).result({'x': 'y' * 100}, lambda: [])\n"
    )
    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$0" -c "$1" | head -1 >/dev/null', sys.executable, code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
