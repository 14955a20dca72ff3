"""`release publish [TAG] [--confirm]`: the plan; and with consent, the upload, its verification, the record."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.pipeline import Published
    from release.steps.upload import Consent
    from release.values import Change, Plan


@click.command("publish")
@click.argument("tag", required=False)
@click.option("--confirm", is_flag=True, help="Upload, verify and record. Without it the plan is shown, and kept.")
@click.option(
    "--create", is_flag=True, help="Make the Hub repository if it does not exist (visibility: see the config)."
)
@click.option("--adopt", is_flag=True, help="Keep and record files on the Hub that no release put there.")
@json_option
@click.pass_obj
def command(
    transport: Mapping[str, str], tag: str | None, confirm: bool, create: bool, adopt: bool, as_json: bool
) -> None:
    """Show what publishing TAG would change on the Hub; with --confirm, do it.

    TAG may be left out when exactly one tag is prepared and not yet recorded. Running it again after a crash
    completes what is missing; a second run of a finished release changes nothing.
    """
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop

    terminal = Terminal("publish", as_json=as_json)
    with Workshop(Path.cwd(), terminal, transport) as workshop:
        name = tag if tag is not None else workshop.the_one_prepared()
        if confirm:
            from release.steps.upload import Consent

            _publish(workshop, terminal, name, Consent(create=create, adopt=adopt))
        else:
            _plan(workshop, terminal, name)


def _plan(workshop: "Workshop", terminal: "Terminal", name: str) -> None:
    from release.pipeline import plan, reopen

    space = workshop.workspace(name)
    checked = reopen(name, workshop.reopening(space), terminal)
    made = plan(checked, workshop.planning(space, checked.tree.config), space, terminal)
    document = {"tag": made.checked.tree.source.tag, "confirmed": False, "plan": made.to_document()}
    terminal.result(document, lambda: _human_plan(made))


def _publish(workshop: "Workshop", terminal: "Terminal", name: str, consent: "Consent") -> None:
    from release.adapters.actions import summarise
    from release.pipeline import publish, reopen

    space = workshop.workspace(name)
    checked = reopen(name, workshop.reopening(space), terminal)
    steps = workshop.publishing(space, checked.tree.config, consent)
    done = publish(checked, steps, space, workshop.archive, terminal)
    document = published_document(done)
    summarise(f"Published {name}", {k: str(v) for k, v in document.items() if isinstance(v, str)})
    terminal.result(document, lambda: _human_published(done))


def published_document(done: "Published") -> dict[str, object]:
    record, verified = done.recorded.record, done.verified
    return {
        "tag": record.tag,
        "confirmed": True,
        "already": done.how.value != "uploaded",
        "how": done.how.value,
        "repo": record.repo,
        "endpoint": record.endpoint,
        "sourceCommit": record.source_commit,
        "hubCommit": record.hub_commit,
        "hubParent": record.hub_parent,
        "hubTag": record.hub_tag,
        "releaseId": record.release_id,
        "dirHash": record.dir_hash,
        "readBack": {"files": len(verified.read_back), "bytes": verified.read_bytes, "anonymous": verified.anonymous},
        "duplicates": list(done.plan.duplicates),
        "record": [str(path) for path in done.recorded.paths],
        "plan": done.plan.to_document(),
    }


def plan_tables(plan: "Plan") -> Iterator["RenderableType"]:
    """The changes, then what they come to."""
    from release.adapters.terminal import line, size_of, table

    moving = [change for change in plan.changes if change.kind.value != "unchanged"]
    rows = [(c.kind.value, c.path, size_of(c.was), size_of(c.size), _how(c, plan), _remarks(c)) for c in moving]
    if rows:
        yield table(("change", "path", "was", "becomes", "kept as", "remarks"), rows, right=(2, 3))
    if plan.drift:
        yield table(("drift: the Hub is not what the last record says",), [(text,) for text in plan.drift])
    counts: dict[str, int] = {}
    for change in plan.changes:
        counts[change.kind.value] = counts.get(change.kind.value, 0) + 1
    tree = plan.checked.tree
    facts = [
        ("repository", f"{tree.config.repo} ({tree.config.repo_type.value}) on {plan.endpoint}"),
        ("head", plan.head.commit if plan.head else "the repository does not exist, or your token may not see it"),
        ("changes", ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "none"),
        ("sends", size_of(sum(c.size or 0 for c in moving if c.kind.value in ("added", "changed")))),
        ("total", f"{len(tree.entries)} files, {size_of(tree.total_bytes)}"),
        ("remote", plan.remote.note),
        ("Release-Id", plan.release_id),
        ("plan", plan.digest),
    ]
    yield table((f"plan for {tree.source.tag}", ""), facts)
    if plan.head is not None and not plan.storage_asked:
        yield line("without a token the Hub could not be asked how it will store files, or which a .gitignore drops")


def _human_plan(plan: "Plan") -> Iterator["RenderableType"]:
    from release.adapters.terminal import line

    tag = plan.checked.tree.source.tag
    yield from plan_tables(plan)
    if plan.landed:
        yield line(f"{tag} is already published as {plan.landed.oid}; --confirm would verify and record it")
    elif plan.head is None:
        yield line(f"nothing was written; next: release publish --confirm --create {tag}")
    else:
        yield line(f"nothing was written; next: release publish --confirm {tag}")


def published_tables(done: "Published") -> Iterator["RenderableType"]:
    """Both ids, what was read back, and what to commit."""
    from release.adapters.terminal import line, size_of, table

    record, verified = done.recorded.record, done.verified
    said = "published as" if done.how.value == "uploaded" else "already published at"
    facts = [
        ("source commit", record.source_commit),
        ("Hub commit", record.hub_commit),
        ("Hub tag", f"{record.hub_tag} on the same commit"),
        ("read back", f"{len(verified.read_back)} files, {size_of(verified.read_bytes)}"),
        ("record", str(done.recorded.paths[0].rpartition("/")[0] or ".")),
        *(("the same again", oid) for oid in done.plan.duplicates),
    ]
    yield table((f"{record.tag} is {said} {record.hub_commit[:12]}", ""), facts)
    yield line(f"git add {' '.join(done.recorded.paths)}")


def _human_published(done: "Published") -> Iterator["RenderableType"]:
    if done.how.value == "uploaded":
        yield from plan_tables(done.plan)
    yield from published_tables(done)


def _how(change: "Change", plan: "Plan") -> str:
    if change.storage is None:
        return ""
    return change.storage.value + ("" if plan.storage_asked else "?")


def _remarks(change: "Change") -> str:
    remarks = {
        "a .gitignore drops it": change.ignored,
        "its exec bit is lost": change.loses_exec and change.kind.value in ("added", "changed"),
        "kept in the archive": change.kept_in_archive,
        "in no record": change.kind.value == "foreign",
    }
    return "; ".join(text for text, holds in remarks.items() if holds)
