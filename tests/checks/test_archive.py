"""archive: what was released before is still what its record says, and no record is lost or rewritten."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from examples import RECORD, oid, record, source, tree
from release.adapters.git import GitRepository
from release.checks.archive import Archive
from release.values import Finding, Oid, Record, RecordedFile, RepoPath, Sha256, TagName, git_blob_id
from release.values.record import read_records
from support import SourceRepository

V1, V0 = b"{{ 1 }}\n", b"{{ 0 }}\n"
TABLE = f"| file | sha256 |\n| - | - |\n| chat_template-v0.jinja | {Sha256.of(V0)} |\n"
RECORDS = "archive/records/"


def recorded(tag: str, at: str, tree: Oid, template: bytes) -> Record:
    """The record of a release that built one template."""
    name = f"chat_template_{tag}.jinja"
    file = RecordedFile(name, len(template), Sha256.of(template), git_blob_id(template), "built", "t", "regular")
    return record(
        tag=TagName(tag), committed_at=at, source_tree=tree, files=(file,), hub_commit=git_blob_id(tag.encode())
    )


class Worktree:
    """Records in the worktree. Implements `ports.Records` as far as the check asks."""

    def __init__(self, *records: Record) -> None:
        self._files = tuple((f"{RECORDS}{one.tag.file_form}.json", one.to_json()) for one in records)

    def all(self) -> tuple[tuple[str, bytes], ...]:
        return self._files

    def read(self, path: RepoPath) -> bytes | None:
        raise AssertionError("the check reads no worktree but its records")

    def write(self, path: RepoPath, content: bytes) -> bool:
        raise AssertionError("a check writes nothing")


class History:
    """v0 was never recorded, only listed; v1 is a release of a tree with an older record in it; v2 holds its record."""

    def __init__(self, path: Path) -> None:
        self.repository = SourceRepository(path)
        self.old = record(tag=TagName("v0.5"), committed_at="2026-01-01", files=())
        self.repository.commit({f"{RECORDS}v0.5.json": self.old.to_json(), f"{RECORDS}v0.5.md": "notes\n"})
        first = Oid(self.repository.git("rev-parse", "HEAD^{tree}"))
        self.v1 = recorded("v1", "2026-01-02", first, V1)
        self.repository.commit(
            {
                f"{RECORDS}v1.json": self.v1.to_json(),
                "archive/chat_template-v0.jinja": V0,
                "archive/chat_template-v1.jinja": V1,
                "archive/README.md": TABLE,
                "archive/notes.txt": "anything\n",
                "archive/more/x.jinja": "not a release\n",
            }
        )
        self.base = self.repository.git("rev-parse", "HEAD")
        self.git = GitRepository(path)

    def found(
        self, changed: Mapping[str, str | bytes | None], worktree: Worktree | None = None, tag: str = "v2"
    ) -> list[Finding]:
        """What the check says of the history with these files changed (None: gone)."""
        self.repository.git("read-tree", "--reset", "-u", self.base)
        self.repository.write({path: content for path, content in changed.items() if content is not None})
        for path in [path for path, content in changed.items() if content is None]:
            (self.repository.path / path).unlink()
        self.repository.git("add", "--all")
        made = Oid(self.repository.git("write-tree"))
        files = [
            item for item in self.git.listing(made) if item.path.startswith(RECORDS) and item.path.endswith(".json")
        ]
        records, broken = read_records((item.path, self.git.object(item.oid)[1]) for item in files)
        asked = tree(source=source(tag=TagName(tag), tree=made), records=records, broken_records=broken)
        return list(Archive(self.git, worktree or Worktree(self.old, self.v1))(asked))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    made = History(tmp_path_factory.mktemp("history"))
    yield made
    made.git.close()


def said(findings: list[Finding]) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.path) for finding in findings]


def test_an_archive_that_nobody_touched_has_no_finding(history: History) -> None:
    assert history.found({}) == []


@pytest.mark.parametrize(
    ("changed", "rules"),
    [
        ({"archive/chat_template-v1.jinja": b"x"}, [("archive/changed", "archive/chat_template-v1.jinja")]),
        ({"archive/chat_template-v0.jinja": b"x"}, [("archive/changed", "archive/chat_template-v0.jinja")]),
        ({"archive/chat_template-v1.jinja": V1 + b"\n"}, [("archive/changed", "archive/chat_template-v1.jinja")]),
        ({"archive/chat_template-v1.jinja": None}, [("archive/missing", "archive/chat_template-v1.jinja")]),
        ({"archive/chat_template-v0.jinja": None}, [("archive/missing", "archive/chat_template-v0.jinja")]),
        ({"archive/chat_template-v9.jinja": b"x"}, [("archive/unknown", "archive/chat_template-v9.jinja")]),
        ({"archive/README.md": "# gone\n"}, [("archive/unknown", "archive/chat_template-v0.jinja")]),
        ({f"{RECORDS}v0.5.json": None}, [("archive/record-lost", f"{RECORDS}v0.5.json")]),
        ({f"{RECORDS}v0.5.md": None}, [("archive/record-lost", f"{RECORDS}v0.5.md")]),
        ({f"{RECORDS}v0.5.md": "other notes\n"}, []),
        ({"archive/notes.txt": "other\n", "archive/more/x.jinja": "other\n"}, []),
        (
            {f"{RECORDS}v0.5.json": record(tag=TagName("v0.5"), committed_at="2026-01-01", message="x").to_json()},
            [("archive/record-changed", f"{RECORDS}v0.5.json")],
        ),
        (
            {f"{RECORDS}v0.5.json": b"{}"},
            [("archive/bad-record", f"{RECORDS}v0.5.json"), ("archive/record-changed", f"{RECORDS}v0.5.json")],
        ),
        ({f"{RECORDS}v7.json": RECORD.to_json()}, [("archive/bad-record", f"{RECORDS}v7.json")]),
    ],
)
def test_each_tampering_is_found_and_nothing_else(
    history: History, changed: dict[str, str | bytes | None], rules: list[tuple[str, str]]
) -> None:
    assert said(history.found(changed)) == rules


def test_a_record_is_believed_before_the_table(history: History) -> None:
    """Whoever rewrites a file and its row in the table is still found out."""
    row = f"| chat_template-v1.jinja | {Sha256.of(b'x')} |\n"
    findings = history.found({"archive/chat_template-v1.jinja": b"x", "archive/README.md": TABLE + row})
    assert (said(findings), "its record says" in findings[0].message) == (
        [("archive/changed", "archive/chat_template-v1.jinja")],
        True,
    )


def test_a_bundle_that_grew_at_its_end_is_in_order(history: History) -> None:
    assert history.found({f"{RECORDS}v1.intoto.jsonl": b"{}\n"}) == []


def test_the_newest_record_of_the_worktree_must_be_in_the_tag(history: History) -> None:
    """Or the next release would not know of the last one."""
    worktree = Worktree(history.old, history.v1, recorded("v1.5", "2026-01-05", oid(1), V1))
    assert said(history.found({}, worktree)) == [("archive/record-not-in-tag", f"{RECORDS}v1.5.json")]


def test_an_older_record_that_only_the_worktree_has_does_not_stop_a_release(history: History) -> None:
    worktree = Worktree(recorded("other", "2025-01-01", oid(1), V1), history.old, history.v1)
    assert history.found({}, worktree) == []


def test_an_old_tag_can_be_prepared_again_after_later_releases(history: History) -> None:
    """Its own record and all later ones are no part of it, and need not be."""
    own, later = recorded("v2", "2026-01-06", oid(1), V1), recorded("v3", "2026-01-07", oid(2), V1)
    assert history.found({}, Worktree(history.old, history.v1, own, later)) == []


def test_an_old_tag_that_lacks_the_record_before_its_own_is_found(history: History) -> None:
    between, own = recorded("v1.5", "2026-01-05", oid(1), V1), recorded("v2", "2026-01-06", oid(1), V1)
    findings = history.found({}, Worktree(history.old, history.v1, between, own))
    assert said(findings) == [("archive/record-not-in-tag", f"{RECORDS}v1.5.json")]


def test_a_record_of_the_same_tag_with_another_commit_is_another_record(history: History) -> None:
    altered = record(tag=TagName("v1"), committed_at="2026-01-02", hub_commit=oid("e"))
    assert said(history.found({}, Worktree(history.old, altered))) == [
        ("archive/record-not-in-tag", f"{RECORDS}v1.json")
    ]


def test_a_first_release_has_nothing_to_compare_with(tmp_path: Path) -> None:
    repository = SourceRepository(tmp_path)
    repository.commit({"a": "1\n"})
    with GitRepository(tmp_path) as git:
        asked = tree(source=source(tree=Oid(repository.git("rev-parse", "HEAD^{tree}"))))
        assert list(Archive(git, Worktree())(asked)) == []


def test_links_and_submodules_in_the_archive_are_not_read(history: History) -> None:
    """The names check speaks of them; their ids name nothing that is here."""
    repository = history.repository
    repository.git("read-tree", "--reset", "-u", history.base)
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{oid(9)},archive/records/sub.json")
    asked = tree(source=source(tree=Oid(repository.git("write-tree"))), records=(history.old, history.v1))
    assert list(Archive(history.git, Worktree(history.v1))(asked)) == []
