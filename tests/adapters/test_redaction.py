"""Text without secrets, for whatever is printed that nobody foresaw."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.adapters.redaction import without_secrets

WORD = st.text(alphabet=string.ascii_letters + string.digits, min_size=36, max_size=60)


@given(
    WORD,
    st.sampled_from(
        ["hf_{}", "hf_oauth_{}", "hf_jwt_{}.a_b-c", "api_org_{}", "ghp_{}", "github_pat_{}_{}", "Bearer {}"]
    )
    | st.sampled_from(
        ["authorization: Basic {}=", "bearer\t{}", "https://user:{}@host/x", "https://{}@host", "//a:{}@b"]
    ),
    st.sampled_from(["{}", "x {} y", "'{}'", "token={}&x", "{}\n", '{{"a": "{}"}}']),
)
def test_no_token_is_left_in_any_form(word: str, form: str, around: str) -> None:
    assert word not in without_secrets(around.format(form.format(word, word)))


@pytest.mark.parametrize(
    "text",
    [
        "hf_hub_download() got an unexpected keyword argument",
        "hf_upload",
        "File release/adapters/hf.py, line 3, in run",
        "https://huggingface.co/acme/model",
        "a@example.com",
        "// not an address",
        "sha256 " + "0123456789abcdef" * 4,
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_the_rest_of_an_address_stays() -> None:
    assert without_secrets("fatal: https://me:pass@host/x did not answer") == "fatal: https://***host/x did not answer"


@given(st.text())
def test_twice_is_the_same_as_once(text: str) -> None:
    once = without_secrets(text)
    assert without_secrets(once) == once or "***" in once
