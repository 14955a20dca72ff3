"""An engine in a process of its own: what reaches it, what it may use, and what is left when it dies."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from release.render.engines.child import Child, Gone
from release.render.engines.limits import Limits
from release.render.engines.process import ProcessEngine, Program
from release.render.engines.programs import python_program
from release.values.rendering import Failed, Fault, Rendered

HOST = Path(__file__).parent / "hosts" / "odd.py"
SHORT = Limits(seconds=1, cpu_seconds=10)


def odd(limits: Limits | None = None) -> ProcessEngine:
    return ProcessEngine(python_program("odd", HOST, ()), limits)


def speaking(*answers: str) -> Program:
    """A program that answers each request with the next of these lines."""
    code = f"import sys\nfor answer in {answers!r}:\n sys.stdin.readline()\n print(answer, flush=True)"
    return Program("speaking", (sys.executable, "-I", "-S", "-c", code), {})


def dies(pid: int) -> bool:
    """Whether a process is dead soon, be it that nobody waits for it: a signal takes a moment to arrive."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return not Path(f"/proc/{pid}").exists()
        time.sleep(0.01)
    return False


@pytest.fixture
def engine() -> Iterator[ProcessEngine]:
    with odd() as running:
        yield running


def render(engine: ProcessEngine, source: str, **variables: object) -> Rendered | Failed:
    template = engine.compile(source)
    return template if isinstance(template, Failed) else template.render(variables)


def test_an_engine_says_its_name_and_version(engine: ProcessEngine) -> None:
    assert (engine.name, engine.version, engine.unavailable) == ("odd", "odd 1", None)


@pytest.mark.parametrize("text", ["", "é漢😀", 'a\nb\u2028c\x00\x1f"\\', "\ud800", "x" * 3_000_000])
def test_any_text_passes_through_the_pipes(engine: ProcessEngine, text: str) -> None:
    assert render(engine, "echo", text=text) == Rendered(text)


def test_a_prompt_may_hold_what_json_escapes_would_join(engine: ProcessEngine) -> None:
    template = engine.compile("echo")
    assert not isinstance(template, Failed)
    made = template.render({"text": "\ud83d\ude00"})
    assert isinstance(made, Rendered)
    assert made.text.encode("utf-8", "surrogatepass") == "\ud83d\ude00".encode("utf-8", "surrogatepass")


def test_nothing_of_our_environment_reaches_the_process() -> None:
    os.environ["HF_TOKEN_FOR_A_TEST"] = "hf_canary"
    try:
        with odd() as engine:
            made = render(engine, "environment")
    finally:
        del os.environ["HF_TOKEN_FOR_A_TEST"]
    assert isinstance(made, Rendered)
    names, _, rest = made.text.partition(" /")
    assert set(names.split()) <= {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "LC_CTYPE"}
    folder, home, listing = ("/" + rest).split(" ", 2)
    assert os.path.realpath(folder) == os.path.realpath(home)
    assert listing == "['stderr']"
    assert not Path(home).exists()


def test_nothing_is_imported_from_beside_us(engine: ProcessEngine) -> None:
    made = render(engine, "imports")
    assert isinstance(made, Rendered)
    folders = [word for word in made.text.split() if word.startswith("/")]
    assert not any("site-packages" in folder for folder in folders)
    assert str(Path(__file__).parents[2]) not in folders
    assert "dataclasses" not in made.text


def test_what_is_printed_does_not_reach_the_channel(engine: ProcessEngine) -> None:
    assert render(engine, "prints") == Rendered("printed")
    assert render(engine, "echo", text="still right") == Rendered("still right")


def test_a_template_that_is_broken_is_told_with_its_place(engine: ProcessEngine) -> None:
    assert engine.compile("broken") == Failed(Fault.SYNTAX, "it is broken", 3, 4)


@pytest.mark.parametrize(
    ("source", "fault", "said"),
    [
        ("exits", Fault.CRASH, "its process ended with exit code 3 (about to leave)"),
        ("crashes", Fault.CRASH, "its process was killed: Segmentation fault"),
        ("terminates", Fault.CRASH, "its process was killed: Aborted (what():  out of range at row 2:)"),
        ("aborts", Fault.MEMORY, "memory allocation of 8 bytes failed"),
        ("fails", Fault.CRASH, "an error that nobody names"),
        ("grows", Fault.MEMORY, "it needed more than 1073741824 bytes"),
    ],
)
def test_a_process_that_dies_is_one_failure_and_the_next_render_has_a_new_one(
    engine: ProcessEngine, source: str, fault: Fault, said: str
) -> None:
    echo = engine.compile("echo")
    assert not isinstance(echo, Failed)
    made = render(engine, source)
    assert isinstance(made, Failed)
    assert made.fault is fault
    assert said in made.message
    assert echo.render({"text": "alive"}) == Rendered("alive")


@pytest.mark.parametrize("source", ["sleeps", "burns"])
def test_what_takes_too_long_is_killed(source: str) -> None:
    with odd(SHORT) as engine:
        assert render(engine, source) == Failed(Fault.TIMEOUT, "no answer within 1 seconds")
        assert render(engine, "echo", text="alive") == Rendered("alive")


def test_what_uses_too_much_processor_time_ends_itself() -> None:
    with odd(Limits(seconds=30, cpu_seconds=0)) as engine:
        assert render(engine, "burns") == Failed(Fault.TIMEOUT, "it used up its processor time")


def test_a_process_that_closes_its_pipes_is_dead_to_us() -> None:
    with odd() as engine:
        assert render(engine, "closes") == Failed(Fault.CRASH, "its process closed its output")


def test_a_file_cannot_grow_beyond_its_limit(engine: ProcessEngine) -> None:
    assert render(engine, "writes") == Rendered("File too large")


def test_a_prompt_cannot_be_longer_than_its_limit() -> None:
    with odd(Limits(characters=5)) as engine:
        assert render(engine, "echo", text="12345") == Rendered("12345")
        said = "the prompt has 6 characters, more than 5"
        assert render(engine, "echo", text="123456") == Failed(Fault.MEMORY, said)


def test_what_a_process_started_dies_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with odd(Limits(seconds=2)) as engine:
        assert render(engine, "forks", note=str(note)) == Failed(Fault.TIMEOUT, "no answer within 2 seconds")
    pid = int(note.read_text())
    assert dies(pid)


def test_an_engine_can_be_entered_again() -> None:
    engine = odd()
    for _ in range(2):
        with engine:
            assert render(engine, "echo", text="x") == Rendered("x")


def test_an_engine_outside_its_block_is_a_mistake_of_ours() -> None:
    with pytest.raises(RuntimeError, match="outside its `with` block"):
        odd().compile("echo")


def test_many_templates_are_more_than_a_process_keeps_and_all_still_render(engine: ProcessEngine) -> None:
    engine.compile("echo")
    answers = [engine.ask({"compile": "echo", "key": f"key {n}"}) for n in range(70)]
    assert answers == [{"ok": True}] * 70
    assert engine.ask({"render": "key 0", "variables": {"text": "x"}}) == {"unknown": "key 0"}
    assert render(engine, "echo", text="x") == Rendered("x")


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (Program("gone", ("/no/such/program",), {}), "/no/such/program: No such file or directory"),
        (Program("missing", (), {}, missing="the package x is not installed"), "the package x is not installed"),
        (speaking('{"unavailable": "too old"}'), "it does not start: too old"),
        (speaking('{"fault": "crash", "message": "no"}'), "it does not start: no"),
        (speaking("[1]"), "it does not start: an answer that cannot be read: it is no object"),
        (speaking(), "it does not start: its process ended with exit code 0"),
    ],
)
def test_an_engine_that_cannot_start_says_why(program: Program, reason: str) -> None:
    with ProcessEngine(program) as engine:
        assert engine.unavailable is not None
        assert engine.unavailable.endswith(reason)
        assert engine.version == ""
        compiled = engine.compile("x")
    assert isinstance(compiled, Failed)
    assert compiled.fault is Fault.CRASH


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("not JSON", "an answer that cannot be read: Expecting value"),
        ('{"fault": "strange"}', "an answer that cannot be read: 'strange' is not a valid Fault"),
        ("[" * 10_000, "an answer that cannot be read: maximum recursion depth"),
        ('{"text": 3}', "an answer without a prompt"),
        ('{"text": "' + "x" * 100_000 + '"}', "an answer of more than 16,120 bytes"),
    ],
)
def test_an_answer_that_makes_no_sense_is_a_crash(answer: str, said: str) -> None:
    program = speaking('{"version": "1"}', '{"ok": true}', answer)
    with ProcessEngine(program, Limits(characters=20)) as engine:
        made = render(engine, "x")
    assert isinstance(made, Failed)
    assert made.fault is Fault.CRASH
    assert said in made.message


def test_lines_that_are_no_lines_are_left_out() -> None:
    program = speaking('{"version": "1"}', json.dumps({"fault": "raised", "message": "m", "line": 0, "column": "3"}))
    with ProcessEngine(program) as engine:
        assert engine.compile("x") == Failed(Fault.RAISED, "m")


def test_a_process_that_stops_reading_is_a_timeout() -> None:
    child = Child((sys.executable, "-I", "-S", "-c", "import time\ntime.sleep(60)"))
    with pytest.raises(Gone) as caught:
        child.ask(b"x" * 1_000_000, 0.3, 100)
    assert caught.value.fault is Fault.TIMEOUT
    child.end()


def test_a_process_that_died_before_it_was_asked_is_a_crash() -> None:
    child = Child((sys.executable, "-I", "-S", "-c", ""))
    time.sleep(0.3)
    with pytest.raises(Gone, match="ended with exit code 0"):
        child.ask(b"x", 5, 100)


def test_an_end_that_comes_twice_is_an_end() -> None:
    child = Child((sys.executable, "-I", "-S", "-c", "import time\ntime.sleep(60)"))
    child.end()
    child.end()
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, signal.SIGTERM)
