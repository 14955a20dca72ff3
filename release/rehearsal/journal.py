"""What was asked of the Hub, in order: method, path and status. Never a token, a query or a body."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace

_KEPT = 50_000  # requests


@dataclass(frozen=True)
class Seen:
    """One request. `path` is as it was sent; `status` is None until it is answered, or if it never was."""

    method: str
    path: str
    status: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path} -> {self.status}"


class Journal:
    """The latest requests, in the order in which they came in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[int, Seen] = OrderedDict()
        self._count = 0

    def note(self, method: str, path: str) -> int:
        """A request came in; its number."""
        with self._lock:
            self._count += 1
            self._seen[self._count] = Seen(method, path)
            if len(self._seen) > _KEPT:
                self._seen.popitem(last=False)
            return self._count

    def answer(self, number: int, status: int) -> None:
        """The request with this number was answered."""
        with self._lock:
            if number in self._seen:
                self._seen[number] = replace(self._seen[number], status=status)

    def all(self) -> list[Seen]:
        """The requests, the earliest first."""
        with self._lock:
            return list(self._seen.values())

    def clear(self) -> None:
        """Forget all requests."""
        with self._lock:
            self._seen.clear()
