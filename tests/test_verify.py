"""What is public against what was recorded; and where the token goes."""

import json

from story import Story
from support import TOKEN


def test_verify_reads_everything_and_agrees(story: Story) -> None:
    story.recorded("v1")
    run = story.run("verify", "v1", "--json")
    assert (run.code, run.json["files"], run.json["anonymous"]) == (0, 4, True)


def test_verify_of_an_older_release_accepts_that_the_branch_moved_on(story: Story) -> None:
    story.recorded("v1")
    story.source.commit({"data/b.txt": "two\n"})
    story.published("v2")
    assert story.run("verify", "v1").code == 0


def test_verify_names_what_differs_on_the_branch_after_the_newest_release(story: Story) -> None:
    story.recorded("v1")
    story.commit_on_the_hub(**{"data/a.txt": "edited\n"})
    run = story.run("verify", "v1", "--json")
    assert (run.code, any("data/a.txt" in line for line in run.json["error"]["complaints"])) == (7, True)


def test_verify_notices_a_moved_tag(story: Story) -> None:
    story.recorded("v1")
    story.api.delete_tag(story.repo, tag="v1")
    story.commit_on_the_hub(**{"x.txt": "x\n"})
    story.api.create_tag(story.repo, tag="v1")
    run = story.run("verify", "v1")
    assert (run.code, "the tag v1" in run.err) == (7, True)


def test_no_token_is_said_before_anything_is_written(story: Story) -> None:
    run = story.prepared("v1").run("publish", "--confirm", "--create", token=None)
    assert (run.code, "token" in run.err) == (3, True)


def test_a_token_that_is_not_one_is_refused(story: Story) -> None:
    story.recorded("v1")
    story.source.commit({"data/b.txt": "two\n"})
    run = story.prepared("v2").run("publish", "--confirm", token="not-a-token")
    assert run.code == 3


def test_the_token_is_nowhere_but_in_the_environment(story: Story) -> None:
    story.published("v1")
    story.run("verify", "v1")
    for path in story.source.path.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path


def test_the_record_holds_the_exact_command(story: Story) -> None:
    story.published("v1")
    argv = json.loads((story.source.path / "archive/records/v1.json").read_text())["upload"]["argv"]
    assert argv[:5] == ["hf", "upload", story.repo, ".", "."]
    assert f"--commit-message=Release {'v1'}" in argv


def test_release_notes_name_both_ids(story: Story) -> None:
    run = story.published("v1").json
    notes = (story.source.path / "archive/records/v1.md").read_text()
    assert run["hubCommit"] in notes
    assert run["sourceCommit"] in notes


def test_large_and_odd_files_arrive_whole(story: Story) -> None:
    """A file that the Hub keeps as a large one, an empty one, and names with spaces and other scripts."""
    odd = {
        "data/model.safetensors": bytes(range(256)) * 4096,
        "data/empty.bin": b"",
        "data/a b#c%41+&;é中.txt": b"odd\n",
    }
    story.source.commit(odd)
    run = story.published("v1")
    storage = {change["path"]: change["storage"] for change in run.json["plan"]["changes"]}
    assert story.paths >= set(odd)
    record = json.loads((story.source.path / "archive/records/v1.json").read_text())
    kept = {file["path"]: file["storage"] for file in record["files"]}
    assert (kept["data/model.safetensors"], kept["data/empty.bin"]) == ("lfs", "regular")
    assert storage["data/model.safetensors"] == "lfs"
    assert story.run("verify", "v1").code == 0
