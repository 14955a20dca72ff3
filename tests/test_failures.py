"""What can go wrong between here and the Hub, and what a rerun then finds: one commit, and the truth."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from prepared import Prepared
from release.errors import Mismatch, ReleaseError, Unfinished
from release.rehearsal import EmbeddedHub
from release.rehearsal.faults import Fault
from support import SourceRepository, release, start_release

COMMIT = "/api/models/*/commit/*"


@pytest.fixture
def prepared(source: SourceRepository, own_hub: EmbeddedHub) -> Prepared:
    return Prepared(source, own_hub)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status_after", path=COMMIT, method="POST", status=504),
        Fault("status_after", path=COMMIT, method="POST", status=500),
        Fault("drop_after", path=COMMIT, method="POST"),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
def test_a_commit_that_landed_behind_an_error_is_found(prepared: Prepared, fault: Fault) -> None:
    """The command fails although its commit is there: the Hub is believed, not the exit code."""
    prepared.hub.faults.add(fault)
    done = prepared.publish()
    assert (done.how.value, prepared.ours, prepared.record.is_file()) == ("uploaded", 1, True)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status", path=COMMIT, method="POST", status=503),
        Fault("status", path="/api/models/*/preupload/*", method="POST", status=503, times=9),
        Fault("drop", path=COMMIT, method="POST"),
    ],
    ids=["commit-503", "preupload-503", "commit-dropped"],
)
def test_an_upload_that_failed_is_finished_by_the_next_run(prepared: Prepared, fault: Fault) -> None:
    if "preupload" in fault.path:
        # The plan asks first; let that pass and the upload's own question fail.
        release(prepared.source.path, "publish", "v1", hub=prepared.hub.url)
    prepared.hub.faults.add(fault)
    error = prepared.failing(ReleaseError)
    assert error.exit_code in (5, 6)
    prepared.hub.faults.clear()
    prepared.publish()
    assert prepared.ours == 1


def test_nothing_is_uploaded_twice_in_one_run(prepared: Prepared) -> None:
    prepared.hub.faults.add(Fault("status", path=COMMIT, method="POST", status=503, times=None))
    prepared.hub.forget_requests()
    prepared.failing(Unfinished)
    posts = [seen for seen in prepared.hub.requests if seen.method == "POST" and "/commit/" in seen.path]
    assert len(posts) == 1


def test_a_writer_who_came_between_is_named_and_nothing_is_recorded(prepared: Prepared) -> None:
    prepared.hub.faults.add(Fault("move_before", path=COMMIT, method="POST"))
    error = prepared.failing(Mismatch)
    assert "nobody planned for" in error.message
    assert not prepared.record.exists()


def test_a_writer_who_came_after_does_not_hide_the_release(prepared: Prepared) -> None:
    """It is tagged and recorded, and the exit says that the branch is not the release's any more."""
    prepared.hub.faults.add(Fault("move_after", path=COMMIT, method="POST"))
    error = prepared.failing(Mismatch)
    assert "the branch moved on" in error.message
    assert prepared.record.is_file()
    assert [tag.name for tag in prepared.api.list_repo_refs(prepared.repo).tags] == ["v1"]


def test_after_such_a_writer_a_rerun_says_that_it_is_published(prepared: Prepared) -> None:
    prepared.hub.faults.add(Fault("move_after", path=COMMIT, method="POST"))
    prepared.failing(Mismatch)
    assert (prepared.publish().again, prepared.ours) == (True, 1)


def test_a_trailer_alone_is_not_believed(prepared: Prepared) -> None:
    """Somebody commits with our Release-Id, but with other files."""
    plan = release(prepared.source.path, "publish", "v1", "--json", hub=prepared.hub.url).json["plan"]
    prepared.api.upload_file(
        path_or_fileobj=b"forged\n",
        path_in_repo="a.txt",
        repo_id=prepared.repo,
        commit_description=f"Release-Id: {plan['releaseId']}",
    )
    plan = release(prepared.source.path, "publish", "v1", "--json", hub=prepared.hub.url).json["plan"]
    assert (plan["landed"], {c["path"]: c["kind"] for c in plan["changes"]}["a.txt"]) == (None, "changed")


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (Fault("corrupt", path="/*/resolve/*/a.txt", method="GET", times=None), "a.txt"),
        (Fault("wrong_hash", path="/api/models/*/tree/*", file="b.txt", times=None), "b.txt"),
        (Fault("hide", path="/api/models/*/tree/*", file="b.txt", times=None), "b.txt"),
    ],
    ids=["corrupt-byte", "wrong-hash", "hidden-file"],
)
def test_what_does_not_come_back_as_it_was_sent_is_named(prepared: Prepared, fault: Fault, named: str) -> None:
    prepared.hub.faults.add(fault)
    error = prepared.failing(Mismatch)
    assert any(named in complaint for complaint in error.complaints)
    assert not prepared.record.exists()


def test_a_tag_that_fails_is_made_by_the_next_run(prepared: Prepared) -> None:
    prepared.hub.faults.add(Fault("status", path="/api/models/*/tag/*", method="POST", status=503, times=9))
    prepared.failing(Unfinished)
    prepared.hub.faults.clear()
    prepared.publish()
    assert (prepared.ours, [tag.name for tag in prepared.api.list_repo_refs(prepared.repo).tags]) == (1, ["v1"])


def test_a_hub_that_is_away_before_the_upload_is_unavailable(prepared: Prepared) -> None:
    run = release(prepared.source.path, "publish", "v1", "--confirm", hub="http://127.0.0.1:9")
    assert (run.code, "did not answer" in run.err) == (5, True)


def test_too_many_requests_are_said_with_the_time_to_wait(prepared: Prepared) -> None:
    fault = Fault("status", path="/api/models/*", method="GET", status=429, retry_after=17, times=None)
    prepared.hub.faults.add(fault)
    run = release(prepared.source.path, "publish", "v1", hub=prepared.hub.url)
    assert (run.code, "17 seconds" in run.err) == (5, True)


@pytest.mark.parametrize("status", [401, 403])
def test_a_hub_that_says_no_is_a_refusal(prepared: Prepared, status: int) -> None:
    prepared.hub.faults.add(Fault("status", path="/api/models/*/preupload/*", status=status, times=None))
    assert release(prepared.source.path, "publish", "v1", "--confirm", hub=prepared.hub.url).code == 3


def test_a_killed_publisher_and_a_rerun_make_one_commit(prepared: Prepared) -> None:
    """SIGKILL of the parent: the upload lives on, holds the lock, and lands; the rerun finds it."""
    with _publishing(prepared, Fault("delay", path=COMMIT, method="POST", seconds=2.0)) as (process, child):
        process.kill()
        process.wait()
        while_running = release(prepared.source.path, "publish", "v1", "--confirm", hub=prepared.hub.url)
        _wait_until(lambda: not _alive(child))
    assert (while_running.code, str(child) in while_running.err) == (6, True)
    again = release(prepared.source.path, "publish", "v1", "--confirm", "--json", hub=prepared.hub.url)
    assert (again.code, again.json["how"], prepared.ours) == (0, "found", 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_upload_is_unfinished_and_its_process_is_gone(prepared: Prepared, number: int) -> None:
    with _publishing(prepared, Fault("delay", path=COMMIT, method="POST", seconds=2.0)) as (process, child):
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, _alive(child)) == (6, False)
    assert "interrupted during the upload" in err


def test_an_interrupt_before_the_upload_wrote_nothing(prepared: Prepared) -> None:
    prepared.hub.faults.add(Fault("delay", path="/api/models/*", method="GET", seconds=5.0))
    process = start_release(prepared.source.path, "publish", "v1", "--confirm", hub=prepared.hub.url)
    _wait_until(lambda: any("/api/models/" in seen.path for seen in prepared.hub.requests))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (process.returncode, prepared.ours) == (130, 0)


def test_a_full_disk_after_the_upload_is_unfinished(prepared: Prepared) -> None:
    """The record cannot be written: the release is there, and the next run records it."""
    (prepared.source.path / "archive").write_text("a file where a folder must be\n")
    prepared.failing(Unfinished)
    (prepared.source.path / "archive").unlink()
    assert prepared.publish().how.value == "found"
    assert prepared.record.is_file()


class _publishing(AbstractContextManager["tuple[subprocess.Popen[str], int]"]):  # noqa: N801
    """A `publish --confirm` that is in the middle of its upload: (its process, the upload's process id)."""

    def __init__(self, prepared: Prepared, fault: Fault) -> None:
        self._prepared = prepared
        prepared.hub.faults.add(fault)

    def __enter__(self) -> "tuple[subprocess.Popen[str], int]":
        hub = self._prepared.hub
        hub.forget_requests()
        self._process = start_release(self._prepared.source.path, "publish", "v1", "--confirm", hub=hub.url)
        _wait_until(lambda: any("/commit/" in seen.path for seen in hub.requests))
        lock = self._prepared.source.path / ".release/v1/lock"
        return self._process, int(lock.read_text())

    def __exit__(self, *exc: object) -> None:
        self._process.kill()
        self._process.communicate()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and that nobody has waited for yet does nothing any more.
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return not state.strip().startswith("Z") and bool(state.strip())


def _wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def test_a_repository_that_may_have_been_made_is_not_nothing(source: SourceRepository, own_hub: EmbeddedHub) -> None:
    """The answer to its creation is lost: something was written, and the next run goes on from there."""
    prepared = Prepared(source, own_hub)
    prepared.api.delete_repo(prepared.repo)
    own_hub.faults.add(Fault("status_after", path="/api/repos/create", method="POST", status=503))
    first = release(source.path, "publish", "v1", "--confirm", "--create", hub=own_hub.url)
    again = release(source.path, "publish", "v1", "--confirm", "--create", hub=own_hub.url)
    assert (first.code, again.code, prepared.ours) == (6, 0, 1)


def test_a_disk_that_fails_after_the_upload_began_is_unfinished(prepared: Prepared) -> None:
    """The journal cannot be written any more, although the commit lands."""
    journal = prepared.source.path / ".release/v1/journal.jsonl"

    class Full(Fault):
        """Takes the journal away when the commit is asked for."""

        def matches(self, method: str, path: str) -> bool:
            if super().matches(method, path) and journal.is_file():
                journal.unlink()
                journal.mkdir()
            return False

    prepared.hub.faults.add(Full("delay", path=COMMIT, method="POST"))
    prepared.failing(Unfinished)
    journal.rmdir()
    assert prepared.publish().how.value == "found"
