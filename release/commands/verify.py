"""`release verify TAG`: a record of the worktree against the Hub, all files and all bytes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.steps.verify import RecordVerdict


@click.command("verify")
@click.argument("tag")
@json_option
@click.pass_obj
def command(transport: Mapping[str, str], tag: str, as_json: bool) -> None:
    """Compare the Hub with the record of TAG: every file, every byte, the tag, and the branch if it is the newest."""
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.errors import Mismatch, UsageError
    from release.steps.resolve import tag_name

    terminal = Terminal("verify", as_json=as_json)
    with Workshop(Path.cwd(), terminal, transport) as workshop:
        name, records = tag_name(tag), workshop.records()
        record = next((record for record in records if record.tag == name), None)
        if record is None:
            known = ", ".join(record.tag for record in records) or "none"
            raise UsageError(f"there is no record of {name} in archive/records", hint=f"recorded: {known}")
        terminal.step("Verifying against the record")
        same = [one for one in records if (one.repo, one.repo_type) == (record.repo, record.repo_type)]
        verdict = workshop.verifying(record).run(record, newest=same[-1] is record)
    if verdict.faults:
        raise Mismatch(
            f"the Hub does not hold what was recorded for {name} ({len(verdict.faults)} differences)",
            hint="look at the repository's commits before you act; a release can be published again from its tag",
            complaints=verdict.faults,
            facts=verified_document(verdict),
        )
    terminal.result(verified_document(verdict), lambda: verified_tables(verdict))


def verified_document(verdict: "RecordVerdict") -> dict[str, object]:
    record = verdict.record
    return {
        "tag": record.tag,
        "repo": record.repo,
        "sourceCommit": record.source_commit,
        "hubCommit": record.hub_commit,
        "head": verdict.head,
        "files": verdict.files,
        "bytes": verdict.read_bytes,
        "anonymous": verdict.anonymous,
        "faults": list(verdict.faults),
        "notes": list(verdict.notes),
    }


def verified_tables(verdict: "RecordVerdict") -> Iterator["RenderableType"]:
    from release.adapters.terminal import size_of, table

    record = verdict.record
    facts = [
        ("Hub commit", record.hub_commit),
        ("files", f"{verdict.files}, {size_of(verdict.read_bytes)}, every byte hashed"),
        ("read", "without a token" if verdict.anonymous else "with a token: the repository is private"),
        ("tag", f"{record.hub_tag} is on that commit"),
        *(("note", note) for note in verdict.notes),
    ]
    yield table((f"{record.tag} is what its record says", ""), facts)
