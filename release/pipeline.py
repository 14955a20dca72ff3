"""The two halves of a release, step by step. The only file that knows all steps.

prepare   resolve → build → check                     needs no Hub
publish   reopen → plan → upload → verify → record    asks for consent between plan and upload
"""

import json
from dataclasses import dataclass
from typing import Protocol, TypeVar

from release.errors import Conflict, Mismatch, Refused, Unavailable, Unfinished
from release.ports import Narrator, Records, State
from release.steps.build import Build
from release.steps.check import CheckTree, Recall
from release.steps.plan import MakePlan
from release.steps.record import Recorded, WriteRecord
from release.steps.reopen import Reopen
from release.steps.resolve import Resolve
from release.steps.upload import UploadTree
from release.steps.verify import VerifyUpload
from release.values import CheckedTree, Kind, Plan, Verified
from release.values.outcome import How

PLAN = "plan.json"
_Given = TypeVar("_Given", contravariant=True)
_Made = TypeVar("_Made", covariant=True)


class Step(Protocol[_Given, _Made]):
    """One stage: what to call it on screen, and how it turns one value into the next."""

    @property
    def title(self) -> str: ...

    def run(self, given: _Given, /) -> _Made: ...


@dataclass(frozen=True)
class Preparing:
    """The steps of `release prepare`."""

    resolve: Resolve
    build: Build
    check: CheckTree


@dataclass(frozen=True)
class Reopening:
    """The steps that bring a prepared release back, unchanged or not at all."""

    resolve: Resolve
    reopen: Reopen
    recall: Recall


@dataclass(frozen=True)
class Publishing:
    """The steps of `release publish --confirm`, after the plan."""

    plan: MakePlan
    upload: UploadTree
    verify: VerifyUpload
    record: WriteRecord


@dataclass(frozen=True)
class Published:
    """What was published, or was found published already (`how`)."""

    plan: Plan
    how: How
    verified: Verified
    recorded: Recorded
    again: bool


def prepare(tag: str, steps: Preparing, state: State, narrator: Narrator) -> CheckedTree:
    """Raises `Refused` where a check says no; nothing outside the tag's workspace is written."""
    source = _run(steps.resolve, tag, narrator)
    tree = _run(steps.build, source, narrator)
    checked = _run(steps.check, tree, narrator)
    # A plan is about one tree; the one that was reviewed may have been another.
    state.forget(PLAN)
    return checked


def reopen(tag: str, steps: Reopening, narrator: Narrator) -> CheckedTree:
    """The release that `prepare` left. Raises `Conflict` where tag or bytes changed since."""
    source = _run(steps.resolve, tag, narrator)
    return _run(steps.recall, _run(steps.reopen, source, narrator), narrator)


def plan(checked: CheckedTree, step: MakePlan, state: State, narrator: Narrator) -> Plan:
    """`release publish` without --confirm: the plan, kept so that exactly it can be confirmed."""
    made = _run(step, checked, narrator)
    state.save(PLAN, made.to_json())
    return made


def publish(checked: CheckedTree, steps: Publishing, state: State, records: Records, narrator: Narrator) -> Published:
    """Raises what the steps raise; once an upload may have begun, nothing milder than `Unfinished`."""
    made = _run(steps.plan, checked, narrator)
    if made.landed is None:
        _as_reviewed(made, state)
    upload = _run(steps.upload, made, narrator)
    try:
        known = {content for _, content in records.all()}
        verified = _run(steps.verify, upload, narrator)
        recorded = _run(steps.record, verified, narrator)
    except (Unavailable, Refused, Conflict, OSError, KeyboardInterrupt) as error:
        why = str(error) or "this run was interrupted"
        raise Unfinished(
            f"the release is on the Hub as {upload.commit}, but {why}",
            hint="run the same command again: it verifies and records what is there",
            complaints=getattr(error, "complaints", ()),
            facts={"commit": upload.commit},
        ) from error
    again = recorded.record.to_json() in known
    if upload.above and not again:
        raise Mismatch(
            f"the release is verified and recorded as {upload.commit}, but the branch moved on to {upload.above[0]}",
            hint="another writer committed after it: look at the Hub",
            complaints=upload.above,
            facts={"commit": upload.commit, "head": upload.above[0]},
        )
    return Published(made, upload.how, verified, recorded, again)


def _run(step: Step[_Given, _Made], given: _Given, narrator: Narrator) -> _Made:
    narrator.step(step.title)
    return step.run(given)


def _as_reviewed(made: Plan, state: State) -> None:
    """What was reviewed is what is confirmed; without a review, nothing may be lost."""
    tag = made.checked.tree.source.tag
    stored = state.load(PLAN)
    if stored is not None:
        try:
            reviewed = json.loads(stored)["digest"]
        except (ValueError, KeyError, TypeError):
            reviewed = "unreadable"
        if reviewed != made.digest:
            raise Conflict(
                f"the plan for {tag} is no longer the one that was shown ({reviewed[:12]}, now {made.digest[:12]})",
                hint=f"look at it again: release publish {tag}",
                facts={"reviewed": reviewed, "now": made.digest},
            )
        return
    lost = [change.path for change in made.of_kind(Kind.DELETED) if not change.kept_in_archive]
    if lost:
        raise Refused(
            f"publishing {tag} deletes {len(lost)} file(s) whose bytes the archive does not keep",
            hint=f"review the plan first: release publish {tag}",
            complaints=lost,
        )
