"""Patterns of the allow-list: they match what a reader expects, and a simple matcher agrees."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from release.values import Glob

PARTS = st.lists(st.sampled_from(["a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-c]", "-", "[]-a]", "é"]), max_size=4)
PATTERNS = st.lists(st.just("**") | PARTS.map("".join), min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.text(alphabet="ab.c-é\n", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


def _simply(pattern: list[str], path: list[str]) -> bool:
    """Parts against parts, by trying everything."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path) and not any(part.startswith(".") for part in path)
        inside = bool(path) and not path[0].startswith(".") and _simply(pattern, path[1:])
        return inside or _simply(pattern[1:], path)
    hidden = bool(path) and path[0].startswith(".") and not pattern[0].startswith(".")
    return bool(path) and not hidden and _in_part(pattern[0], path[0]) and _simply(pattern[1:], path[1:])


def _in_part(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(_in_part(pattern[1:], text[at:]) for at in range(len(text) + 1))
    if not text:
        return False
    if pattern[0] == "[":
        inside, _, rest = pattern[1:].partition("]")
        members = {"ab": "ab", "a-c": "abc"}.get(inside.removeprefix("!"), inside.removeprefix("!"))
        return ((text[0] in members) != inside.startswith("!")) and _in_part(rest, text[1:])
    return pattern[0] in ("?", text[0]) and _in_part(pattern[1:], text[1:])


def _glob(text: str) -> Glob | None:
    try:
        return Glob(text)
    except ValueError:
        return None


@given(PATTERNS, PATHS)
@example("**", "a/.b/c")
@example("**/*", "a\n")
@example("a*b*c", "abbcc")
@settings(max_examples=1000)
def test_a_pattern_matches_what_a_simple_matcher_matches(pattern: str, path: str) -> None:
    glob = _glob(pattern)
    if glob is not None:
        assert glob.matches(path) == _simply(pattern.split("/"), path.split("/"))


@given(PATHS)
def test_a_path_without_special_characters_matches_itself_alone(path: str) -> None:
    glob = _glob(path)
    if glob is not None:
        assert (glob.matches(path), glob.matches(path + "a"), glob.matches(f"a/{path}")) == (True, False, False)


@given(st.text(alphabet="ab/.*?[]!-\\\0:~&|^", max_size=10), PATHS)
@settings(max_examples=500)
def test_any_text_is_a_pattern_or_a_value_error(pattern: str, path: str) -> None:
    """Never another exception, not even a warning of the expression that is made of it."""
    glob = _glob(pattern)
    assert glob is None or glob.matches(path) in (True, False)


@pytest.mark.parametrize(
    ("pattern", "path", "matched"),
    [
        ("*", "a", True),
        ("*", "a/b", False),
        ("*.txt", "x.txt", True),
        ("*.txt", ".txt", False),
        ("*", ".env", False),
        ("?env", ".env", False),
        ("[.]env", ".env", False),
        ("[!a]env", ".env", False),
        (".*", ".env", True),
        (".env", ".env", True),
        ("a/*", "a/.env", False),
        ("a/.*", "a/.env", True),
        ("a*", "a.env", True),
        ("**", "a/b/c", True),
        ("**", ".git/config", False),
        ("**", "a/.env", False),
        ("**/.env", ".env", True),
        ("**/.env", "a/b/.env", True),
        ("**/.env", ".a/.env", False),
        ("**/x", "x", True),
        ("**/x", "a/b/x", True),
        ("a/**", "a", False),
        ("a/**", "a/b/c", True),
        ("a/**", "ab/c", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("**/**/x", "x", True),
        ("a?c", "a/c", False),
        ("a[!b]c", "a/c", False),
        ("a[.-0]c", "a/c", False),
        ("[a-c]", "b", True),
        ("[a-c]", "-", False),
        ("[a-]", "-", True),
        ("[!a-c]", "d", True),
        ("[&&--~~||]", "&", True),
        ("A", "a", False),
        ("a+b(c)$", "a+b(c)$", True),
        ("a", "a\n", False),
        ("*", "\udcff", True),
    ],
)
def test_what_a_pattern_means(pattern: str, path: str, matched: bool) -> None:
    assert Glob(pattern).matches(path) is matched


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "empty"),
        ("/etc/*", "absolute"),
        ("C:/x", "absolute"),
        ("../x", "outside the tree"),
        ("a/../../x", "outside the tree"),
        ("./a", "outside the tree"),
        ("a//b", "outside the tree"),
        ("a/", "outside the tree"),
        ("a\\*", "backslash"),
        ("a**", "whole folders"),
        ("***", "whole folders"),
        ("[ab", "partner"),
        ("ab]", "partner"),
        ("]ab[", "partner"),
        ("[a/b]", "partner"),
        ("[]", "partner"),
        ("[!]", "partner"),
        ("[z-a]", "upside down"),
        ("a\0", "NUL"),
    ],
)
def test_a_pattern_that_cannot_mean_anything_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Glob(pattern)


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "/".join(["**"] * 40) + "/b", "**/*a*a*a*a*a*a*a*a*a*b/**/b"])
def test_no_pattern_takes_longer_than_a_reader_would_wait(pattern: str) -> None:
    """Stars that could share a text in countless ways: without care this test never ends."""
    assert not Glob(pattern).matches("/".join(["a" * 250] * 30))
