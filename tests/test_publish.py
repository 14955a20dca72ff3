"""Releases told as stories, through the command line: first, again, next."""

import pytest

from story import Story


def test_a_plan_for_a_missing_repository_says_so_and_writes_nothing(story: Story) -> None:
    run = story.prepared("v1").run("publish", "v1", "--json")
    assert (run.code, run.json["plan"]["repositoryExists"]) == (0, False)
    assert not story.api.repo_exists(story.repo)


def test_a_plan_needs_no_token(story: Story) -> None:
    story.recorded("v1")
    story.source.commit({"data/b.txt": "two\n"})
    run = story.prepared("v2").run("publish", "v2", "--json", token=None)
    assert (run.code, run.json["plan"]["storageAsked"]) == (0, False)


def test_a_missing_repository_is_made_only_with_create(story: Story) -> None:
    run = story.prepared("v1").run("publish", "--confirm")
    assert (run.code, story.api.repo_exists(story.repo)) == (3, False)
    assert "--create" in run.err


def test_the_visibility_of_a_new_repository_is_the_configured_one(story: Story) -> None:
    story.published("v1")
    assert story.api.repo_info(story.repo).private is False


def test_a_release_is_one_commit_on_top_of_the_first(story: Story) -> None:
    story.published("v1")
    assert story.commits == 2


def test_the_commit_names_the_release_that_it_is(story: Story) -> None:
    run = story.published("v1").json
    commit = story.api.list_repo_commits(story.repo)[0]
    assert f"Release-Id: {run['releaseId']}" in commit.message
    assert f"Source-Commit: {run['sourceCommit']}" in commit.message


def test_publishing_again_changes_nothing(story: Story) -> None:
    first = story.published("v1").json
    before = (story.source.path / "archive/records/v1.json").read_bytes()
    again = story.run("publish", "v1", "--confirm", "--json")
    assert (again.code, again.json["already"], again.json["hubCommit"]) == (0, True, first["hubCommit"])
    assert story.commits == 2
    assert (story.source.path / "archive/records/v1.json").read_bytes() == before


def test_publishing_again_without_state_finds_the_release_and_writes_the_same_record(story: Story) -> None:
    story.published("v1")
    records = story.source.path / "archive/records"
    before = {path.name: path.read_bytes() for path in records.iterdir()}
    story.source.git("clean", "-fdxq", "archive", ".release")
    story.run("prepare", "v1")
    again = story.run("publish", "--confirm", "--json")
    assert (again.code, again.json["how"], story.commits) == (0, "found", 2)
    assert {path.name: path.read_bytes() for path in records.iterdir()} == before


def test_the_next_release_deletes_what_it_no_longer_has(story: Story) -> None:
    story.recorded("v1")
    story.source.git("rm", "-q", "data/a.txt")
    story.source.commit({"data/b[1].txt": "two\n"})
    story.prepared("v2")
    plan = story.run("publish", "v2", "--json").json["plan"]
    kinds = {change["path"]: change["kind"] for change in plan["changes"]}
    assert (kinds["data/a.txt"], kinds["data/b[1].txt"], kinds["README.md"]) == ("deleted", "added", "unchanged")
    assert story.run("publish", "--confirm").code == 0
    assert {"data/a.txt", "data/b[1].txt"} & story.paths == {"data/b[1].txt"}


def test_a_deleted_name_is_taken_literally(story: Story) -> None:
    """`*` in a name is not a pattern for the rest of the folder."""
    story.source.commit({"data/[x].txt": "odd\n", "data/x.txt": "plain\n"})
    story.recorded("v1")
    story.source.git("rm", "-q", "data/[[]x].txt")
    story.source.commit({})
    story.prepared("v2").run("publish", "v2")
    assert story.run("publish", "--confirm").code == 0
    assert {"data/[x].txt", "data/x.txt"} & story.paths == {"data/x.txt"}


def test_bytes_that_the_archive_does_not_keep_are_deleted_only_after_a_review(story: Story) -> None:
    story.recorded("v1")
    story.source.git("rm", "-q", "data/a.txt")
    story.source.commit({})
    story.prepared("v2")
    assert story.run("publish", "--confirm").code == 3
    assert story.run("publish", "v2").code == 0
    assert story.run("publish", "--confirm").code == 0


def test_a_record_that_is_not_in_the_tag_stops_the_next_release(story: Story) -> None:
    story.published("v1")
    story.source.git("stash", "--include-untracked")
    story.source.git("commit", "--quiet", "--allow-empty", "-m", "without it")
    story.source.git("stash", "pop")
    story.source.tag("v2")
    run = story.run("prepare", "v2", "--json")
    rules = {finding["rule"] for finding in run.json["error"]["findings"] if finding["level"] == "error"}
    assert (run.code, rules) == (3, {"archive/record-not-in-tag"})


@pytest.mark.parametrize("repo_type", ["dataset", "space"])
def test_datasets_and_spaces_are_released_too(story: Story, repo_type: str) -> None:
    """A new Space begins with a card of the Hub's own, which the release replaces."""
    config = (story.source.path / "release.toml").read_text()
    story.source.commit({"release.toml": f'{config}repo-type = "{repo_type}"\n'})
    commit = story.published("v1").json["hubCommit"]
    assert story.api.repo_info(story.repo, repo_type=repo_type).sha == commit
    assert story.run("verify", "v1").code == 0
