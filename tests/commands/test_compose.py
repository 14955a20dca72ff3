"""`release compose`: the bytes that a release would publish, on stdout."""

from pathlib import Path

import pytest

from support import Run, SourceRepository, release

ROOT = Path(__file__).parents[2]


def _composed(source: SourceRepository, text: str, *options: str) -> Run:
    source.write({"a.jinja": text})
    return release(source.path, "compose", "a.jinja", *options)


def test_a_family_is_what_a_release_publishes_of_it() -> None:
    """NOTICE.md keeps the digest of both files."""
    notice = (ROOT / "NOTICE.md").read_text()
    for options in ([], ["--oneline"]):
        assert release(ROOT, "compose", "media-history", *options, "--json").json["sha256"] in notice


def test_a_family_is_found_by_its_folder_too() -> None:
    by_name = release(ROOT, "compose", "media-history").out
    assert release(ROOT, "compose", str(ROOT / "templates/media-history")).out == by_name


def test_a_file_is_printed_as_it_is(source: SourceRepository) -> None:
    assert _composed(source, "{{ 'a' }}\n").out == "{{ 'a' }}\n"


def test_its_twin_is_one_line(source: SourceRepository) -> None:
    assert _composed(source, "{{- 'a' }}\n{{- 'b\\n' }}", "--oneline").out == "{{ 'a' }}{{ 'b\\n' }}"


def test_text_that_depends_on_the_host_has_no_twin_and_the_line_is_named(source: SourceRepository) -> None:
    run = _composed(source, "{% if x %}\na{% endif %}", "--oneline")
    assert (run.code, "1:" in run.err or "line" in run.err) == (3, True)


@pytest.mark.parametrize(("option", "text"), [("--trim", "{% if x %}a"), ("--no-trim", "{% if x %}{{ '\\na' }}")])
def test_a_twin_can_be_made_for_one_kind_of_host(source: SourceRepository, option: str, text: str) -> None:
    run = _composed(source, "{% if x %}\na{% endif %}", "--oneline", option)
    assert run.out.startswith(text)


@pytest.mark.parametrize("arguments", [["nowhere"], ["a.jinja", "--trim"]])
def test_a_mistake_is_a_usage_error(source: SourceRepository, arguments: list[str]) -> None:
    source.write({"a.jinja": "x"})
    assert release(source.path, "compose", *arguments).code == 2
