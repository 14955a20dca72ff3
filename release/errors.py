"""Every way to stop, each with the exit code that tells what was written on the Hub.

ReleaseError
├── UsageError    2  the command line, a missing tag or repository, the config   nothing written
├── Refused       3  a check or a precondition said no                           nothing written
├── Conflict      4  the tag moved, the Hub moved, a stored plan differs         nothing written
├── Unavailable   5  git, the Hub or the disk did not answer                     nothing written
├── Unfinished    6  the Hub was, or may have been, changed                      run the same command again
└── Mismatch      7  what is public differs from the record                      look before you act

Anything else is a bug: exit 1, with its traceback. An interrupt is 130 before the upload and `Unfinished` after
it began. The text says what happened and why; the hint says what to do next.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar


class ReleaseError(Exception):
    """A stop that was foreseen.

    `hint` is one line: what to do next. `complaints` are all the single reasons, when there are several.
    `facts` are the same facts for programs (ids, paths, counts), as JSON values.
    """

    exit_code: ClassVar[int]

    def __init__(
        self,
        message: str,
        *,
        hint: str,
        complaints: Sequence[str] = (),
        facts: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.complaints = tuple(complaints)
        self.facts = dict(facts or {})


class UsageError(ReleaseError):
    exit_code = 2


class Refused(ReleaseError):
    exit_code = 3


class Conflict(ReleaseError):
    exit_code = 4


class Unavailable(ReleaseError):
    exit_code = 5


class Unfinished(ReleaseError):
    exit_code = 6


class Mismatch(ReleaseError):
    exit_code = 7
