"""Plan → Upload: run `hf upload` once, and find out from the Hub what really happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Conflict, Mismatch, Refused, Unavailable, Unfinished
from release.ports import Journal, Narrator, ReadsHub, ReadsSource, RunsUpload, UploadExit, Waits, WritesHub
from release.values import HubCommit, HubHead, Kind, Oid, Plan, Upload
from release.values.hub import differences
from release.values.outcome import How

# A commit can land minutes after its request was answered with an error (HUB.md §1.0, §4).
_WATCH = 90.0
_PAUSE = 2.0
_FAR = 200
_AGAIN = "run the same command again: it looks for the commit before it does anything"


@dataclass(frozen=True)
class Consent:
    """What the user allowed beyond the plan itself: to make the repository, to keep files of unknown origin."""

    create: bool = False
    adopt: bool = False


@dataclass(frozen=True)
class UploadTree:
    """The only step that changes files on the Hub. `watch` is how long an unclear upload is waited for, in seconds."""

    title: ClassVar[str] = "Uploading"

    source: ReadsSource
    hub: ReadsHub
    makes: WritesHub
    uploads: RunsUpload
    journal: Journal
    clock: Waits
    narrator: Narrator
    consent: Consent
    watch: float = _WATCH

    def run(self, given: Plan, /) -> Upload:
        """Raises `Refused` or `Conflict` before anything was written, `Unfinished` or `Mismatch` afterwards."""
        if given.landed is not None:
            above = self._above(given.landed.oid)
            return _upload(given, given.landed, _known(given.landed_parent), How.FOUND, above)
        self._permitted(given)
        with self.journal.locked():
            if self.source.ref(given.checked.tree.source.tag.ref) != given.checked.tree.source.tag_object:
                raise Conflict("the tag moved while it was being published", hint="look at it, then prepare it again")
            if found := self._wait_for_an_earlier_run(given):
                return found
            head = self._head(given)
            if given.is_empty:
                return self._unchanged(given, head)
            argv = upload_argv(given)
            self.journal.note("upload-begins", release=given.release_id, head=head.commit, argv=argv)
            with _changing("the upload began"):
                ended = self.uploads.run(argv)
                self.journal.note("upload-ended", code=ended.code, said=ended.said[-500:])
                return self._outcome(given, head, ended)

    def _permitted(self, plan: Plan) -> None:
        repo = plan.checked.tree.config.repo
        if plan.head is None and not self.consent.create:
            raise Refused(
                f"{repo} does not exist on {plan.endpoint}, or your token may not see it",
                hint=f"add --create to make it ({plan.checked.tree.config.visibility}), or correct `repo`",
            )
        foreign = plan.of_kind(Kind.FOREIGN)
        if foreign and not self.consent.adopt:
            raise Refused(
                f"{repo} holds {len(foreign)} file(s) that no release put there",
                hint="delete them on the Hub, or add --adopt to keep and record them",
                complaints=[change.path for change in foreign],
            )
        if dropped := [change.path for change in plan.changes if change.ignored]:
            raise Refused(
                f"a .gitignore would drop {len(dropped)} file(s) without a word",
                hint="change the .gitignore in the payload or on the Hub: an upload cannot override it",
                complaints=dropped,
            )
        self.uploads.check_ready()

    def _head(self, plan: Plan) -> HubHead:
        """The head that the plan was made for, read again; or that of the repository made now."""
        head = self.hub.head()
        if plan.head is None:
            if head is not None:
                raise Conflict("the Hub repository appeared after the plan was made", hint=_replan(plan))
            self.journal.note("creates-repository", repo=plan.checked.tree.config.repo)
            with _changing("the Hub was asked to make the repository"):
                self.makes.create_repository(plan.checked.tree.config.visibility)
                head = self.hub.head()
        if head is None:
            raise Conflict("the Hub repository is gone", hint="look at it, then plan again")
        if plan.head is not None and head.commit != plan.head.commit:
            raise Conflict(
                f"the Hub moved: planned on {plan.head.commit}, now {head.commit}",
                hint=_replan(plan),
                facts={"planned": plan.head.commit, "now": head.commit},
            )
        return head

    def _unchanged(self, plan: Plan, head: HubHead) -> Upload:
        """The branch holds these files already, without a commit of ours: there is nothing that could be uploaded."""
        commits = self._newest(2)
        parent = commits[1].oid if len(commits) > 1 else head.commit
        return _upload(plan, commits[0], parent, How.UNCHANGED, ())

    def _wait_for_an_earlier_run(self, plan: Plan) -> Upload | None:
        """Where an earlier run of this release began an upload and did not see it land, wait out what is left."""
        begun: float | None = None
        for event in self.journal.events():
            if event["event"] == "upload-begins":
                begun = self.clock.now()
            elif event["event"] == "upload-ended" and begun is not None:
                begun = min(begun, _seconds(event["at"]))
            elif event["event"] in ("landed", "given-up"):
                begun = None
        if begun is None or plan.head is None:
            return None
        found = self._watch(plan, plan.head, begun + self.watch)
        if found is None:
            self.journal.note("given-up")
        return found

    def _outcome(self, plan: Plan, head: HubHead, ended: UploadExit) -> Upload:
        found = self._look(plan, head)
        if found is None and ended.code == 0 and not ended.interrupted:
            files = self.hub.files(self._newest(1)[0].oid)
            if not differences(plan.checked.tree.entries, files, head.by_path, plan.gone):
                return self._unchanged(plan, head)
        if found is None and not ended.interrupted:
            found = self._watch(plan, head, self.clock.now() + self.watch)
        if ended.interrupted:
            where = f"its commit landed: {found.commit}" if found else "no commit has landed so far"
            raise Unfinished(f"interrupted during the upload; {where}", hint=_AGAIN)
        if found is None:
            raise Unfinished(
                f"the upload failed (exit {ended.code}) and no commit of this release has landed: {_last(ended)}",
                hint=_AGAIN,
            )
        return found

    def _watch(self, plan: Plan, head: HubHead, until: float) -> Upload | None:
        left = max(0, round(until - self.clock.now()))
        self.narrator.note(f"it is unclear whether an upload landed: watching the Hub's commits for {left} s")
        while True:
            try:
                if found := self._look(plan, head):
                    return found
            except Unavailable:
                # The Hub is away for a moment; that it comes back is what is waited for.
                pass
            if self.clock.now() >= until:
                return None
            self.clock.sleep(min(_PAUSE, self.watch))

    def _look(self, plan: Plan, head: HubHead) -> Upload | None:
        """Our commit among those since `head`, if it is there. Raises `Mismatch` where another writer came between."""
        commits = self._newest(_FAR)
        oids = [commit.oid for commit in commits]
        if head.commit not in oids:
            raise Mismatch(
                f"the branch no longer holds {head.commit}, on which this release was planned",
                hint="its history was rewritten: look at it before you do anything",
            )
        new = commits[: oids.index(head.commit)]
        ours = [commit for commit in new if commit.trailers.get("Release-Id") == plan.release_id]
        if not ours:
            return None
        first = ours[-1]
        position = oids.index(first.oid)
        faults = differences(plan.checked.tree.entries, self.hub.files(first.oid), head.by_path, plan.gone)
        if position != len(new) - 1 or faults:
            raise Mismatch(
                f"this release landed as {first.oid}, on top of a commit that nobody planned for"
                if position != len(new) - 1
                else f"this release landed as {first.oid}, with other files than were sent",
                hint="look at the Hub's commits; nothing was recorded",
                complaints=[*faults, *(f"{c.oid} {c.title}" for c in new[position + 1 :])],
                facts={"commit": first.oid, "planned": head.commit},
            )
        self.journal.note("landed", commit=first.oid, parent=head.commit)
        return _upload(plan, first, head.commit, How.UPLOADED, tuple(oids[:position]))

    def _above(self, commit: Oid) -> tuple[Oid, ...]:
        oids = []
        for one in self.hub.commits():
            if one.oid == commit:
                break
            oids.append(one.oid)
        return tuple(oids)

    def _newest(self, count: int) -> list[HubCommit]:
        found = []
        for commit in self.hub.commits():
            found.append(commit)
            if len(found) == count:
                break
        return found


@contextmanager
def _changing(since: str) -> Iterator[None]:
    """From here on the Hub may have been changed, whatever it is that stops us."""
    try:
        yield
    except (Unavailable, Refused, OSError, KeyboardInterrupt) as error:
        why = str(error) or "this run was interrupted"
        raise Unfinished(f"{since}, and then {why}", hint=_AGAIN) from error


def upload_argv(plan: Plan) -> tuple[str, ...]:
    """The exact command. Values stand behind `=`, so that none can be read as an option."""
    config = plan.checked.tree.config
    return (
        "hf",
        "upload",
        config.repo,
        ".",
        ".",
        f"--repo-type={config.repo_type.value}",
        "--revision=main",
        f"--commit-message={plan.message}",
        f"--commit-description={plan.description}",
        *(f"--delete={_literal(path)}" for path in sorted(plan.gone)),
        "--format=json",
    )


def _literal(path: str) -> str:
    """A pattern of fnmatch that matches this path alone."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def _upload(plan: Plan, commit: HubCommit, parent: Oid, how: How, above: tuple[Oid, ...]) -> Upload:
    return Upload(plan, commit.oid, parent, commit.date, how, upload_argv(plan), above)


def _known(oid: Oid | None) -> Oid:
    if oid is None:
        raise ValueError("a landed commit has a parent")
    return oid


def _seconds(at: object) -> float:
    from datetime import datetime

    return datetime.fromisoformat(str(at)).timestamp()


def _last(ended: UploadExit) -> str:
    lines = [line.strip() for line in ended.said.replace("\r", "\n").splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


def _replan(plan: Plan) -> str:
    return f"look at what changed: release publish {plan.checked.tree.source.tag}"
