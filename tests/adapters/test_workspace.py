"""`.release/NAME/`: a place of its own, into which nothing leads and out of which nothing leads."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.adapters.workspace import Workspace, workspaces
from release.errors import Refused, Unavailable, Unfinished
from release.values import Mode, RepoPath, Sha256, TagName

Disk = Callable[[int], AbstractContextManager[None]]
A = RepoPath("d/a.txt")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "top").mkdir()
    return tmp_path / "top"


@pytest.fixture
def space(top: Path) -> Workspace:
    return Workspace(top, TagName("v1"))


def test_a_written_file_is_read_back_with_its_size_digest_and_beginning(space: Workspace) -> None:
    space.start()
    written = space.write(A, iter([b"", b"one\n", b"two\n"]), Mode.REGULAR)
    assert (written.size, written.sha256, written.start) == (8, Sha256.of(b"one\ntwo\n"), b"one\n")
    assert (space.read(A), list(space.chunks(A)), space.present()) == (b"one\ntwo\n", [b"one\ntwo\n"], {A})


def test_only_the_beginning_of_a_file_is_kept_in_mind(space: Workspace) -> None:
    space.start()
    assert space.write(A, [b"x" * 5000], Mode.REGULAR).start == b"x" * 1024


def test_large_files_are_read_in_chunks(space: Workspace) -> None:
    space.start()
    space.write(A, [b"x" * (1 << 20), b"y"], Mode.REGULAR)
    assert [len(chunk) for chunk in space.chunks(A)] == [1 << 20, 1]


@pytest.mark.parametrize(("mode", "bits"), [(Mode.REGULAR, 0o600), (Mode.EXECUTABLE, 0o700)])
def test_the_owners_bits_are_those_of_the_mode_whatever_the_umask(space: Workspace, mode: Mode, bits: int) -> None:
    before = os.umask(0o077)
    try:
        space.start()
        space.write(A, [b""], mode)
    finally:
        os.umask(before)
    assert (space.tree / A).stat().st_mode & 0o700 == bits


def test_git_does_not_see_the_workspace(space: Workspace, top: Path) -> None:
    space.start()
    assert (top / ".release/.gitignore").read_text() == "*\n"


def test_a_slash_in_a_tag_is_no_folder(top: Path) -> None:
    Workspace(top, TagName("a/b")).start()
    assert (top / ".release/a~b/tree").is_dir()


def test_starting_again_begins_with_nothing_and_keeps_the_journal(space: Workspace) -> None:
    space.start()
    space.write(A, [b"x"], Mode.REGULAR)
    space.note("uploads")
    space.start()
    assert (space.present(), [event["event"] for event in space.events()]) == (set(), ["uploads"])


def test_a_path_is_written_once(space: Workspace) -> None:
    space.start()
    space.write(A, [b"x"], Mode.REGULAR)
    with pytest.raises(Unavailable, match="File exists"):
        space.write(A, [b"y"], Mode.REGULAR)


def test_a_file_is_no_folder(space: Workspace) -> None:
    space.start()
    space.write(RepoPath("a"), [b"x"], Mode.REGULAR)
    with pytest.raises(Unavailable, match="disk did not do it"):
        space.write(RepoPath("a/b"), [b"y"], Mode.REGULAR)


def test_everything_that_lies_in_the_tree_is_present_links_too(space: Workspace) -> None:
    space.start()
    space.write(A, [b""], Mode.REGULAR)
    (space.tree / "link").symlink_to("/etc/passwd")
    (space.tree / "d/folder").symlink_to("/etc")
    assert space.present() == {A, "link", "d/folder"}


@pytest.mark.parametrize("link", [".release", ".release/v1"])
def test_a_workspace_that_is_a_link_is_refused(space: Workspace, top: Path, tmp_path: Path, link: str) -> None:
    """A repository can hold such a link, leading anywhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (top / link).parent.mkdir(exist_ok=True)
    (top / link).symlink_to(outside)
    for ask in (space.start, lambda: space.save("x", b""), lambda: space.note("x"), space.locked().__enter__):
        with pytest.raises(Refused, match="not a folder of its own"):
            ask()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "name", [".gitignore", "v1/tree", "v1/journal.jsonl", "v1/lock", "v1/.plan.json.part", "v1/plan.json"]
)
def test_no_link_inside_the_workspace_is_written_through(
    space: Workspace, top: Path, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    (top / ".release/v1").mkdir(parents=True)
    (top / ".release" / name).symlink_to(outside)
    for ask in (space.start, lambda: space.save("plan.json", b"{}"), lambda: space.note("x"), space.locked().__enter__):
        try:
            ask()
        except Unavailable:
            continue
    assert not outside.exists()


@pytest.mark.parametrize("ask", ["read", "chunks"])
def test_a_link_in_the_tree_is_not_read_through(space: Workspace, ask: str) -> None:
    space.start()
    (space.tree / "link").symlink_to("/etc/passwd")
    with pytest.raises(Unavailable, match="symbolic links"):
        list(getattr(space, ask)(RepoPath("link")))


def test_a_linked_state_file_is_not_there(space: Workspace, tmp_path: Path) -> None:
    space.start()
    (tmp_path / "outside").write_bytes(b"{}")
    (space.folder / "manifest.json").symlink_to(tmp_path / "outside")
    assert space.load("manifest.json") is None


def test_a_pipe_in_the_place_of_a_file_does_not_keep_anybody_waiting(space: Workspace) -> None:
    space.start()
    os.mkfifo(space.tree / "pipe")
    assert space.read(RepoPath("pipe")) == b""


def test_a_state_file_is_replaced_whole(space: Workspace) -> None:
    assert space.load("plan.json") is None
    space.save("plan.json", b"one")
    space.save("plan.json", b"two")
    assert (space.load("plan.json"), sorted(path.name for path in space.folder.iterdir())) == (b"two", ["plan.json"])


def test_what_a_crash_left_of_a_state_file_does_not_matter(space: Workspace) -> None:
    space.save("plan.json", b"one")
    (space.folder / ".plan.json.part").write_bytes(b"half of another, and longer")
    space.save("plan.json", b"two")
    assert space.load("plan.json") == b"two"


def test_a_state_file_can_be_forgotten_twice(space: Workspace) -> None:
    space.save("plan.json", b"one")
    space.forget("plan.json")
    space.forget("plan.json")
    assert space.load("plan.json") is None


def test_events_are_read_in_the_order_of_writing(space: Workspace) -> None:
    space.note("uploads", head="a", argv=["hf", "upload"])
    space.note("upload-ended", code=0)
    events = space.events()
    assert [(event["event"], event.get("argv"), event.get("code")) for event in events] == [
        ("uploads", ["hf", "upload"], None),
        ("upload-ended", None, 0),
    ]


@given(st.integers(0, 200), st.binary(max_size=20))
def test_a_torn_line_hides_neither_what_is_before_nor_what_is_after(
    tmp_path_factory: pytest.TempPathFactory, cut: int, garbage: bytes
) -> None:
    """The machine stopped while it wrote; later, somebody went on."""
    space = Workspace(tmp_path_factory.mktemp("torn"), TagName("v1"))
    space.note("first")
    whole = (space.folder / "journal.jsonl").read_bytes()
    torn = whole[:cut] if cut < len(whole) else garbage.replace(b"\n", b"")
    (space.folder / "journal.jsonl").write_bytes(whole + torn)
    assert [event["event"] for event in space.events()] == ["first"]
    space.note("second")
    assert [event["event"] for event in space.events()] == ["first", *["first"] * (torn == whole[:-1]), "second"]


@pytest.mark.parametrize("line", [b"{", b"\xff", b"[]", b"1", b"{}", b'{"event": 1}', b"[" * 100_000, b""])
def test_a_line_that_is_no_event_is_passed_over(space: Workspace, line: bytes) -> None:
    space.note("first")
    with (space.folder / "journal.jsonl").open("ab") as journal:
        journal.write(line + b"\n")
    assert [event["event"] for event in space.events()] == ["first"]


def test_a_lock_names_who_holds_it(space: Workspace) -> None:
    with space.locked():
        assert int((space.folder / "lock").read_text()) == os.getpid()
        space.holder(1234)
        assert (space.folder / "lock").read_text() == "1234\n"


def test_without_the_lock_it_has_no_descriptor(space: Workspace) -> None:
    with space.locked():
        assert space.lock_handle >= 0
    with pytest.raises(RuntimeError, match="not held"):
        _ = space.lock_handle


HOLD = """
import fcntl, sys
handle = open(sys.argv[1], "a+")
fcntl.flock(handle, fcntl.LOCK_EX)
handle.truncate(0)
handle.write(sys.argv[2])
handle.flush()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(("pid", "told"), [("4711\n", 4711), ("", None), ("²\n", None), ("nonsense", None)])
def test_a_lock_that_another_process_holds_is_unfinished(space: Workspace, pid: str, told: int | None) -> None:
    """An upload may be going on; its process is named."""
    space.start()
    command = [sys.executable, "-c", HOLD, str(space.folder / "lock"), pid]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Unfinished, match="another run is publishing") as caught, space.locked():
            raise AssertionError("the lock was given away twice")
        other.communicate()
    assert caught.value.facts == {"pid": told}


def test_a_lock_can_be_taken_again_after_its_holder_is_gone(space: Workspace) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), space.locked():
            raise ZeroDivisionError
    with space.locked():
        assert space.lock_handle


def test_only_tags_with_a_manifest_are_listed(top: Path) -> None:
    for name in ("v2", "a/b", "v1"):
        Workspace(top, TagName(name)).save("manifest.json", b"{}")
    Workspace(top, TagName("unfinished")).start()
    for name in ("-x", "a b", "con"):
        (top / ".release" / name).mkdir()
        (top / ".release" / name / "manifest.json").write_text("{}")
    assert workspaces(top) == ("a/b", "v1", "v2")


def test_without_a_workspace_none_is_listed(top: Path) -> None:
    assert workspaces(top) == ()


def test_a_full_disk_is_unavailable_whatever_is_written(space: Workspace, disk_with: Disk) -> None:
    space.start()
    for ask in (
        lambda: space.write(A, [b"x" * 1000], Mode.REGULAR),
        lambda: space.save("plan.json", b"x" * 1000),
        lambda: space.note("x", text="x" * 1000),
    ):
        with disk_with(100), pytest.raises(Unavailable, match="disk did not do it"):
            ask()
    assert (space.load("plan.json"), space.events()) == (None, [])


def test_a_disk_that_was_full_swallows_no_later_event(space: Workspace, disk_with: Disk) -> None:
    with disk_with(50), pytest.raises(Unavailable):
        space.note("announced", text="x" * 1000)
    space.note("after")
    assert [event["event"] for event in space.events()] == ["after"]


def test_a_file_in_the_place_of_the_workspace_is_unavailable(space: Workspace, top: Path) -> None:
    (top / ".release").write_text("")
    for ask in (space.start, lambda: space.save("x", b""), lambda: space.note("x")):
        with pytest.raises(Unavailable, match="disk did not do it"):
            ask()


def test_a_name_that_no_file_can_have_is_unavailable(space: Workspace) -> None:
    space.start()
    with pytest.raises(Unavailable, match="too long"):
        space.save("x" * 300, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into a read-only folder")
def test_a_read_only_folder_is_unavailable(space: Workspace, top: Path) -> None:
    top.chmod(0o555)
    with pytest.raises(Unavailable, match="disk did not do it"):
        space.start()


def test_an_event_is_one_line_of_json_with_its_time(space: Workspace) -> None:
    space.note("x", text="line\nbreak \u202e")
    (line,) = (space.folder / "journal.jsonl").read_bytes().splitlines()
    assert sorted(json.loads(line)) == ["at", "event", "text"]
