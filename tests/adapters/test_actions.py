"""GitHub Actions: what names from outside cannot do to the log and the summary."""

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.adapters.actions import annotate, annotate_error, summarise
from release.values import Finding, Level

ON = {"GITHUB_ACTIONS": "true"}


def test_a_finding_is_one_annotation_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    annotate([Finding("card/bad-yaml", "no: good", Level.ERROR, "README.md", 3, 5)], ON)
    said = capsys.readouterr()
    assert (said.err, said.out) == ("::error file=README.md,line=3,col=5,title=card/bad-yaml::no: good\n", "")


@pytest.mark.parametrize(
    ("level", "word"), [(Level.ERROR, "error"), (Level.WARNING, "warning"), (Level.NOTE, "notice")]
)
def test_each_level_has_its_command(capsys: pytest.CaptureFixture[str], level: Level, word: str) -> None:
    annotate([Finding("a/b", "c", level)], ON)
    assert capsys.readouterr().err == f"::{word} title=a/b::c\n"


@given(
    st.text(), st.text(), st.lists(st.sampled_from(["\n", "\r", "%", ":", ",", "::", "::error::", "%0A"])).map("".join)
)
def test_no_text_can_begin_a_second_command(message: str, path: str, nasty: str) -> None:
    """A line break in a file name must not become a workflow command (CVE-2020-15228)."""
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        annotate([Finding("a/b", message + nasty, path=nasty + path)], ON)
        annotate_error(nasty + message, path + nasty, ON)
    first, second, rest = out.getvalue().split("\n")
    assert (first[:13], second[:21], rest) == ("::error file=", "::error title=release", "")


@given(st.text(), st.text())
def test_what_was_encoded_can_be_read_again(message: str, path: str) -> None:
    """As the runner decodes it."""
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        annotate([Finding("a/b", message, path=path)], ON)
    properties, _, data = out.getvalue()[8:-1].partition("::")
    file = properties.removeprefix("file=").removesuffix(",title=a/b")
    assert "," not in file
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        file, data = file.replace(code, char), data.replace(code, char) if code not in ("%3A", "%2C") else data
    assert (file, data) == (path, message)


@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "false"}, {"GITHUB_STEP_SUMMARY": "/nonexistent"}])
def test_elsewhere_nothing_is_said(capsys: pytest.CaptureFixture[str], environ: dict[str, str]) -> None:
    annotate([Finding("a/b", "c")], environ)
    annotate_error("a", "b", environ)
    summarise("a", {"b": "c"}, environ)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")


def test_a_summary_is_a_table_added_to_what_is_there(tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    summarise("Prepared v1", {"commit": "abc", "files": "3"}, ON | {"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text() == "before\n### Prepared v1\n\n| | |\n| --- | --- |\n| commit | abc |\n| files | 3 |\n\n"


def test_nothing_in_a_cell_can_leave_it(tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    environ = ON | {"GITHUB_STEP_SUMMARY": str(summary)}
    summarise("a\n# b", {"<img src=x>": "one | two\n| three", "odd": "\udcff & \x85"}, environ)
    rows = summary.read_text().splitlines()
    assert rows[0] == "### a # b"
    assert rows[4:6] == ["| &lt;img src=x> | one &#124; two &#124; three |", "| odd | \\udcff &amp; |"]


def test_a_summary_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    summarise("a", {"b": "c"}, ON | {"GITHUB_STEP_SUMMARY": str(tmp_path / "no/such/folder")})
    summarise("a", {"b": "c"}, ON | {"GITHUB_STEP_SUMMARY": str(tmp_path)})


def test_an_error_is_one_annotation_with_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    annotate_error("refused", "try again", ON)
    assert capsys.readouterr().err == "::error title=release::refused — try again\n"
