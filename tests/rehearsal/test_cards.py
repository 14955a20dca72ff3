"""The front matter of a README.md."""

import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from hypothesis import given
from hypothesis import strategies as st

from release.rehearsal.cards import read_card

PLAIN = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


def test_facts_are_read_and_dates_are_text() -> None:
    card = read_card("---\nlicense: mit\ntags: [a, b]\ndate: 2026-01-02\nnested: {since: 2026-01-02}\n---\n# Title\n")
    assert card.facts == {
        "license": "mit",
        "tags": ["a", "b"],
        "date": "2026-01-02",
        "nested": {"since": "2026-01-02"},
    }
    assert (card.errors, card.warnings) == ((), ())


@pytest.mark.parametrize("text", ["", "# Title\n", "---\n---\n", "---\nlicense: mit\n", "---\n# a comment\n---\n"])
def test_a_card_without_front_matter_is_a_warning(text: str) -> None:
    card = read_card(text)
    assert card.errors == ()
    assert card.warnings == ("empty or missing yaml metadata in repo card",)


@pytest.mark.parametrize(
    ("front", "error"),
    [
        ("license: [mit", "Invalid YAML"),
        ("a: &x\nb: *y", "Invalid YAML"),
        ("- a\n- b", "must be a mapping"),
        ("just text", "must be a mapping"),
        ("model-index: foo", '"model-index" must be an array'),
        ("license: {a: b}", '"license" must be a string or an array of strings'),
        ("tags: [1, 2]", '"tags" must be a string or an array of strings'),
        ("1: one", '"1" must be a string'),
        ("x: !!python/object/apply:os.system [ls]", "Invalid YAML"),
    ],
)
def test_a_broken_card_has_errors_and_no_facts(front: str, error: str) -> None:
    card = read_card(f"---\n{front}\n---\n")
    assert error in card.errors[0]
    assert card.facts == {}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_blank_line_above_do_not_matter(end: str) -> None:
    assert read_card(f"{end}---{end}license: mit{end}---{end}text").facts == {"license": "mit"}


@given(st.text(max_size=60))
def test_no_text_is_too_strange_to_be_read(text: str) -> None:
    for card in (read_card(text), read_card(f"---\n{text}\n---\n")):
        assert card.errors == () or card.facts == {}


@given(st.dictionaries(PLAIN, PLAIN, min_size=1, max_size=4))
def test_what_was_written_is_read(facts: dict[str, str]) -> None:
    written = "".join(f'"x{key}": "{value}"\n' for key, value in facts.items())
    assert read_card(f"---\n{written}---\n").facts == {f"x{key}": value for key, value in facts.items()}


def test_the_page_of_a_repository_knows_its_card(api: HfApi, repo: str) -> None:
    card = (
        b"---\nlicense: apache-2.0\nlanguage: [en, de]\ntags: [chat]\npipeline_tag: text-generation\n"
        b"base_model: Qwen/Qwen3.5-27B\ndatasets: [a/b]\n---\n# A model\n"
    )
    api.create_commit(repo, [CommitOperationAdd("README.md", card)], commit_message="Add a card")
    info = api.model_info(repo)
    assert info.card_data is not None
    assert info.card_data.license == "apache-2.0"
    assert info.pipeline_tag == "text-generation"
    assert info.tags is not None
    assert {"chat", "en", "de", "license:apache-2.0", "dataset:a/b", "base_model:Qwen/Qwen3.5-27B"} <= set(info.tags)
