"""Release notes and the archive's table: written for readers, and read again by the archive check."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import RECORD, oid, record
from release.values import RecordedFile, RepoType, Sha256, TagName
from release.values.notes import archived_digests, release_notes, with_row

DIGEST = "d" * 64
ROW = {"file": "chat_template-v1.jinja", "version": "v1", "sha256": DIGEST, "Hub commit": oid(7)}
TABLES = st.lists(
    st.sampled_from(
        [
            "# Archive", "", "text", "| file | version | sha256 | Hub commit |", "| --- | --- | --- | --- |",
            "|---|:-:|", "| Version | SHA256 |", "| sha256 | note |", "| sha256 |", "| - |", f"| v1 | `{DIGEST}` |",
            f"| v0 | {'e' * 64} |", f"| `chat_template-v1.jinja` | v1 | `{'f' * 64}` | |", "|", "||", "sha256 | x",
            "--|--", "| a\\|b |", "\x0b|", "\r", "| old.jinja |", "  | v9 | x |", "```",
        ]
    ),
    max_size=8,
)  # fmt: skip


@given(
    TABLES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n"]), st.sampled_from(["chat_template", "other"])
)
@example(["| sha256 | note |", "| - | - |"], "\n", "", "chat_template")
@example(["| Version | SHA256 |", "|---|---|"], "\r\n", "\r\n", "other")
@settings(max_examples=500)
def test_a_row_is_there_after_it_was_written_and_writing_it_again_changes_nothing(
    lines: list[str], ending: str, last: str, base: str
) -> None:
    row = ROW | {"file": f"{base}-v1.jinja"}
    once = with_row(ending.join(lines) + last, row)
    assert with_row(once, row) == once
    assert row["file"] in archived_digests(once)


@given(TABLES, st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=300)
def test_a_new_row_takes_nothing_away(lines: list[str], ending: str) -> None:
    before = ending.join(lines)
    after = iter(with_row(before, ROW).split("\n"))
    assert all(line in after for line in before.rstrip("\n").split("\n") if line.strip())


@given(st.from_regex(r"[a-z|`<&.]{1,8}", fullmatch=True))
@example("v|1")
@example("`v`")
def test_any_tag_can_be_in_the_table(tag: str) -> None:
    """Git allows bars and backticks in a tag name."""
    row = ROW | {"file": f"chat_template-{tag}.jinja", "version": tag}
    for readme in (None, "| version | sha256 |\n| - | - |\n"):
        assert archived_digests(with_row(readme, row)) == {row["file"]: DIGEST}


def test_a_missing_readme_is_begun() -> None:
    assert with_row(None, ROW).splitlines()[-1] == f"| `chat_template-v1.jinja` | v1 | `{DIGEST}` | `{oid(7)}` |"


def test_an_empty_readme_is_begun() -> None:
    assert with_row("\n", ROW) == with_row(None, ROW)


def test_the_tables_own_columns_decide_what_is_shown() -> None:
    table = "| Version | Notes | SHA256 |\n| --- | --- | --- |\n| v0 | first | x |\n\nmore\n"
    assert with_row(table, ROW).splitlines()[3:] == [f"| v1 |  | `{DIGEST}` |", "", "more"]


def test_the_last_of_several_tables_gets_the_row() -> None:
    table = "| version | sha256 |\n|-|-|\n"
    assert with_row(f"{table}\n{table}", ROW) == f"{table}\n{table}| v1 | `{DIGEST}` |\n"


def test_a_last_line_without_its_end_is_ended() -> None:
    assert with_row("| version | sha256 |\n|-|-|\n| v0 | x |", ROW).endswith(f"| v0 | x |\n| v1 | `{DIGEST}` |\n")


def test_a_table_keeps_its_line_ends() -> None:
    assert "\n" not in with_row("| version | sha256 |\r\n|-|-|\r\n", ROW).replace("\r\n", "")


def test_a_file_that_its_version_does_not_tell_is_named_in_full() -> None:
    row = ROW | {"file": "other-v1.jinja"}
    assert archived_digests(with_row("| version | sha256 |\n|-|-|\n", row)) == {"other-v1.jinja": DIGEST}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"| v1 | {DIGEST} |", {"chat_template-v1.jinja": DIGEST}),
        (f"| `x.jinja` | `{DIGEST}` |", {"x.jinja": DIGEST}),
        (f"| v1 | archive/x.jinja | {DIGEST} |", {"x.jinja": DIGEST}),
        (f"| v1 | {DIGEST[:-1]} |", {}),
        (f"| v1 | {DIGEST}0 |", {}),
        (f"v1 | {DIGEST}", {}),
        (DIGEST, {}),
    ],
)
def test_which_rows_speak_of_a_file(line: str, found: dict[str, str]) -> None:
    assert archived_digests(f"# A\n\n{line}\n") == found


@given(st.text())
def test_any_text_can_be_read_as_a_readme(text: str) -> None:
    assert all(len(digest) == 64 for digest in archived_digests(text).values())


def test_notes_name_both_commits_and_how_to_check() -> None:
    notes = release_notes(RECORD)
    assert f"| source commit | `{RECORD.source_commit}` |" in notes
    assert f"https://huggingface.co/acme/model/commit/{RECORD.hub_commit}" in notes
    assert f"hf download acme/model --revision {RECORD.hub_commit} --local-dir release\n" in notes


def test_notes_list_the_files_and_what_was_kept() -> None:
    notes = release_notes(RECORD)
    assert f"| `a.txt` | 4 | `{RECORD.files[0].sha256}` |" in notes
    assert f"- `theirs.bin` (`{RECORD.adopted[0].sha256}`)" in notes


def test_notes_say_nothing_of_adopted_files_where_there_are_none() -> None:
    assert "Kept from before" not in release_notes(record(adopted=()))


@pytest.mark.parametrize("kind", [RepoType.DATASET, RepoType.SPACE])
def test_notes_of_another_kind_of_repository_have_its_address_and_option(kind: RepoType) -> None:
    notes = release_notes(record(repo_type=kind))
    assert (f".co/{kind.value}s/acme/model/commit/" in notes, f" --repo-type {kind.value} " in notes) == (True, True)


def test_a_bar_in_a_name_does_not_break_the_notes() -> None:
    file = RecordedFile("a|b", 0, Sha256("0" * 64), oid(1), "copied", "a|b", "regular")
    assert "| `a\\|b` | 0 |" in release_notes(record(files=(file,), tag=TagName("v|1")))
