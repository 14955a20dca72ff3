"""Outcomes of a suite → a table, a JSON document, JUnit XML. Pure: what was made comes in, text goes out.

None of them holds a prompt: names, results and findings, which are bounded (L-007).
"""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from release.render.suite import Outcome
from release.values import EngineRun, Finding, Level

SCHEMA = "hf-release/suite/v1"
# What XML 1.0 cannot hold, escaped or not.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Result(StrEnum):
    """What came of one fixture in one engine. SKIPPED: the engine was not given it, for the reason that is told."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Report:
    """A whole run. `findings` are those about no single fixture; the others belong to their outcomes."""

    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]
    engines: tuple[EngineRun, ...]

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        return (*self.findings, *(finding for outcome in self.outcomes for finding in outcome.findings))

    @property
    def passed(self) -> bool:
        """Whether nothing was found that stops a release, and something was rendered at all."""
        errors = any(finding.level is Level.ERROR for finding in self.all_findings)
        return not errors and any(engine.renders for engine in self.engines)


def collect(made: Iterable[Finding | Outcome | EngineRun]) -> Report:
    """The report of a run that is heard to its end (`suite.run_suite`, and findings from before it)."""
    heard = tuple(made)
    return Report(
        tuple(one for one in heard if isinstance(one, Outcome)),
        tuple(one for one in heard if isinstance(one, Finding)),
        tuple(one for one in heard if isinstance(one, EngineRun)),
    )


def result_of(outcome: Outcome) -> Result:
    if any(finding.level is Level.ERROR for finding in outcome.findings):
        return Result.FAILED
    return Result.PASSED if outcome.not_asked is None else Result.SKIPPED


def table(report: Report) -> Mapping[tuple[str, str], Mapping[str, Result]]:
    """(template's path, fixture's name) → engine → result, in the order in which they came."""
    rows: dict[tuple[str, str], dict[str, Result]] = {}
    for outcome in report.outcomes:
        row = rows.setdefault((outcome.case.path, outcome.fixture.name), {})
        row[outcome.engine] = result_of(outcome)
    return rows


def to_document(report: Report) -> dict[str, object]:
    """The report as values that JSON can hold."""
    templates: dict[str, dict[str, object]] = {}
    for (path, fixture), row in table(report).items():
        templates.setdefault(path, {})[fixture] = dict(row)
    skipped: dict[str, dict[str, int]] = {}
    for outcome in report.outcomes:
        if outcome.not_asked is not None:
            reasons = skipped.setdefault(outcome.engine, {})
            reasons[outcome.not_asked] = reasons.get(outcome.not_asked, 0) + 1
    return {
        "schema": SCHEMA,
        "passed": report.passed,
        "engines": [dict(vars(engine)) for engine in report.engines],
        "templates": templates,
        "skipped": skipped,
        "findings": [dict(vars(finding)) for finding in report.all_findings],
    }


def to_junit(report: Report) -> bytes:
    """JUnit XML: a suite for each engine and template, a case for each fixture, and one for the template itself.

    An engine that did not run is a suite with one skipped case.
    """
    root = ElementTree.Element("testsuites", name="release suite")
    for engine in report.engines:
        if engine.not_run is not None:
            suite = _suite(root, engine.name, [])
            skipped = ElementTree.SubElement(suite, "testcase", classname=_safe(engine.name), name="the engine")
            ElementTree.SubElement(skipped, "skipped", message=_safe(f"not run: {engine.not_run}"))
            suite.set("tests", "1")
            suite.set("skipped", "1")
            continue
        for path in dict.fromkeys(one.case.path for one in report.outcomes if one.engine == engine.name):
            _suite(root, f"{engine.name}: {path}", _of(report.outcomes, engine.name, path))
    if report.findings:
        suite = _suite(root, "templates and engines", [])
        for finding in report.findings:
            case = ElementTree.SubElement(suite, "testcase", classname=_safe(finding.path or ""), name=finding.rule)
            if finding.level is Level.ERROR:
                _failure(case, [finding])
        suite.set("tests", str(len(report.findings)))
        suite.set("failures", str(len(suite.findall(".//failure"))))
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _of(outcomes: Sequence[Outcome], engine: str, path: str) -> list[Outcome]:
    return [one for one in outcomes if one.engine == engine and one.case.path == path]


def _suite(root: ElementTree.Element, name: str, outcomes: Sequence[Outcome]) -> ElementTree.Element:
    results = [result_of(outcome) for outcome in outcomes]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=_safe(name),
        tests=str(len(outcomes)),
        failures=str(results.count(Result.FAILED)),
        skipped=str(results.count(Result.SKIPPED)),
        errors="0",
    )
    for outcome, result in zip(outcomes, results, strict=True):
        attributes = {"classname": _safe(f"{outcome.engine}.{outcome.case.path}"), "name": _safe(outcome.fixture.name)}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if result is Result.FAILED:
            _failure(case, outcome.findings)
        elif result is Result.SKIPPED:
            ElementTree.SubElement(case, "skipped", message=_safe(outcome.not_asked or ""))
    return suite


def _failure(case: ElementTree.Element, findings: Sequence[Finding]) -> None:
    first = findings[0]
    failure = ElementTree.SubElement(case, "failure", type=first.rule, message=_safe(first.message))
    failure.text = _safe("\n".join(_shown(finding) for finding in findings))


def _shown(finding: Finding) -> str:
    place = ":".join(str(part) for part in (finding.path, finding.line, finding.column) if part is not None)
    return f"{place}: [{finding.rule}] {finding.message}" if place else f"[{finding.rule}] {finding.message}"


def _safe(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
