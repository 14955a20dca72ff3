"""The check `aliases`: four files a template, all of them what the tag builds."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from release.checks.aliases import Aliases
from release.compose import make_twin
from release.ports import Blob, Check, SourceItem
from release.values import (
    Config,
    Entry,
    Finding,
    Mode,
    Oid,
    Origin,
    RepoId,
    RepoPath,
    Sha256,
    Signature,
    Source,
    TagName,
    TemplateRule,
    Tree,
    git_blob_id,
)
from release.values.source import SignatureState

TEXT = "{%- for m in messages %}{{- '\\n' ~ m.content }}{%- endfor %}"
RULE = TemplateRule(RepoPath("src"), RepoPath("chat"))
ALL = ["chat.jinja", "chat_v1~x.jinja", "chat_oneline.txt", "chat_v1~x_oneline.txt"]


class Tag:
    """A tag's objects, in memory."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        return (SourceItem(path, Mode.REGULAR, git_blob_id(content)) for path, content in self.files.items())

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        contents = {git_blob_id(content): content for content in self.files.values()}
        return (Blob(oid, len(contents[oid]), iter([contents[oid]])) for oid in oids)


def tagged(text: str = TEXT) -> Tag:
    return Tag({"src/template.jinja": text.encode()})


def tree(published: Mapping[str, bytes], *, problems: tuple[tuple[str, str], ...] = (), rules: int = 1) -> Tree:
    source = Source(TagName("v1/x"), Oid("a" * 40), False, Oid("a" * 40), Oid("b" * 40), Signature(SignatureState.NONE))
    config = Config(RepoId("me/mine"), (), "release.toml", Sha256("0" * 64), template=(RULE,) * rules)
    entries = tuple(
        Entry(path, Mode.REGULAR, Origin.BUILT, "src", len(content), Sha256.of(content), git_blob_id(content))
        for path, content in published.items()
    )
    return Tree(source, config, entries, problems=problems)


def built(text: str = TEXT) -> dict[str, bytes]:
    return dict(zip(ALL, [text.encode()] * 2 + [make_twin(text).encode()] * 2, strict=True))


def findings(source: Tag, given: Tree) -> list[Finding]:
    made = Aliases(source)  # type: ignore[arg-type]
    as_port: Check = made
    return [one for one in as_port(given) if isinstance(one, Finding)]


def test_four_files_as_the_tag_builds_them_say_nothing() -> None:
    assert findings(tagged(), tree(built())) == []


def test_without_templates_there_is_nothing_to_compare() -> None:
    assert findings(tagged(), tree({}, rules=0)) == []


@pytest.mark.parametrize("path", ALL)
def test_each_of_the_four_files_must_be_there(path: str) -> None:
    published = {name: content for name, content in built().items() if name != path}
    missing = Finding("aliases/missing", "the file is missing from the tree", path=path)
    assert findings(tagged(), tree(published)) == [missing]


@pytest.mark.parametrize(
    ("path", "alias", "copy"),
    [(path, ALL[0], ALL[1]) for path in ALL[:2]] + [(path, ALL[2], ALL[3]) for path in ALL[2:]],
)
def test_a_file_that_is_another_is_told_from_the_tag_and_from_its_pair(path: str, alias: str, copy: str) -> None:
    said = findings(tagged(), tree(built() | {path: b"other"}))
    assert said == [
        Finding("aliases/not-from-tag", "the file is not what the tag builds", path=path),
        Finding("aliases/differs", f"the file differs from its versioned copy {copy}", path=alias),
    ]


def test_a_pair_that_agrees_on_something_else_is_told_twice() -> None:
    said = findings(tagged(), tree(built() | {ALL[0]: b"other", ALL[1]: b"other"}))
    assert [(one.rule, one.path) for one in said] == [("aliases/not-from-tag", path) for path in ALL[:2]]


def test_a_template_without_a_twin_is_told_with_its_line() -> None:
    text = "a\n{% if true %}\nb{% endif %}"
    (finding,) = findings(tagged(text), tree({ALL[0]: text.encode(), ALL[1]: text.encode()}))
    assert (finding.rule, finding.path, finding.line) == ("aliases/no-twin", "chat.jinja", 2)
    assert "trim_blocks" in finding.message


def test_a_source_that_does_not_build_is_told_with_its_place() -> None:
    (finding,) = findings(tagged("a\n<% if %>"), tree({}))
    assert (finding.rule, finding.path) == ("aliases/not-built", "chat.jinja")
    assert "src/template.jinja:2: Expected an expression" in finding.message


@pytest.mark.parametrize("text", ["a\n<% if %>", "a\n{% if true %}\nb{% endif %}"])
def test_what_the_build_said_is_not_said_again(text: str) -> None:
    published = {ALL[0]: text.encode(), ALL[1]: text.encode()}
    assert findings(tagged(text), tree(published, problems=(("chat.jinja", "why"),))) == []
