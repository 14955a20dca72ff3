"""`release rehearse`: everything, on a throw-away clone and an embedded Hub."""

from pathlib import Path

from release.rehearsal import EmbeddedHub
from support import TOKEN, SourceRepository, release

CONFIG = 'repo = "acme/a"\nfiles = ["*.txt"]\n'


def test_it_goes_all_the_way_without_tag_token_or_identity(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    run = release(source.path, "rehearse", "--json", token=None)
    assert run.code == 0, run.err
    assert run.json["publish"]["hubCommit"] == run.json["verify"]["head"]


def test_it_changes_nothing_in_the_repository(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    release(source.path, "rehearse")
    assert source.git("status", "--porcelain", "--ignored") == ""
    assert source.git("tag") == ""


def test_uncommitted_changes_are_named_as_left_out(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.write({"a.txt": "two\n", "b.txt": "new\n"})
    run = release(source.path, "rehearse", "--json")
    assert run.json["uncommitted"] == ["a.txt", "b.txt"]
    assert [file["size"] for file in run.json["prepare"]["files"] if file["path"] == "a.txt"] == [4]


def test_a_tag_can_be_rehearsed(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    source.commit({"a.txt": "later\n"})
    run = release(source.path, "rehearse", "v1", "--json")
    assert (run.code, run.json["publish"]["tag"]) == (0, "v1")
    assert run.json["publish"]["sourceCommit"] == source.git("rev-parse", "v1^{commit}")


def test_clone_and_hub_are_kept_on_request(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    kept = tmp_path / "kept"
    run = release(source.path, "rehearse", "--keep", str(kept), "--json")
    assert (kept / "source/archive/records/rehearsal.json").is_file()
    with EmbeddedHub(kept / "hub") as hub:
        from huggingface_hub import HfApi

        assert HfApi(endpoint=hub.url, token=TOKEN).repo_info("acme/a").sha == run.json["publish"]["hubCommit"]


def test_a_shallow_clone_can_be_rehearsed(source: SourceRepository, tmp_path: Path) -> None:
    """It needs no history unless a check does."""
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.commit({"a.txt": "two\n"})
    clone = tmp_path / "clone"
    source.git("clone", "--quiet", "--depth=1", f"file://{source.path}", str(clone))
    assert release(clone, "rehearse").code == 0


def test_a_repository_without_commits_cannot_be_rehearsed(source: SourceRepository) -> None:
    assert release(source.path, "rehearse").code == 2


def test_a_folder_to_keep_that_is_not_empty_is_not_used(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/mine").write_text("x")
    assert release(source.path, "rehearse", "--keep", str(tmp_path / "kept")).code == 2


def test_filters_that_a_repository_configures_do_not_run(source: SourceRepository, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    source.commit({"release.toml": CONFIG, "a.txt": "one\n", ".gitattributes": "*.txt filter=evil\n"})
    for key in ("clean", "smudge", "process"):
        source.git("config", f"filter.evil.{key}", f"touch {canary}; cat")
    source.write({"a.txt": "changed\n"})
    assert release(source.path, "rehearse").code == 0
    assert not canary.exists()


def test_a_refused_tree_ends_the_rehearsal(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "-----BEGIN RSA PRIVATE KEY-----\n"})
    assert release(source.path, "rehearse").code == 3
