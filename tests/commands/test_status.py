"""`release status`: one row a tag, whatever the Hub does."""

from story import Story
from support import SourceRepository, release


def test_without_tags_it_says_how_to_begin(source: SourceRepository) -> None:
    run = release(source.path, "status")
    assert (run.code, "release prepare TAG" in run.out) == (0, True)


def test_a_prepared_tag_has_no_hub_commit_yet(story: Story) -> None:
    rows = story.prepared("v1").run("status", "--json").json["tags"]
    assert [(row["tag"], row["prepared"], row["hub_commit"]) for row in rows] == [("v1", True, None)]


def test_a_published_tag_shows_both_commits(story: Story) -> None:
    commit = story.recorded("v1")
    row = story.run("status", "--json").json["tags"][0]
    assert (row["hub_commit"], row["source_commit"], row["drift"]) == (
        commit,
        story.source.git("rev-parse", "v1^{commit}"),
        [],
    )


def test_a_hub_that_is_away_is_no_reason_to_fail(story: Story) -> None:
    story.recorded("v1")
    run = release(story.source.path, "status", "--json", hub="http://127.0.0.1:9")
    assert (run.code, run.json["tags"][0]["drift"]) == (0, None)


def test_a_repository_that_is_gone_is_drift(story: Story) -> None:
    story.recorded("v1")
    story.api.delete_repo(story.repo)
    row = story.run("status", "--json").json["tags"][0]
    assert "gone" in row["drift"][0]


def test_a_record_that_cannot_be_read_is_named(story: Story) -> None:
    story.recorded("v1")
    (story.source.path / "archive/records/v1.json").write_text("{")
    run = story.run("status", "--json")
    assert (run.code, "v1.json" in run.json["error"]["complaints"][0]) == (2, True)
