"""whitespace: which changes are looked at, and that nobody but the tag decides how.

That the places are those of `git diff --check` is shown in test_whitespace_by_git.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import SOURCE, Files, entry, record, tree
from release.adapters.git import GitRepository
from release.checks.whitespace import Whitespace
from release.checks.whitespace.attributes import Rules
from release.checks.whitespace.patch import unquoted
from release.checks.whitespace.rules import complaint, may_be_wrong, number_of_lines
from release.values import Finding, Level, Oid, Origin
from support import SourceRepository

BAD = "x \n"


def changed(
    repository: SourceRepository, before: Mapping[str, str | bytes], after: Mapping[str, str | bytes]
) -> list[str]:
    """`rule path:line` of each finding between two commits."""
    repository.commit(before)
    first = repository.git("rev-parse", "HEAD^{tree}")
    repository.commit(after)
    return between(repository.path, first, repository.git("rev-parse", "HEAD^{tree}"))


def between(path: Path, first: str, second: str) -> list[str]:
    with GitRepository(path) as git:
        asked = tree(source=replace(SOURCE, tree=Oid(second)), records=(record(source_tree=Oid(first)),))
        return [shown(finding) for finding in Whitespace(git, Files())(asked)]


def shown(finding: Finding) -> str:
    return f"{finding.rule.removeprefix('whitespace/')} {finding.path}:{finding.line}"


def first_release(repository: SourceRepository, files: Mapping[str, bytes], attributes: str = "") -> list[Finding]:
    repository.commit({".gitattributes": attributes})
    held = Files(files)
    with GitRepository(repository.path) as git:
        asked = held.tree(source=replace(SOURCE, tree=Oid(repository.git("rev-parse", "HEAD^{tree}"))))
        return list(Whitespace(git, held)(asked))


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("x ", "blank-at-eol"),
        ("x\t", "blank-at-eol"),
        ("x\r", "blank-at-eol"),
        (" \tx", "space-before-tab"),
        ("<<<<<<< ours", "conflict-marker"),
        ("=======", "conflict-marker"),
    ],
)
def test_each_rule_is_named_with_its_line(source: SourceRepository, line: str, rule: str) -> None:
    assert changed(source, {"a": "1\n2\n"}, {"a": f"1\n{line}\n2\n"}) == [f"{rule} a:2"]


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [("whitespace=tab-in-indent", "tab-in-indent a:1"), ("whitespace=indent", "indent-with-non-tab a:2")],
)
def test_rules_that_are_off_can_be_asked_for(source: SourceRepository, attributes: str, rule: str) -> None:
    after = {"a": "\tx\n        x\n", ".gitattributes": f"a {attributes}\n"}
    assert changed(source, {}, after) == [rule]


def test_what_was_wrong_before_is_nobodys_fault_now(source: SourceRepository) -> None:
    assert changed(source, {"a": BAD}, {"a": BAD + "y\n"}) == []


def test_a_file_that_moved_is_not_new(source: SourceRepository) -> None:
    source.commit({"old": BAD})
    first = source.git("rev-parse", "HEAD^{tree}")
    source.git("mv", "old", "new")
    assert between(source.path, first, source.git("write-tree")) == []


def test_blank_lines_that_a_deletion_leaves_at_the_end_are_found(source: SourceRepository) -> None:
    """No line was added, and git complains all the same."""
    assert changed(source, {"a": "x\n\ny\n"}, {"a": "x\n\n"}) == ["blank-at-eof a:2"]


def test_rules_that_contradict_each_other_are_an_error(source: SourceRepository) -> None:
    both = "a whitespace=tab-in-indent,indent-with-non-tab\n"
    assert "contradiction a:None" in changed(source, {}, {"a": "x\n", ".gitattributes": both})


def test_the_target_of_a_link_is_text_whatever_its_attributes_say(source: SourceRepository) -> None:
    source.commit({".gitattributes": "link -diff\n"})
    first = source.git("rev-parse", "HEAD^{tree}")
    (source.path / "link").symlink_to("nowhere ")
    source.git("add", "--all")
    assert between(source.path, first, source.git("write-tree")) == ["blank-at-eol link:1"]


def test_a_submodule_is_passed_over(source: SourceRepository) -> None:
    """Its commit is not here, and need not be."""
    source.commit({"a": "x\n"})
    first = source.git("rev-parse", "HEAD^{tree}")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'9' * 40},sub")
    second = source.git("write-tree")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'8' * 40},sub")
    assert (between(source.path, first, second), between(source.path, second, source.git("write-tree"))) == ([], [])


def test_a_link_or_submodule_named_gitattributes_decides_nothing(source: SourceRepository) -> None:
    source.commit({"a": "x\n"})
    first = source.git("rev-parse", "HEAD^{tree}")
    source.write({"a": BAD})
    source.git("add", "--all")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'9' * 40},.gitattributes")
    assert between(source.path, first, source.git("write-tree")) == ["blank-at-eol a:1"]


@pytest.mark.parametrize("path", ["sp ace", "é", "ta\tb", 'qu"ote', "back\\slash", "b/b", "new\nline"])
def test_a_path_is_named_as_it_is(source: SourceRepository, path: str) -> None:
    assert changed(source, {}, {path: BAD}) == [f"blank-at-eol {path}:1"]


def test_a_file_too_large_to_compare_is_left_out(source: SourceRepository) -> None:
    """Git would hold both sides in memory; the limit is on either side."""
    large = b"x \n" * (6 << 20)
    assert changed(source, {"grows": "x\n", "shrinks": large}, {"grows": large, "shrinks": BAD, "a": BAD}) == [
        "blank-at-eol a:1"
    ]


def test_a_hostile_worktree_and_configuration_change_nothing(source: SourceRepository, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    program.chmod(0o755)
    source.commit({"a": "x\n", ".gitattributes": "*.txt diff=evil\n"})
    first = source.git("rev-parse", "HEAD^{tree}")
    source.commit({"a": BAD, "b.txt": BAD})
    second = source.git("rev-parse", "HEAD^{tree}")
    clean = between(source.path, first, second)
    source.write({".gitattributes": "* -diff -whitespace diff=evil\n"})
    (source.path / ".git/info").mkdir(exist_ok=True)
    (source.path / ".git/info/attributes").write_text("* -diff -whitespace diff=evil\n")
    for key, value in {
        "core.whitespace": "-blank-at-eol,tabwidth=1",
        "core.attributesFile": str(source.path / ".gitattributes"),
        "diff.external": str(program),
        "diff.evil.command": str(program),
        "diff.evil.textconv": str(program),
        "diff.evil.binary": "true",
        "diff.renames": "copies",
        "diff.renameLimit": "1",
        "diff.algorithm": "patience",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.suppressBlankEmpty": "true",
        "diff.context": "0",
        "color.ui": "always",
        "core.quotePath": "false",
    }.items():
        source.git("config", key, value)
    assert (between(source.path, first, second), clean) == (["blank-at-eol a:1", "blank-at-eol b.txt:1"], clean)
    assert not canary.exists()


def test_without_an_earlier_release_all_complaints_are_warnings(source: SourceRepository) -> None:
    findings = first_release(source, {"a": b"ok\nx \n\n", "b": b"y "})
    assert [(shown(one), one.level) for one in findings] == [
        ("blank-at-eol a:2", Level.WARNING),
        ("blank-at-eof a:3", Level.WARNING),
        ("blank-at-eol b:1", Level.WARNING),
    ]


@pytest.mark.parametrize(
    ("content", "attributes"),
    [
        (b"x \0\n", ""),
        (b"x \n", "* -whitespace"),
        (b"x \n", "* binary"),
        (b"x\n", ""),
        (b"", ""),
        (b"x \n" + b"x\n" * (9 << 20), ""),
    ],
    ids=["binary", "switched off", "called binary", "in order", "empty", "large"],
)
def test_a_first_release_is_quiet_about(source: SourceRepository, content: bytes, attributes: str) -> None:
    assert first_release(source, {"a": content}, attributes) == []


def test_a_first_release_hears_of_contradicting_rules(source: SourceRepository) -> None:
    both = "* whitespace=tab-in-indent,indent-with-non-tab"
    assert [shown(one) for one in first_release(source, {"a": b"x\n"}, both)] == ["contradiction a:None"]


def test_only_copies_are_looked_at_in_a_first_release(source: SourceRepository) -> None:
    """What was built is the business of its sources."""
    source.commit({"a": "x\n"})
    held = Files({"a": b"x \n"})
    made = tree(
        [entry("a", b"x \n", origin=Origin.BUILT), entry("link", None)],
        source=replace(SOURCE, tree=Oid(source.git("rev-parse", "HEAD^{tree}"))),
    )
    with GitRepository(source.path) as git:
        assert list(Whitespace(git, held)(made)) == []


RULES = st.builds(Rules, *[st.booleans()] * 6, st.sampled_from([1, 4, 8, 63]), st.sampled_from([1, 3, 7, 9]))


@given(st.lists(st.text(alphabet=" \t\rx<=>|\x0b", max_size=10), max_size=5).map("\n".join), RULES)
def test_what_cannot_be_wrong_has_no_complaint(text: str, rules: Rules) -> None:
    """The quick look at a whole file misses nothing that the slow look at its lines would find."""
    content = text.encode()
    lines = content.split(b"\n")
    wrong = [one for line in lines for one in complaint(line, rules)]
    assert may_be_wrong(content, rules) or not wrong


@given(st.lists(st.sampled_from([b"", b" ", b"x"]), max_size=5).map(b"\n".join))
def test_lines_are_counted_with_a_last_one_that_is_not_ended(content: bytes) -> None:
    assert number_of_lines(content) == len(content.splitlines())


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name and b"/" not in name))
def test_a_quoted_path_is_read_back(name: bytes) -> None:
    """Git's quoting, undone: octal for what is not printable, and letters for some."""
    letters = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
    quoted = "".join(
        f"\\{letters[byte]}" if byte in letters else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in name
    )
    assert os.fsencode(unquoted(f'"b/{quoted}"'.encode())) == name
