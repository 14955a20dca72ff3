"""What a configuration means, once it was read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.values import Newline, RepoPath, TagName, TemplateRule


@given(st.binary(max_size=8))
def test_a_newline_that_was_added_can_be_taken_away_again(content: bytes) -> None:
    assert Newline.MINUS_ONE.apply(Newline.PLUS_ONE.apply(content)) == content


@given(st.binary(max_size=8))
def test_identical_bytes_stay_as_they_are(content: bytes) -> None:
    assert Newline.IDENTICAL.apply(content) == content


@pytest.mark.parametrize("content", [b"", b"a", b"\na", b"a\r"])
def test_no_newline_can_be_taken_from_where_none_is(content: bytes) -> None:
    with pytest.raises(ValueError, match="does not end with a newline"):
        Newline.MINUS_ONE.apply(content)


def test_only_one_newline_is_taken_away() -> None:
    assert Newline.MINUS_ONE.apply(b"a\n\n") == b"a\n"


def test_a_template_is_published_under_four_names() -> None:
    names = TemplateRule(RepoPath("t"), RepoPath("chat_template")).published(TagName("v16"))
    assert vars(names) == {
        "alias": "chat_template.jinja",
        "versioned": "chat_template_v16.jinja",
        "oneline": "chat_template_oneline.txt",
        "versioned_oneline": "chat_template_v16_oneline.txt",
    }


def test_a_slash_in_a_tag_is_no_folder_of_the_published_name() -> None:
    names = TemplateRule(RepoPath("t"), RepoPath("sub/chat")).published(TagName("rel/1"))
    assert names.versioned == "sub/chat_rel~1.jinja"


def test_a_name_that_is_too_long_with_its_tag_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="255 bytes"):
        TemplateRule(RepoPath("t"), RepoPath("n" * 120)).published(TagName("v" * 140))
