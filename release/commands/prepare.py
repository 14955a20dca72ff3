"""`release prepare TAG`: resolve, build, check; nothing leaves this machine."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import config_option, json_option, offline_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.values import CheckedTree


@click.command("prepare")
@click.argument("tag")
@config_option
@offline_option
@json_option
@click.pass_obj
def command(transport: Mapping[str, str], tag: str, config_from: str | None, offline: bool, as_json: bool) -> None:
    """Build the publishing tree of TAG from git objects, and check it.

    Writes .release/TAG/ and nothing else. Needs no network but for upstream pins that are not cached.
    """
    from release.adapters.actions import annotate, summarise
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.pipeline import prepare

    terminal = Terminal("prepare", as_json=as_json)
    with Workshop(Path.cwd(), terminal, transport) as workshop:
        space = workshop.workspace(tag)
        checked = prepare(tag, workshop.preparing(space, config_from, offline=offline), space, terminal)
    annotate(checked.findings)
    document = prepared_document(checked, str(space.tree))
    summary = {key: str(value) for key, value in document.items() if isinstance(value, str | int)}
    summarise(f"Prepared {checked.tree.source.tag}", summary)
    terminal.result(document, lambda: prepared_tables(checked, str(space.tree)))


def prepared_document(checked: "CheckedTree", folder: str) -> dict[str, object]:
    source, tree = checked.tree.source, checked.tree
    return {
        "tag": source.tag,
        "tagObject": source.tag_object,
        "annotated": source.annotated,
        "signature": vars(source.signature),
        "commit": source.commit,
        "tree": source.tree,
        "notes": list(source.notes),
        "repo": tree.config.repo,
        "config": {"from": tree.config.read_from, "sha256": tree.config.sha256, "overridden": tree.config.overridden},
        "dirHash": tree.dir_hash,
        "bytes": tree.total_bytes,
        "folder": folder,
        "files": [
            {"path": e.path, "size": e.size, "sha256": e.sha256, "origin": e.origin.value, "source": e.source}
            for e in tree.entries
        ],
        "unpublished": list(tree.unmatched),
        "findings": [vars(finding) for finding in checked.findings],
        "engines": [vars(run) for run in checked.engines],
    }


def prepared_tables(checked: "CheckedTree", folder: str) -> Iterator["RenderableType"]:
    from release.adapters.terminal import findings_table, line, size_of, table

    source, tree = checked.tree.source, checked.tree
    if checked.findings:
        yield findings_table(checked.findings)
    if checked.engines:
        ran = [(run.name, run.version, run.not_run or f"{run.renders} renders") for run in checked.engines]
        yield table(("engine", "version", "ran"), ran)
    signature = source.signature.principal or source.signature.detail
    facts = [
        ("tag object", source.tag_object + ("" if source.annotated else " (lightweight)")),
        ("commit", source.commit),
        ("signature", source.signature.state.value + (f": {signature}" if signature else "")),
        ("files", f"{len(tree.entries)}, {size_of(tree.total_bytes)}; {len(tree.unmatched)} of the tag stay home"),
        ("dirHash", tree.dir_hash),
        ("tree", folder),
        *(("note", note) for note in source.notes),
    ]
    yield table((f"{source.tag} is prepared", ""), facts)
    yield line(f"next: release publish {source.tag}")
