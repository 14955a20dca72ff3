"""Upload → Verified: read it back by its commit, and believe only bytes."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Mismatch
from release.ports import Narrator, ReadsHub
from release.values import HubFile, Kind, Oid, Record, Sha256, Upload, Verified
from release.values.hub import HUB_OWN, Expected, differences


@dataclass(frozen=True)
class VerifyUpload:
    """Everything by id, and the bytes of what this release added or changed, or found and keeps."""

    title: ClassVar[str] = "Verifying what is public"

    hub: ReadsHub
    narrator: Narrator

    def run(self, given: Upload, /) -> Verified:
        """Raises `Mismatch` naming every file that is not what was sent."""
        plan = given.plan
        files = self.hub.files(given.commit)
        before = (
            {file.path: file for file in plan.base} if given.how.value != "unchanged" else {f.path: f for f in files}
        )
        faults = differences(plan.checked.tree.entries, files, before, plan.gone)
        head = self.hub.head()
        anonymous = head is not None and not head.private
        by_path = {file.path: file for file in files}
        sent = {change.path for change in plan.of_kind(Kind.ADDED, Kind.CHANGED)}
        mine = [entry for entry in plan.checked.tree.entries if entry.path in sent and entry.path in by_path]
        kept = [by_path[path] for path in sorted(set(by_path) - set(plan.checked.tree.by_path) - {HUB_OWN})]
        reader = _Reader(self.hub, given.commit, anonymous, self.narrator, mine, kept)
        faults += reader.faults(mine)
        if faults:
            raise _mismatch(f"{given.commit} is not what was sent", faults, given.commit)
        return Verified(
            upload=given,
            files=files,
            read_back=tuple(entry.path for entry in mine),
            read_bytes=sum(entry.size for entry in mine),
            anonymous=anonymous,
            adopted=tuple((file, reader.digest(file)) for file in kept),
            tag_at=self.hub.refs().tags.get(plan.checked.tree.source.tag),
        )


@dataclass(frozen=True)
class RecordVerdict:
    """What `verify` found of a record: `faults` are rows that differ, `notes` what else is worth knowing."""

    record: Record
    files: int
    read_bytes: int
    anonymous: bool
    head: Oid
    faults: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class VerifyRecord:
    """A record against the Hub, any time later: all files, all bytes, the tag; the branch while it is the newest."""

    title: ClassVar[str] = "Verifying against the record"

    hub: ReadsHub
    narrator: Narrator

    def run(self, given: Record, /, *, newest: bool) -> RecordVerdict:
        """Raises nothing for what differs: that is the verdict. Raises `Mismatch` where the repository is gone."""
        head = self.hub.head()
        if head is None:
            raise Mismatch(
                f"{given.repo} is not on {self.hub.endpoint}, or your token may not see it",
                hint="log in if it is private; otherwise the release was taken away",
            )
        expected = [*given.files, *given.adopted]
        files = self.hub.files(given.hub_commit)
        faults = differences(expected, files, {}, frozenset())
        there = {file.path for file in files}
        reader = _Reader(self.hub, given.hub_commit, not head.private, self.narrator, expected, ())
        faults += [f"the bytes of {fault}" for fault in reader.faults([one for one in expected if one.path in there])]
        held = self.hub.refs().tags.get(given.hub_tag)
        if held != given.hub_commit:
            faults.append(
                f"the tag {given.hub_tag}: it is {f'on {held}' if held else 'gone'}, not on {given.hub_commit}"
            )
        notes = []
        if head.commit != given.hub_commit:
            drift = differences(expected, head.files, {}, frozenset())
            if newest:
                faults += [f"on the branch now: {line}" for line in drift]
            notes.append(f"the branch moved on to {head.commit}" + ("" if drift else ", with the same files"))
        return RecordVerdict(
            record=given,
            files=len(expected),
            read_bytes=sum(one.size for one in expected),
            anonymous=not head.private,
            head=head.commit,
            faults=tuple(faults),
            notes=tuple(notes),
        )


class _Reader:
    """Streams files of one commit and hashes them; nothing that the Hub names touches the disk."""

    def __init__(
        self,
        hub: ReadsHub,
        commit: Oid,
        anonymous: bool,
        narrator: Narrator,
        *wanted: Sequence[Expected] | Sequence[HubFile],
    ) -> None:
        self._hub, self._commit, self._anonymous, self._narrator = hub, commit, anonymous, narrator
        self._total = sum(file.size for files in wanted for file in files)
        self._done = 0

    def faults(self, expected: Iterable[Expected]) -> list[str]:
        return [f"{one.path}: they are not those that were sent" for one in expected if self.digest(one) != one.sha256]

    def digest(self, file: Expected | HubFile) -> Sha256:
        digest, size = hashlib.sha256(), 0
        for chunk in self._hub.read(self._commit, file.path, anonymous=self._anonymous):
            digest.update(chunk)
            size += len(chunk)
            self._done += len(chunk)
            self._narrator.progress("reading back", self._done, self._total)
            if size > file.size:
                # An endless answer is a wrong answer; its length is known beforehand.
                break
        return Sha256(digest.hexdigest())


def _mismatch(what: str, faults: list[str], commit: Oid) -> Mismatch:
    return Mismatch(
        what,
        hint="look at the commit on the Hub before you do anything; the release was not recorded",
        complaints=faults,
        facts={"commit": commit},
    )
