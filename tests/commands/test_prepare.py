"""`release prepare`, from the command line: what it writes, and what it answers to bad input."""

import hashlib
import os
from pathlib import Path

import pytest

from support import SourceRepository, release

CONFIG = 'repo = "acme/a"\nfiles = ["*.txt"]\n'


def test_it_writes_its_workspace_and_nothing_else(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    assert release(source.path, "prepare", "v1").code == 0
    assert source.git("status", "--porcelain", "--ignored") == "!! .release/"
    assert (source.path / ".release/v1/tree/a.txt").read_text() == "one\n"


def test_it_works_from_a_folder_below(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n", "deep/er/x": ""})
    source.tag("v1")
    assert release(source.path / "deep/er", "prepare", "v1").code == 0


def test_its_answer_lists_every_file_with_its_digest(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    files = {file["path"]: file["sha256"] for file in release(source.path, "prepare", "v1", "--json").json["files"]}
    assert files["a.txt"] == hashlib.sha256(b"one\n").hexdigest()


def test_what_stays_home_is_listed(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n", "notes.md": "x\n"})
    source.tag("v1")
    assert release(source.path, "prepare", "v1", "--json").json["unpublished"] == ["notes.md", "release.toml"]


def test_a_configuration_from_a_file_is_used_and_recorded(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": "repo = 1\n", "a.txt": "one\n"})
    source.tag("v1")
    other = tmp_path / "other.toml"
    other.write_text(CONFIG)
    config = release(source.path, "prepare", "v1", "--config-from", str(other), "--json").json["config"]
    assert config == {
        "from": str(other),
        "sha256": hashlib.sha256(CONFIG.encode()).hexdigest(),
        "overridden": True,
    }


def test_a_configuration_from_a_later_commit_is_used(source: SourceRepository) -> None:
    source.commit({"release.toml": "repo = 1\n", "a.txt": "one\n"})
    source.tag("v1")
    fixed = source.commit({"release.toml": CONFIG})
    config = release(source.path, "prepare", "v1", "--config-from", "main", "--json").json["config"]
    assert config["from"] == f"{fixed}:release.toml"


def test_all_findings_are_shown_before_it_stops(source: SourceRepository) -> None:
    source.commit(
        {
            "release.toml": CONFIG,
            "a.txt": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
            "con.txt": "a device on Windows\n",
        }
    )
    source.tag("v1")
    run = release(source.path, "prepare", "v1", "--json")
    rules = {finding["rule"] for finding in run.json["error"]["findings"] if finding["level"] == "error"}
    assert (run.code, rules) == (3, {"secrets/private-key", "names/unsafe"})


def test_findings_are_shown_to_people_as_a_table(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "-----BEGIN RSA PRIVATE KEY-----\n"})
    source.tag("v1")
    run = release(source.path, "prepare", "v1")
    assert "a.txt:1" in run.out
    assert "secrets/private-key" in run.out


def test_findings_become_annotations_in_github_actions(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "-----BEGIN RSA PRIVATE KEY-----\n"})
    source.tag("v1")
    run = release(source.path, "prepare", "v1", GITHUB_ACTIONS="true")
    assert "::error file=a.txt,line=1,title=secrets/private-key::" in run.err


def test_a_prepared_release_is_summarised_in_github_actions(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    summary = tmp_path / "summary.md"
    release(source.path, "prepare", "v1", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert source.git("rev-parse", "v1^{commit}") in summary.read_text()


def test_no_template_means_files_only_and_it_says_so(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    findings = release(source.path, "prepare", "v1", "--json").json["findings"]
    assert "render/none" in {finding["rule"] for finding in findings}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["prepare", "v9"], 2),
        (["prepare", "no such name"], 2),
        (["prepare", "main"], 3),
        (["prepare", "blob"], 3),
        (["prepare", "tree"], 3),
        (["prepare", "unconfigured"], 2),
        (["prepare", "v1", "--config-from", "nowhere"], 2),
        (["publish", "v9"], 2),
        (["publish"], 2),
        (["verify", "v1"], 2),
        (["prepare"], 2),
        (["no-such-command"], 2),
        (["prepare", "v1", "--no-such-option"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_bad_input_gets_a_clear_answer(source: SourceRepository, arguments: list[str], code: int) -> None:
    source.commit({"a.txt": "one\n"})
    source.tag("unconfigured")
    source.commit({"release.toml": CONFIG})
    source.tag("v1")
    source.tag("blob", at="HEAD:a.txt")
    source.tag("tree", at="HEAD^{tree}")
    run = release(source.path, *arguments, "--json")
    assert (run.code, run.json["ok"], run.json["exit"]) == (code, False, code)
    assert "Traceback" not in run.err
    assert run.json["error"]["hint"]


def test_a_folder_without_a_repository_is_said(tmp_path: Path) -> None:
    assert release(tmp_path, "prepare", "v1").code == 2


def test_a_shallow_clone_is_refused_with_the_command_that_mends_it(source: SourceRepository, tmp_path: Path) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.commit({"a.txt": "two\n"})
    source.tag("v1")
    clone = tmp_path / "clone"
    source.git("clone", "--quiet", "--depth=1", f"file://{source.path}", str(clone))
    run = release(clone, "prepare", "v1")
    assert (run.code, "git fetch --unshallow --tags origin" in run.err) == (3, True)


def test_dubious_ownership_is_refused_with_the_command_that_mends_it(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    run = release(source.path, "prepare", "v1", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert (run.code, "safe.directory" in run.err) == (3, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into a read-only folder")
def test_a_read_only_folder_is_unavailable(source: SourceRepository) -> None:
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    source.path.chmod(0o555)
    try:
        assert release(source.path, "prepare", "v1").code == 5
    finally:
        source.path.chmod(0o755)


def test_a_workspace_that_cannot_be_made_is_unavailable(source: SourceRepository) -> None:
    """Where a folder of the workspace is a file, as on a disk that does not take it."""
    source.commit({"release.toml": CONFIG, "a.txt": "one\n"})
    source.tag("v1")
    (source.path / ".release").mkdir()
    (source.path / ".release/v1").write_text("in the way\n")
    assert release(source.path, "prepare", "v1").code == 5
