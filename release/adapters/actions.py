"""GitHub Actions: findings as annotations, results in the job's summary. Silent everywhere else.

Everything is encoded: a line break in a file name must not become a workflow command (CVE-2020-15228).
"""

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress

from release.values import Finding, Level

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def annotate(findings: Iterable[Finding], environ: Mapping[str, str] = os.environ) -> None:
    """One annotation a finding, on stderr, so that stdout stays the result's."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return
    for finding in findings:
        place = {"file": finding.path, "line": finding.line, "col": finding.column, "title": finding.rule}
        properties = ",".join(f"{key}={_property(str(value))}" for key, value in place.items() if value is not None)
        print(f"::{_COMMANDS[finding.level]} {properties}::{_data(finding.message)}", file=sys.stderr)  # noqa: T201


def annotate_error(message: str, hint: str, environ: Mapping[str, str] = os.environ) -> None:
    """A failure of the whole command."""
    if environ.get("GITHUB_ACTIONS") == "true":
        print(f"::error title=release::{_data(f'{message} — {hint}')}", file=sys.stderr)  # noqa: T201


def summarise(title: str, rows: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> None:
    """Append a table of two columns to the job's summary."""
    path = environ.get("GITHUB_STEP_SUMMARY")
    if environ.get("GITHUB_ACTIONS") != "true" or not path:
        return
    lines = [f"### {_cell(title)}", "", "| | |", "| --- | --- |"]
    lines += [f"| {_cell(name)} | {_cell(value)} |" for name, value in rows.items()]
    # A summary that cannot be written is no failure of the release; a name that is not UTF-8 is no failure of it.
    with suppress(OSError), open(path, "a", encoding="utf-8", errors="backslashreplace") as summary:
        summary.write("\n".join([*lines, "", ""]))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")
    return " ".join(escaped.split())
