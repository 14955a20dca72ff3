"""Releases that somebody got in the way of: foreign files, drift, moved tags and heads, and what is refused."""

import json
from pathlib import Path

from release.rehearsal import EmbeddedHub
from story import Story
from support import SourceRepository


def test_foreign_files_stop_a_release_until_they_are_adopted(story: Story) -> None:
    story.recorded("v1")
    story.commit_on_the_hub(notes__mine="hello\n")
    story.source.commit({"data/b.txt": "two\n"})
    story.prepared("v2")
    plan = story.run("publish", "v2", "--json").json["plan"]
    assert {"notes/mine"} == {change["path"] for change in plan["changes"] if change["kind"] == "foreign"}
    refused = story.run("publish", "--confirm", "--json")
    assert (refused.code, refused.json["error"]["complaints"]) == (3, ["notes/mine"])
    assert story.run("publish", "--confirm", "--adopt").code == 0
    record = json.loads((story.source.path / "archive/records/v2.json").read_text())
    assert [file["path"] for file in record["adopted"]] == ["notes/mine"]


def test_what_was_adopted_stays_without_asking_again(story: Story) -> None:
    story.recorded("v1")
    story.commit_on_the_hub(notes__mine="hello\n")
    story.prepared("v2").run("publish", "--confirm", "--adopt")
    story.source.commit({}, "Record v2")
    story.prepared("v3")
    assert story.run("publish", "--confirm").code == 0
    assert "notes/mine" in story.paths


def test_drift_is_shown_in_the_plan_and_in_the_status(story: Story) -> None:
    story.recorded("v1")
    story.commit_on_the_hub(data__a_txt="x", **{"data/a.txt": "edited\n"})
    status = story.run("status", "--json").json["tags"][0]
    assert any("data/a.txt" in line for line in status["drift"])
    story.source.commit({"data/b.txt": "two\n"})
    plan = story.prepared("v2").run("publish", "v2", "--json").json["plan"]
    assert any(line.startswith("data/a.txt: not the bytes") for line in plan["drift"])


def test_a_moved_tag_is_a_conflict_that_names_both_ids(story: Story) -> None:
    before = story.source.tag("v1")
    story.run("prepare", "v1")
    story.source.git("commit", "--quiet", "--amend", "-m", "Reworded", "--date=2026-02-03T00:00:00+00:00")
    story.source.git("tag", "--force", "-a", "-m", "again", "v1")
    run = story.run("publish", "v1", "--confirm", "--create")
    assert run.code == 4
    assert before in run.err
    assert story.source.git("rev-parse", "v1") in run.err
    assert "same tree, different commit" in run.err


def test_a_moved_hub_is_a_conflict(story: Story) -> None:
    story.recorded("v1")
    story.source.commit({"data/b.txt": "two\n"})
    story.prepared("v2").run("publish", "v2")
    story.commit_on_the_hub(**{"README.md": "---\nlicense: mit\n---\n# B\n"})
    run = story.run("publish", "--confirm")
    assert run.code == 4
    assert "release publish v2" in run.err


def test_a_tag_of_the_hub_elsewhere_is_a_conflict(story: Story) -> None:
    story.recorded("v1")
    story.source.commit({"data/b.txt": "two\n"})
    story.api.create_tag(story.repo, tag="v2")
    run = story.prepared("v2").run("publish", "v2", "--confirm")
    assert run.code == 4
    assert "already has a tag v2" in run.err


def test_a_hub_branch_of_the_tags_name_is_refused(story: Story) -> None:
    story.recorded("v1")
    story.api.create_branch(story.repo, branch="v2")
    run = story.prepared("v2").run("publish", "v2")
    assert run.code == 3
    assert "branch named v2" in run.err


def test_a_gitignore_on_the_hub_that_would_thin_out_the_release_is_refused(story: Story) -> None:
    story.recorded("v1")
    story.commit_on_the_hub(**{".gitignore": "data/\n"})
    story.source.commit({"data/b.txt": "two\n"})
    story.prepared("v2")
    plan = story.run("publish", "v2", "--json").json["plan"]
    assert [change["path"] for change in plan["changes"] if change["ignored"]] == ["data/b.txt"]
    run = story.run("publish", "--confirm", "--adopt")
    assert (run.code, "data/b.txt" in run.err) == (3, True)


def test_a_lost_exec_bit_is_said(story: Story) -> None:
    (story.source.path / "tools/run.sh").chmod(0o755)
    story.source.commit({})
    plan = story.prepared("v1").run("publish", "v1", "--json").json["plan"]
    assert [change["path"] for change in plan["changes"] if change["losesExec"]] == ["tools/run.sh"]


def test_a_tag_with_a_slash_is_released_under_its_whole_name(story: Story) -> None:
    run = story.published("release/0.1.0").json
    assert run["hubTag"] == "release/0.1.0"
    assert (story.source.path / "archive/records/release~0.1.0.json").is_file()
    assert {tag.name for tag in story.api.list_repo_refs(story.repo).tags} == {"release/0.1.0"}


def test_the_same_files_under_another_tag_make_no_commit(source: SourceRepository, hub: EmbeddedHub) -> None:
    story = Story(source, hub)
    first = story.published("v1").json["hubCommit"]
    source.commit({"other.txt": "not published\n"}, "Elsewhere")
    source.git("reset", "--quiet", "--soft", "HEAD~1")
    source.git("rm", "-rq", "--cached", "archive")
    source.git("commit", "--quiet", "-m", "Elsewhere")
    source.git("clean", "-fdq", "archive")
    run = story.published("v2")
    assert (run.json["how"], run.json["hubCommit"], story.commits) == ("unchanged", first, 2)


def test_several_prepared_tags_are_listed_and_none_is_guessed(story: Story) -> None:
    story.prepared("v1").prepared("v2")
    run = story.run("publish", "--confirm", "--json")
    assert (run.code, run.json["error"]["complaints"]) == (2, ["v1", "v2"])


def test_a_tag_that_was_not_prepared_is_refused_with_the_command(story: Story) -> None:
    story.source.tag("v1")
    run = story.run("publish", "v1")
    assert (run.code, "release prepare v1" in run.err) == (3, True)


def test_the_remote_must_hold_the_tag(story: Story, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    story.source.git("init", "--quiet", "--bare", str(remote))
    story.source.git("remote", "add", "origin", str(remote))
    story.prepared("v1")
    absent = story.run("publish", "v1")
    assert (absent.code, "git push origin v1" in absent.err) == (3, True)
    story.source.git("push", "--quiet", "origin", "v1")
    assert story.run("publish", "v1").code == 0


def test_another_tag_on_the_remote_is_a_conflict(story: Story, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    story.source.git("init", "--quiet", "--bare", str(remote))
    story.source.git("remote", "add", "origin", str(remote))
    story.source.tag("v1")
    story.source.git("push", "--quiet", "origin", "v1")
    story.source.git("tag", "--force", "-a", "-m", "again", "v1")
    story.run("prepare", "v1")
    assert story.run("publish", "v1").code == 4


def test_changed_bytes_in_the_workspace_are_noticed(story: Story) -> None:
    story.prepared("v1")
    (story.source.path / ".release/v1/tree/data/a.txt").write_text("changed\n")
    run = story.run("publish", "--confirm", "--create")
    assert (run.code, "data/a.txt" in run.err) == (4, True)
