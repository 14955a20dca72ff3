"""Each request of a publication fails in each way; a rerun then completes it, with one commit and true exit codes.

The whole matrix is `make reliability`; without RELEASE_RELIABILITY a few cells of it run.
"""

import os
import random
from collections.abc import Iterator

import pytest

from prepared import Prepared
from release.errors import ReleaseError
from release.rehearsal import EmbeddedHub
from release.rehearsal.faults import Fault
from support import SourceRepository

_WHOLE = os.environ.get("RELEASE_RELIABILITY") == "1"
_FEW = 8
# (method, path) of every kind of request that a publication makes, the upload's own included; `*` is the repository.
_REQUESTS = [
    ("GET", "/api/models/*/revision/main"),
    ("GET", "/api/models/*/tree/*"),
    ("GET", "/api/models/*/commits/main"),
    ("GET", "/api/models/*/refs"),
    ("POST", "/api/models/*/preupload/main"),
    ("POST", "/api/repos/create"),
    ("POST", "/*.git/info/lfs/objects/batch"),
    ("POST", "/api/models/*/commit/main"),
    ("GET", "/*/resolve/*"),
    ("POST", "/api/models/*/tag/*"),
]
_KINDS = ["status", "status_after", "drop", "drop_after"]
_TIMES = [1, 3, None]


def _cells() -> Iterator[tuple[str, str, str, int | None]]:
    cells = [(*request, kind, times) for request in _REQUESTS for kind in _KINDS for times in _TIMES]
    yield from cells if _WHOLE else random.Random(7).sample(cells, _FEW)


@pytest.mark.parametrize(("method", "path", "kind", "times"), list(_cells()))
def test_a_failing_request_costs_a_rerun_and_nothing_else(
    source: SourceRepository, own_hub: EmbeddedHub, method: str, path: str, kind: str, times: int | None
) -> None:
    prepared = Prepared(source, own_hub)
    own_hub.faults.add(Fault(kind, path=path, method=method, times=times, status=503))  # type: ignore[arg-type]
    first = _exit_code(prepared)
    own_hub.faults.clear()
    written = prepared.ours
    # "Nothing was written" must be true, and so must "done".
    assert written in ({0: {1}, 6: {0, 1}, 7: {0, 1}}.get(first, {0})), (first, written)
    assert _exit_code(prepared) == 0
    assert (prepared.ours, prepared.record.is_file()) == (1, True)
    assert [(tag.name, tag.target_commit) for tag in prepared.api.list_repo_refs(prepared.repo).tags] == [
        ("v1", prepared.api.repo_info(prepared.repo).sha)
    ]


def test_the_matrix_knows_every_request_of_a_publication(source: SourceRepository, own_hub: EmbeddedHub) -> None:
    """A new kind of request must be added to it."""
    prepared = Prepared(source, own_hub)
    own_hub.forget_requests()
    prepared.publish()
    patterns = [Fault("status", path=path, method=method) for method, path in _REQUESTS]
    seen = {(one.method, one.path) for one in own_hub.requests}
    harmless = {"/api/agent-harnesses", "/api/whoami-v2"}
    unknown = {
        (method, path)
        for method, path in seen
        if path not in harmless and not any(pattern.matches(method, path) for pattern in patterns)
    }
    assert unknown == set()


def _exit_code(prepared: Prepared) -> int:
    try:
        prepared.publish(watch=0.2)
    except ReleaseError as error:
        return error.exit_code
    return 0
