"""Ways to fail, switched on by a test or by a rehearsal, in this process or over HTTP.

A fault says what to do, to which requests (method and path), and how many times:

    hub.faults.add(Fault("status", path="/api/models/*/commit/*", status=503, times=2))
    curl -d '{"kind": "status", "path": "/api/models/*/commit/*", "status": 503}' URL/api/rehearsal/faults
    curl -X DELETE URL/api/rehearsal/faults

    kind            what happens to a request that matches
    status          answered with `status` (and `retry_after`), nothing is done
    status_after    carried out, then answered with `status`: a 504 after the commit landed
    drop            the connection is closed without an answer, nothing is done
    drop_after      carried out, then the connection is closed without an answer
    delay           carried out `seconds` later
    cut             the body of the answer breaks off after `offset` bytes
    corrupt         one byte of the body, at `offset`, is another
    hide            the entry for `file` is missing from a tree, a list of paths or a page
    truncate        a page ends after `count` entries, and there is no next one
    wrong_hash      the entry for `file` has another id (and SHA-256, if it is a large file)
    move_before     somebody else commits to `branch` just before the request is carried out
    move_after      somebody else commits to `branch` just after it succeeded, before it is answered
"""

import fnmatch
import re
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from release.rehearsal.values import new_id

FaultKind = Literal[
    "status",
    "status_after",
    "drop",
    "drop_after",
    "delay",
    "cut",
    "corrupt",
    "hide",
    "truncate",
    "wrong_hash",
    "move_before",
    "move_after",
]


class NotAFault(Exception):
    """A fault that nobody can carry out."""


@dataclass(frozen=True)
class Fault:
    """One way to fail. `path` is a pattern for the unquoted path, in which `*` also crosses `/`.

    `method` None is any. `times` None is for ever. The other fields belong to single kinds; see the table above.
    Raises NotAFault for an unknown kind or a number that makes no sense.
    """

    kind: FaultKind
    path: str = "*"
    method: str | None = None
    times: int | None = 1
    status: int = 503
    retry_after: int | None = None
    seconds: float = 0.0
    offset: int = 0
    count: int = 0
    file: str = "*"
    branch: str = "main"
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        if self.kind not in get_args(FaultKind):
            raise NotAFault(f"unknown kind: {self.kind}")
        if self.times is not None and self.times < 1:
            raise NotAFault("times must be at least 1")
        if not 400 <= self.status <= 599:
            raise NotAFault("status must be from 400 to 599")

    def matches(self, method: str, path: str) -> bool:
        """Whether a request is meant; `path` is unquoted."""
        same_method = self.method is None or self.method.upper() == method
        return same_method and re.match(fnmatch.translate(self.path), path) is not None

    def hits(self, name: str) -> bool:
        """Whether a file of a listing is meant."""
        return fnmatch.fnmatchcase(name, self.file)

    def to_json(self) -> dict[str, Any]:
        """The fault as POST /api/rehearsal/faults takes it, with its id."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Fault":
        """Raises NotAFault."""
        names = {each.name for each in fields(cls)} - {"id"}
        unknown = sorted(content.keys() - names)
        if unknown or "kind" not in content:
            raise NotAFault(f"unknown keys: {', '.join(unknown)}" if unknown else "kind is missing")
        try:
            return cls(**content)
        except TypeError as error:
            raise NotAFault(str(error)) from error


class Faults:
    """The faults that are switched on, in the order in which they were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: dict[str, tuple[Fault, int | None]] = {}

    def add(self, fault: Fault) -> Fault:
        """Switch a fault on."""
        with self._lock:
            self._left[fault.id] = (fault, fault.times)
        return fault

    def clear(self) -> None:
        """Switch all faults off."""
        with self._lock:
            self._left.clear()

    def active(self) -> list[tuple[Fault, int | None]]:
        """Each fault and how many times it will still strike."""
        with self._lock:
            return list(self._left.values())

    def take(
        self,
        method: str,
        path: str,
        kinds: Collection[str],
        applies: Callable[[Fault], bool] = lambda _: True,
    ) -> Fault | None:
        """The first fault of these kinds for a request, if it applies; it counts as having struck."""
        with self._lock:
            for fault, left in self._left.values():
                if fault.kind in kinds and fault.matches(method, path) and applies(fault):
                    if left == 1:
                        del self._left[fault.id]
                    elif left is not None:
                        self._left[fault.id] = (fault, left - 1)
                    return fault
        return None
