"""secrets: no token or private key leaves, wherever it stands, and none is shown.

The tokens here are made when a test runs, so that this file passes the check itself.
"""

import random
import string
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import Files, config, entry, tree
from release.checks.secrets import Secrets
from release.values import Finding, Level, RepoPath, Sha256, Waiver

_RANDOM = random.Random("not a secret")
WORD = string.ascii_letters + string.digits


def drawn(count: int, letters: str = WORD) -> bytes:
    return "".join(_RANDOM.choice(letters) for _ in range(count)).encode()


def key(kind: bytes = b"RSA ", between: bytes = b"\n", lines: int = 12) -> bytes:
    body = b"\n".join(drawn(64, WORD + "+/") for _ in range(lines))
    return b"-----BEGIN " + kind + b"PRIVATE KEY-----" + between + body + b"\n-----END " + kind + b"PRIVATE KEY-----\n"


TOKENS = {
    "hugging-face-token": [
        b"hf_" + drawn(34),
        b"hf_" + drawn(37),
        b"hf_oauth_" + drawn(80),
        b"hf_jwt_" + drawn(900, WORD + "._-") + b"x",
    ],
    "hugging-face-org-token": [b"api_org_" + drawn(34)],
    "github-token": [
        b"ghp_" + drawn(36),
        b"gho_" + drawn(36),
        b"ghs_" + drawn(40),
        b"github_pat_" + drawn(82, WORD + "_") + b"x",
    ],
    "aws-access-key": [b"AKIA" + drawn(16, string.ascii_uppercase + string.digits)],
    "aws-secret-key": [b"aws_secret_access_key = " + drawn(40), b'AWS_SECRET_ACCESS_KEY="' + drawn(40, WORD + "/+")],
    "private-key": [
        key(),
        key(b""),
        key(b"OPENSSH "),
        key(b"EC ", b"\r\n"),
        key(b"ENCRYPTED ", b"\\n"),
        key(b"RSA ", b"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n"),
        key().replace(b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----").replace(b"RSA", b"PGP"),
        key().replace(b"\n", b"\n            "),
        b"-----BEGIN PRIVATE KEY-----\nMIIE...\n",
        b"-----BEGIN RSA PRIVATE KEY-----\r\n",
    ],
}
ALL = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]


def found(content: bytes, chunk: int = 1 << 20, waived: Sequence[bytes] = ()) -> list[Finding]:
    files = Files({"a.txt": content}, chunk)
    waivers = tuple(Waiver(Sha256.of(text), "an example") for text in waived)
    return list(Secrets(files)(files.tree(config=config(waiver=waivers))))


@pytest.mark.parametrize(("kind", "token"), ALL, ids=[f"{kind}-{index}" for index, (kind, _) in enumerate(ALL)])
@pytest.mark.parametrize(
    "around", [(b"", b""), (b"x = '", b"'\n"), (b"token=", b"&x=1"), (b"a\nb\n\tMY_", b"\nc"), (b"\0\xff", b"\0")]
)
def test_each_kind_is_found_wherever_it_stands(kind: str, token: bytes, around: tuple[bytes, bytes]) -> None:
    before, after = around
    assert [(one.rule, one.line, one.level) for one in found(before + token + after)] == [
        (f"secrets/{kind}", before.count(b"\n") + 1, Level.ERROR)
    ]


@given(
    st.sampled_from(ALL),
    st.integers(0, 25_000),
    st.integers(5_000, 40_000),
    st.sampled_from([b" ", b"\n", b" hf_ aws ", b"-----\n"]),
)
@settings(max_examples=60)
def test_where_the_chunks_meet_changes_nothing(told: tuple[str, bytes], before: int, chunk: int, filler: bytes) -> None:
    """Kind, line and digest are those of the whole text, however it is cut."""
    content = (filler * before)[:before] + b" " + told[1] + (filler * 25_000)[:25_000]
    assert found(content, chunk) == found(content, len(content))
    assert [one.rule for one in found(content, chunk)] == [f"secrets/{told[0]}"]


@pytest.mark.parametrize("shift", [0, 1, 20, 37, 38, 400])
def test_a_token_across_the_border_of_two_megabytes_is_found_once(shift: int) -> None:
    token = TOKENS["hugging-face-token"][0]
    content = b"line of text\n" * 90_000
    content = content[: (1 << 20) - shift] + b"\n" + token + b"\n" + content
    (finding,) = found(content)
    assert finding.line == content[: content.index(token)].count(b"\n") + 1


@given(st.lists(st.sampled_from(ALL), min_size=1, max_size=4), st.integers(1, 2000))
@settings(max_examples=50)
def test_no_finding_shows_the_secret(told: list[tuple[str, bytes]], chunk: int) -> None:
    findings = found(b"\n--\n".join(token for _, token in told), chunk)
    shown = " ".join(str(finding) for finding in findings)
    assert (len(findings), any(token[-30:].decode() in shown for _, token in told)) == (len(told), False)


@pytest.mark.parametrize(
    "text",
    [
        "hf_hub_download(repo_id, filename)",
        "from huggingface_hub import hf_upload_folder_with_progress_and_retries",
        "hf_transformers_cache_directory_name",
        "HF_TOKEN=hf_...",
        "hf_***********************************",
        "shf_" + "Ab3" * 12,
        "api_org_<your token here>",
        "a key begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----",
        'if line == "-----BEGIN OPENSSH PRIVATE KEY-----":',
        "-----BEGIN PUBLIC KEY-----\n" + "Ab3/" * 16,
        "sha256:" + "0123456789abcdef" * 4,
        "aws s3 cp model.safetensors s3://bucket/secret/",
        "x" * 5000,
    ],
)
def test_prose_is_no_secret(text: str) -> None:
    assert found(text.encode()) == []


@given(
    st.text(alphabet="abc_ ", max_size=80),
    st.sampled_from(["hf_", "api_org_", "ghp_", "github_pat_", "AKIA", "aws secret="]),
)
def test_names_of_words_and_underscores_are_no_secrets(text: str, prefix: str) -> None:
    assert found(f"{prefix}{text}".encode()) == []


@pytest.mark.parametrize(("kind", "token"), ALL, ids=[f"{kind}-{index}" for index, (kind, _) in enumerate(ALL)])
def test_a_waiver_by_digest_turns_its_text_into_a_note(kind: str, token: bytes) -> None:
    """The digest is the one that the error tells."""
    content = b"x = '" + token + b"'\n"
    digest = found(content)[0].message.partition("sha256 ")[2].partition(")")[0]
    files = Files({"a.txt": content}, 7)
    (finding,) = Secrets(files)(files.tree(config=config(waiver=(Waiver(Sha256(digest), "an example"),))))
    assert (finding.rule, finding.level, finding.message) == (
        "secrets/waived",
        Level.NOTE,
        f"{kind}, waived: an example",
    )


def test_a_waiver_for_one_private_key_lets_no_other_pass() -> None:
    """Many keys begin alike: OpenSSH's differ only after their first line."""
    one, other = key(b"OPENSSH "), key(b"OPENSSH ")
    start = one[:120]
    (first,), (second,) = found(one), found(start + other[120:])
    assert first.message != second.message


def test_a_waiver_that_meets_nothing_is_a_warning() -> None:
    digest = Sha256.of(b"gone")
    (finding,) = found(b"", waived=[b"gone"])
    assert (finding.rule, finding.level, digest in finding.message) == ("secrets/idle-waiver", Level.WARNING, True)


def test_a_waiver_covers_every_place_of_its_text() -> None:
    token = TOKENS["github-token"][0]
    assert [one.rule for one in found(token + b"\n" + token, waived=[token])] == ["secrets/waived"] * 2


@given(st.binary(max_size=300), st.integers(1, 40))
@example(b"-----BEGIN PRIVATE KEY-----" + b"A" * 16 + b" " * 5000 + b"AB", 1000)
def test_any_bytes_can_be_searched(content: bytes, chunk: int) -> None:
    assert found(content, chunk) == found(content, len(content) + 1)


def test_a_file_without_bytes_is_not_read() -> None:
    """It is not there to be read."""
    assert list(Secrets(Files())(tree([entry("link", None)]))) == []


def test_all_files_are_searched() -> None:
    token = TOKENS["aws-access-key"][0]
    files = Files({"a": token, "b": b"", "c/d": b"\n" + token})
    assert [(one.path, one.line) for one in Secrets(files)(files.tree())] == [(RepoPath("a"), 1), (RepoPath("c/d"), 2)]
