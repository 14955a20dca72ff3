"""`release status`: each tag and where it stands, here and on the Hub."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.commands.workshop import Workshop
    from release.values import HubHead, HubRefs, Record


@dataclass(frozen=True)
class _Row:
    tag: str
    source_commit: str | None
    prepared: bool
    hub_commit: str | None
    verified: str | None
    drift: tuple[str, ...] | None


@click.command("status")
@json_option
@click.pass_obj
def command(transport: Mapping[str, str], as_json: bool) -> None:
    """Show every prepared or recorded tag: source commit, Hub commit, and drift of the Hub since."""
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop

    terminal = Terminal("status", as_json=as_json)
    with Workshop(Path.cwd(), terminal, transport) as workshop:
        rows = _rows(workshop)
        top = str(workshop.top)
    document = {"repository": top, "tags": [asdict(row) for row in rows]}
    terminal.result(document, lambda: _human(rows))


def _rows(workshop: "Workshop") -> list[_Row]:
    records = {record.tag: record for record in workshop.records()}
    prepared = set(workshop.prepared())
    newest = list(records.values())[-1] if records else None
    seen = {(record.repo, record.repo_type): _on_the_hub(workshop, record) for record in records.values()}
    rows = []
    for tag in [*records, *sorted(prepared - set(records))]:
        record = records.get(tag)
        commit = record.source_commit if record else workshop.git.commit(tag.ref)
        if record is None:
            rows.append(_Row(tag, commit, True, None, None, None))
            continue
        there = seen[record.repo, record.repo_type]
        drift = None if there is None else _drift(record, *there, newest=record is newest)
        said = dict(record.verified).get("readBack")
        rows.append(_Row(tag, commit, tag in prepared, record.hub_commit, said, drift))
    return rows


def _on_the_hub(workshop: "Workshop", record: "Record") -> "tuple[HubHead | None, HubRefs | None] | None":
    """Head and refs; None where the Hub does not answer, which a status may say without failing."""
    from release.errors import Refused, Unavailable

    hub = workshop.hub(record.repo, record.repo_type)
    try:
        head = hub.head()
        return (head, hub.refs()) if head else (None, None)
    except (Unavailable, Refused) as error:
        workshop.terminal.note(str(error))
        return None


def _drift(record: "Record", head: "HubHead | None", refs: "HubRefs | None", *, newest: bool) -> tuple[str, ...]:
    from release.values.hub import differences

    if head is None or refs is None:
        return ("the repository is gone, or your token may not see it",)
    found = []
    held = refs.tags.get(record.hub_tag)
    if held != record.hub_commit:
        found.append(f"the tag {record.hub_tag} is {f'on {held}' if held else 'gone'}")
    if newest and head.commit != record.hub_commit:
        changed = differences([*record.files, *record.adopted], head.files, {}, frozenset())
        found += changed or [f"the branch is on {head.commit}, with the same files"]
    return tuple(found)


def _human(rows: Sequence[_Row]) -> Iterator["RenderableType"]:
    from release.adapters.terminal import line, table

    if not rows:
        yield line("no tag is prepared or recorded; begin with: release prepare TAG")
        return
    shown = [
        (
            row.tag,
            (row.source_commit or "?")[:12],
            "yes" if row.prepared else "no",
            (row.hub_commit or "-")[:12],
            row.verified or "-",
            _drift_cell(row),
        )
        for row in rows
    ]
    yield table(("tag", "source commit", "prepared", "Hub commit", "verified", "drift"), shown)


def _drift_cell(row: _Row) -> str:
    if row.hub_commit is None:
        return "-"
    if row.drift is None:
        return "the Hub did not answer"
    return "; ".join(row.drift) or "none"
