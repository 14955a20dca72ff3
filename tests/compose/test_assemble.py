"""Two-stage sources become one template, or one clear error with file and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.compose.assemble import assemble
from release.compose.faults import CannotBuild

ENTRY = "template.jinja"
BUILD = """\
[features]
skills = true
media = "roles"
names = ["read", "it's"]

[versions.v13]
features = { skills = false }

[versions.v2]
features = { media = "none", skills = false }
"""


def fault(files: dict[str, str], version: str | None = None) -> CannotBuild:
    with pytest.raises(CannotBuild) as caught:
        assemble(files, version)
    return caught.value


def test_build_time_tags_are_run_and_leave_no_line_behind() -> None:
    source = "{% if x %}\n  <% if features.skills %>\nskilled\n  <% endif %>\n<%# a note %>\n{% endif %}\n"
    assert assemble({ENTRY: source, "build.toml": BUILD}) == "{% if x %}\nskilled\n{% endif %}\n"


def test_a_version_changes_the_features_that_it_names() -> None:
    source = "<%= features.skills %> <%= features.media %> <%= version %>"
    files = {ENTRY: source, "build.toml": BUILD}
    assert [assemble(files, version) for version in (None, "v13", "v2")] == [
        "True roles None",
        "False roles v13",
        "False none v2",
    ]


def test_the_filter_literal_writes_words_as_portable_jinja() -> None:
    assert assemble({ENTRY: "{% set n = <%= features.names|literal %> %}", "build.toml": BUILD}) == (
        "{% set n = ['read', \"it's\"] %}"
    )


def test_parts_are_included_and_macros_imported_from_the_folder() -> None:
    files = {
        ENTRY: "<% import 'parts/lib.jinja' as lib %>\n<% include 'parts/head.jinja' %>\n<%= lib.twice('b') %>\n",
        "parts/head.jinja": "{{ head }}\n",
        "parts/lib.jinja": "<% macro twice(word) %><%= word %><%= word %><% endmacro %>",
    }
    assert assemble(files) == "{{ head }}\nbb\n"


def test_another_entry_can_be_named() -> None:
    assert assemble({"main.jinja": "text", "build.toml": 'entry = "main.jinja"'}) == "text"


@given(st.text().filter(lambda text: "<%" not in text and not set(text) & set("\r\ufeff")))
def test_text_without_build_time_tags_is_its_own_result(text: str) -> None:
    assert assemble({ENTRY: text}) == text


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("a\n<%= features.skils %>", 2, "no attribute 'skils'"),
        ("a\n\n<%= nobody %>", 3, "'nobody' is undefined"),
        ("a\n<% if %>", 2, "Expected an expression"),
        ("<% if true %>\na", 2, "Unexpected end of template"),
        ("a\n<%# open", 2, "Missing end of comment tag"),
        ("a\n<%= 'x'|shout %>", 2, "No filter named 'shout'"),
        ("a\n<% include 'gone.jinja' %>", 2, "no file 'gone.jinja'"),
        ("a\n<% include '../template.jinja' %>", 2, "no file '../template.jinja'"),
        ("a\n<% include 'template.jinja' %>", 2, "without end"),
        ("a\n<%= 1 / 0 %>", 2, "ZeroDivisionError"),
        ("a\n<%= 1.5|literal %>", 2, "TypeError: a float cannot be written"),
        ("a\n<%= ''.__class__ %>", 2, "unsafe"),
        ("a\n<% for n in range(1000000) %><% endfor %>", 2, "Range too big"),
        ("a\r\nb", 1, "a carriage return"),
        ("a\n\ufeffb", 2, "a byte order mark"),
    ],
)
def test_every_fault_of_a_source_names_its_line(source: str, line: int, said: str) -> None:
    error = fault({ENTRY: source, "build.toml": BUILD})
    assert (error.path, error.line) == (ENTRY, line)
    assert said in error.reason
    assert error.message == f"{ENTRY}:{line}: {error.reason}"


def test_a_fault_in_an_included_file_names_that_file() -> None:
    for text in ("x\n<%= nobody %>", "x\n<% if %>"):
        error = fault({ENTRY: "a\n\n<% include 'part.jinja' %>", "part.jinja": text})
        assert (error.path, error.line) == ("part.jinja", 2)


def test_what_still_holds_a_build_time_tag_is_refused() -> None:
    assert "line 2 of the built text" in fault({ENTRY: "a\n<%= '<' ~ '% if %>' %>"}).reason


def test_a_build_that_runs_away_stops() -> None:
    loops = "<% for a in range(90000) %><% for b in range(9000) %>text<% endfor %><% endfor %>"
    assert "longer than 8,388,608 characters" in fault({ENTRY: loops}).reason


def test_a_folder_without_its_entry_is_refused() -> None:
    assert "there is no 'template.jinja'" in fault({"other.jinja": ""}).reason


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nentry = ", 2, "Invalid value"),
        ("a = 1\nb = c", 2, "at line 2"),
        ("[features]\nx = 1\n[extra]", 3, "unknown key 'extra' (known: entry, shared, features, versions)"),
        ("\nentry = 3", 2, "'entry' must be a text"),
        ("shared = []", 1, "'shared' must be a text"),
        ("features = 1", 1, "'features' must be a table"),
        ('[features]\n"a-b" = 1', 2, "no name for a feature"),
        ("[features]\n_a = 1", 2, "no name for a feature"),
        ("[versions]\nv1 = 3", 2, "versions.v1 must be a table"),
        ("[versions.v1]\nfeature = {}", 2, "unknown key 'versions.v1.feature'"),
        ("[features]\na = 1\n[versions.v1]\nfeatures = { b = 1 }", 4, "'b', which [features] does not declare"),
        (
            "[features]\na = true\n[versions.v1]\nfeatures = { a = 1 }",
            4,
            "another kind of value (int, in [features] bool)",
        ),
    ],
)
def test_every_fault_of_the_build_file_names_its_line(text: str, line: int, said: str) -> None:
    error = fault({ENTRY: "", "build.toml": text})
    assert (error.path, error.line) == ("build.toml", line)
    assert said in error.reason


def test_a_version_that_is_not_declared_is_refused_with_those_that_are() -> None:
    assert "no version 'v99' is declared (there are: v13, v2)" in fault({ENTRY: "", "build.toml": BUILD}, "v99").reason
    assert "(there are: none)" in fault({ENTRY: ""}, "v99").reason
