"""Discussions and pull requests of one repository, and what happened in them.

A pull request is a discussion with commits of its own on `refs/pr/NUM`. Events are kept as the Hub sends them
(HUB.md §1.2, `get_discussion_details`).
"""

import dataclasses
import html
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from release.rehearsal.values import new_id, now, write_json

Status = Literal["draft", "open", "closed", "merged"]
Event = dict[str, Any]


@dataclass(frozen=True)
class Discussion:
    """`base` is the branch that a pull request is for; `merge_commit` is where it ended up on it."""

    num: int
    title: str
    author: str
    status: Status
    created_at: str
    is_pull_request: bool
    base: str = "refs/heads/main"
    merge_commit: str | None = None
    events: tuple[Event, ...] = ()

    @property
    def ref(self) -> str:
        """Where the commits of a pull request are."""
        return f"refs/pr/{self.num}"

    @property
    def is_open(self) -> bool:
        """A draft counts as open."""
        return self.status in ("draft", "open")


class Discussions:
    """The discussions in the file at `path`, numbered from 1."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._all: list[Discussion] = []
        if path.exists():
            for content in json.loads(path.read_text(encoding="utf-8")):
                self._all.append(Discussion(**{**content, "events": tuple(content["events"])}))

    def all(self) -> list[Discussion]:
        """The latest first."""
        return list(reversed(self._all))

    def get(self, num: int) -> Discussion | None:
        """A discussion by its number; None if there is none."""
        return self._all[num - 1] if 0 < num <= len(self._all) else None

    def of_ref(self, ref: str) -> Discussion | None:
        """The pull request whose commits are on `ref`."""
        return next((each for each in self._all if each.is_pull_request and each.ref == ref), None)

    def open(
        self,
        title: str,
        description: str,
        author: str,
        *,
        status: Status = "open",
        is_pull_request: bool = False,
        base: str = "refs/heads/main",
    ) -> Discussion:
        """A new discussion; its description is its first comment."""
        with self._lock:
            first = comment(author, description)
            made = Discussion(
                num=len(self._all) + 1,
                title=title,
                author=author,
                status=status,
                created_at=first["createdAt"],
                is_pull_request=is_pull_request,
                base=base,
                events=(first,),
            )
            self._all.append(made)
            self._save()
        return made

    def add(self, num: int, *events: Event, **changes: Any) -> Discussion:
        """Note events, and what they change."""
        with self._lock:
            before = self._all[num - 1]
            return self._replace(before, events=(*before.events, *events), **changes)

    def revise(self, num: int, revised: Event) -> Discussion:
        """Put another version in place of the event with the same id."""
        with self._lock:
            before = self._all[num - 1]
            events = tuple(revised if each["id"] == revised["id"] else each for each in before.events)
            return self._replace(before, events=events)

    def _replace(self, before: Discussion, **changes: Any) -> Discussion:
        after = dataclasses.replace(before, **changes)
        self._all[before.num - 1] = after
        self._save()
        return after

    def _save(self) -> None:
        write_json(self._path, [dataclasses.asdict(each) for each in self._all])


def author_of(name: str) -> dict[str, Any]:
    """A user as events and discussions name them."""
    return {"name": name, "fullname": name, "type": "user", "avatarUrl": "", "isPro": False}


def comment(author: str, text: str) -> Event:
    """Somebody says something."""
    latest = _version(author, text)
    return _event("comment", author, {"edited": False, "hidden": False, "latest": latest, "history": [latest]})


def edited(before: Event, author: str, text: str) -> Event:
    """A comment with another text; the earlier ones stay in its history."""
    latest = _version(author, text)
    data = {**before["data"], "edited": True, "latest": latest, "history": [*before["data"]["history"], latest]}
    return {**before, "data": data}


def hidden(before: Event, author: str) -> Event:
    """A comment whose text nobody can read any more."""
    latest = _version(author, "This comment has been hidden")
    return {**before, "data": {**before["data"], "hidden": True, "latest": latest, "history": [latest]}}


def status_change(author: str, status: Status) -> Event:
    """Somebody opens, closes or merges."""
    return _event("status-change", author, {"status": status})


def title_change(author: str, before: str, after: str) -> Event:
    """Somebody finds a better title."""
    return _event("title-change", author, {"from": before, "to": after})


def commit_event(author: str, subject: str, oid: str) -> Event:
    """A commit landed on a pull request's branch."""
    return _event("commit", author, {"subject": subject, "oid": oid})


def _event(kind: str, author: str, data: dict[str, Any]) -> Event:
    return {"id": new_id(), "type": kind, "author": author_of(author), "createdAt": now(), "data": data}


def _version(author: str, text: str) -> dict[str, Any]:
    markup = f"<p>{html.escape(text)}</p>"
    return {"raw": text, "html": markup, "updatedAt": now(), "author": author_of(author)}
