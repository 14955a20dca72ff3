"""Families share a folder of the tag, which build.toml names; nothing outside the tag can be reached."""

import json

import pytest
from one_tree import OneTree

from release.compose import CannotBuild, build_template
from release.compose.sources import template_files
from release.values import RepoPath, TemplateRule

RULE = TemplateRule(RepoPath("templates/stable"), RepoPath("chat_template"))
FAMILY = {
    "templates/stable/build.toml": b'shared = "../shared"\n\n[features]\nword = "ours"\n',
    "templates/stable/template.jinja": b"<% include 'shared/deep/part.jinja' %>",
    "templates/stable/fixtures.json": b"{}",
    "templates/shared/deep/part.jinja": b"<%= features.word %>",
    "templates/other/template.jinja": b"theirs",
    "secret.jinja": b"outside",
}


def shared_as(named: str) -> dict[str, bytes]:
    return FAMILY | {"templates/stable/build.toml": f"\nshared = {json.dumps(named)}".encode()}


def fault(files: dict[str, bytes]) -> str:
    with pytest.raises(CannotBuild) as caught:
        build_template(RULE, files)
    return caught.value.message


def test_a_part_of_the_shared_folder_is_built_with_the_features_of_the_family() -> None:
    assert build_template(RULE, FAMILY) == "ours"


def test_the_files_of_a_template_are_its_own_and_those_of_its_shared_folder() -> None:
    source = OneTree(FAMILY)
    files = template_files(source, source.items, RULE)
    assert files.keys() == FAMILY.keys() - {"templates/other/template.jinja", "secret.jinja"}
    assert build_template(RULE, files) == "ours"


def test_a_folder_beside_one_above_can_be_shared() -> None:
    files = {"a/b/build.toml": b'shared = "../../c"', "a/b/template.jinja": b"<% include 'shared/x.jinja' %>"}
    rule = TemplateRule(RepoPath("a/b"), RepoPath("chat_template"))
    assert build_template(rule, files | {"c/x.jinja": b"text"}) == "text"


@pytest.mark.parametrize("named", ["../../..", "../../../etc", "../..", "/etc", "/templates/shared"])
def test_nothing_outside_the_tag_and_not_the_whole_tag_is_shared(named: str) -> None:
    said = f"templates/stable/build.toml:2: 'shared' must name a folder of the tag, not {named!r}"
    assert fault(shared_as(named)) == said


@pytest.mark.parametrize("named", [".", "", "parts", "..", "../stable", "..\\shared"])
def test_the_shared_folder_is_another_than_the_own_one(named: str) -> None:
    assert fault(shared_as(named)).startswith("templates/stable/build.toml:2: 'shared' must name another folder")


def test_a_shared_folder_that_is_not_there_is_named() -> None:
    said = "templates/stable/build.toml:2: 'shared' names 'templates/gone', where the tag holds no sources"
    assert fault(shared_as("../gone")) == said


def test_a_name_with_two_meanings_is_refused() -> None:
    files = FAMILY | {"templates/stable/shared/part.jinja": b""}
    said = "templates/stable/build.toml:1: 'shared' would hide 'shared/part.jinja' of the template's own folder"
    assert fault(files) == said


def test_without_the_key_a_folder_of_that_name_is_the_family_s_own() -> None:
    files = {"t/template.jinja": b"<% include 'shared/x.jinja' %>", "t/shared/x.jinja": b"own"}
    assert build_template(TemplateRule(RepoPath("t"), RepoPath("chat_template")), files) == "own"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\n<%= nobody %>", "templates/shared/deep/part.jinja:2: 'nobody' is undefined"),
        (b"\n\n\xff", "templates/shared/deep/part.jinja:3: the file is not UTF-8"),
        (b"<% include '../secret.jinja' %>", "templates/shared/deep/part.jinja:1: there is no file '../secret.jinja'"),
    ],
)
def test_a_fault_in_a_shared_part_names_its_path_in_the_tag(content: bytes, said: str) -> None:
    assert fault(FAMILY | {"templates/shared/deep/part.jinja": content}).startswith(said)


@pytest.mark.parametrize("content", [b"shared = 3", b"shared = '/'", b"\xff", b"="])
def test_a_faulty_build_file_is_named_when_the_files_are_read(content: bytes) -> None:
    source = OneTree(FAMILY | {"templates/stable/build.toml": content})
    with pytest.raises(CannotBuild) as caught:
        template_files(source, source.items, RULE)
    assert caught.value.message.startswith("templates/stable/build.toml:1: ")
