"""build_template(): what a [[template]] rule of a tag is built to."""

import pytest
from one_tree import OneTree

from release.compose import CannotBuild, build_template
from release.compose.sources import files_below
from release.ports import SourceItem
from release.values import Mode, RepoPath, TemplateRule, git_blob_id

FOLDER = TemplateRule(RepoPath("templates/agentic"), RepoPath("chat_template"))
FILE = TemplateRule(RepoPath("templates/plain.jinja"), RepoPath("chat_template"))


def test_a_file_is_published_as_it_is() -> None:
    assert build_template(FILE, {"templates/plain.jinja": b"{{ x }}\r\n"}) == "{{ x }}\r\n"


def test_a_folder_is_assembled_from_its_sources_alone() -> None:
    files = {
        "templates/agentic/template.jinja": b"<%= features.word %>",
        "templates/agentic/build.toml": b'[features]\nword = "now"\n[versions.v1]\nfeatures = { word = "then" }',
        "templates/agentic/fixtures/image.png": b"\x89PNG\xff",
        "templates/other.jinja": b"\xff",
    }
    assert [build_template(FOLDER, files), build_template(FOLDER, files, "v1")] == ["now", "then"]


@pytest.mark.parametrize(
    ("rule", "files", "version", "said"),
    [
        (FILE, {}, None, "templates/plain.jinja: the tag holds no such file or folder"),
        (FILE, {"templates/plain.jinja": b"a\nb\xff"}, None, "templates/plain.jinja:2: the file is not UTF-8"),
        (FILE, {"templates/plain.jinja": b"a\n<% if %>"}, None, "templates/plain.jinja:2: a build-time tag"),
        (FILE, {"templates/plain.jinja": b"a"}, "v1", "templates/plain.jinja: a single file has no version 'v1'"),
        (FOLDER, {"templates/agentic/template.jinja": b"\n<% if %>"}, None, "templates/agentic/template.jinja:2: Exp"),
        (
            FOLDER,
            {"templates/agentic/part.jinja": b"\n\n\xff"},
            None,
            "templates/agentic/part.jinja:3: the file is not",
        ),
    ],
)
def test_what_cannot_be_built_names_its_path_in_the_tag(
    rule: TemplateRule, files: dict[str, bytes], version: str | None, said: str
) -> None:
    with pytest.raises(CannotBuild) as caught:
        build_template(rule, files, version)
    assert caught.value.message.startswith(said)


def test_files_below_a_folder_are_its_own_and_those_with_bytes() -> None:
    files = {"t/a": b"one", "t/b/c": b"two", "t.jinja": b"three", "ta/x": b"four"}
    source = OneTree(files)
    listing = [*source.items, SourceItem("t/link", Mode.SYMLINK, git_blob_id(b"a"))]
    assert files_below(source, listing, "t") == {"t/a": b"one", "t/b/c": b"two"}
    assert files_below(source, listing, "t.jinja") == {"t.jinja": b"three"}
    assert files_below(source, listing, "gone") == {}
