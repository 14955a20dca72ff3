"""`release rehearse [TAG]`: a whole release, on a throw-away clone and an embedded Hub."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.pipeline import Published
    from release.steps.verify import RecordVerdict
    from release.values import CheckedTree, Plan

_TOKEN = "hf_rehearsalrehearsalrehearsal"


@click.command("rehearse")
@click.argument("tag", required=False)
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="Keep clone and Hub in this folder.")
@json_option
@click.pass_obj
def command(transport: Mapping[str, str], tag: str | None, keep: Path | None, as_json: bool) -> None:
    """Release TAG, or what HEAD is now, to an embedded Hub: prepare, plan, publish, verify, record.

    Needs no network, no token and no tag. Nothing of this repository is changed.
    """
    from release.adapters.clone import clone, uncommitted
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.errors import UsageError
    from release.rehearsal import EmbeddedHub
    from release.steps.resolve import tag_name

    terminal = Terminal("rehearse", as_json=as_json)
    _for_loopback()
    with Workshop(Path.cwd(), terminal, transport) as real, _folder(keep) as folder:
        name = tag_name(tag or "rehearsal")
        commit = real.git.commit(name.ref if tag else "HEAD")
        if commit is None:
            hint = "`git tag` lists the tags there are" if tag else "commit something first"
            raise UsageError(f"there is no {'tag ' + tag if tag else 'commit'} to rehearse", hint=hint)
        left_out = uncommitted(real.top) if not tag else ()
        if left_out:
            terminal.note(f"uncommitted, and left out: {', '.join(left_out)}")
        clone(real.top, folder / "source", commit, name)
        with EmbeddedHub(folder / "hub") as hub:
            terminal.note(f"an embedded Hub answers at {hub.url}")
            with Workshop(folder / "source", terminal, {}, (hub.url, _TOKEN)) as workshop:
                show = _Show(terminal)
                _release(workshop, show, name)
    show.finish(folder if keep else None, left_out)


class _Show:
    """Shows each stage when it is done; under --json all of them together, as one object."""

    def __init__(self, terminal: "Terminal") -> None:
        self.terminal = terminal
        self._document: dict[str, object] = {}
        self._last = ""

    def prepared(self, checked: "CheckedTree", folder: str) -> None:
        from release.commands.prepare import prepared_document, prepared_tables

        self._document["prepare"] = prepared_document(checked, folder)
        self._tables(prepared_tables(checked, folder))

    def planned(self, plan: "Plan") -> None:
        from release.commands.publish import plan_tables

        self._document["plan"] = plan.to_document()
        self._tables(plan_tables(plan))

    def published(self, done: "Published") -> None:
        from release.commands.publish import published_document, published_tables

        self._document["publish"] = published_document(done)
        self._last = f"{done.recorded.record.tag} → {done.recorded.record.hub_commit}"
        self._tables(published_tables(done))

    def verified(self, verdict: "RecordVerdict") -> None:
        from release.commands.verify import verified_document, verified_tables

        self._document["verify"] = verified_document(verdict)
        self._tables(verified_tables(verdict))

    def finish(self, kept: Path | None, left_out: tuple[str, ...]) -> None:
        document = {**self._document, "kept": str(kept) if kept else None, "uncommitted": list(left_out)}
        self.terminal.result(document, lambda: self._end(kept))

    def _end(self, kept: Path | None) -> Iterator["RenderableType"]:
        from release.adapters.terminal import line

        yield line(f"rehearsed: {self._last}; nothing real was touched")
        if kept:
            yield line(f"the clone is {kept / 'source'}; look at the Hub with: release hub serve {kept / 'hub'}")

    def _tables(self, tables: Iterator["RenderableType"]) -> None:
        self.terminal.show(tables)


def _release(workshop: "Workshop", show: _Show, tag: str) -> None:
    from release.pipeline import plan, prepare, publish, reopen
    from release.steps.upload import Consent

    terminal, space = workshop.terminal, workshop.workspace(tag)
    checked = prepare(tag, workshop.preparing(space, None, offline=True), space, terminal)
    show.prepared(checked, str(space.tree))
    checked = reopen(tag, workshop.reopening(space), terminal)
    show.planned(plan(checked, workshop.planning(space, checked.tree.config), space, terminal))
    steps = workshop.publishing(space, checked.tree.config, Consent(create=True))
    done = publish(checked, steps, space, workshop.archive, terminal)
    show.published(done)
    verifying = workshop.verifying(done.recorded.record)
    terminal.step(verifying.title)
    show.verified(verifying.run(done.recorded.record, newest=True))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    from release.errors import UsageError

    if keep is None:
        with tempfile.TemporaryDirectory(prefix="release-rehearsal-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    if keep.exists() and any(keep.iterdir()):
        raise UsageError(f"{keep} is not empty", hint="name a folder that does not exist yet")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


def _for_loopback() -> None:
    """What the environment says about the real Hub does not hold for one on this machine."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_OIDC_RESOURCE"):
        os.environ.pop(name, None)
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1", "localhost"]))
