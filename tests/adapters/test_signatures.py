"""Tag signatures by OpenSSH: only exit codes are believed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from release.adapters.signatures import SshKeygen
from release.errors import Refused
from release.values.source import SignatureState

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

PAYLOAD = b"object 0\ntype commit\ntag v1\ntagger A <a@example.com> 1700000000 +0200\n\nA release\n"


class Key:
    """A key pair, and what it signs."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(self.path)], check=True)
        self.public = self.path.with_suffix(".pub").read_text().strip()

    def signed(self, payload: bytes, namespace: str = "git") -> bytes:
        command = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(self.path)]
        return subprocess.run(command, input=payload, capture_output=True, check=True).stdout

    def allowed(self, principal: str = "a@example.com", options: str = "") -> bytes:
        return f"{principal} {options} {self.public}\n".encode()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return Key(tmp_path_factory.mktemp("keys"), "ours")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Key:
    return Key(tmp_path_factory.mktemp("keys"), "theirs")


def test_a_signature_of_an_allowed_key_is_good_and_names_its_signer(key: Key) -> None:
    found = SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), key.allowed())
    assert (found.state, found.principal, found.detail[:8]) == (SignatureState.GOOD, "a@example.com", "ED25519 ")


def test_the_signer_is_found_among_several(key: Key, other: Key) -> None:
    signers = b"# who may sign\n\n" + other.allowed("b@example.com") + key.allowed("c@example.com,d@example.com")
    assert SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), signers).principal == "c@example.com"


def test_a_signature_without_any_list_is_whole_but_untrusted(key: Key) -> None:
    found = SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), None)
    assert (found.state, found.principal) == (SignatureState.UNTRUSTED, None)


@pytest.mark.parametrize("signers", [b"", b"\n", b"# nobody\n", b"nonsense\n", b"\xff\x00\n"])
def test_an_empty_or_senseless_list_trusts_nobody(key: Key, signers: bytes) -> None:
    """With some of these the command itself prints that the signature is good."""
    assert SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), signers).state is SignatureState.UNTRUSTED


def test_another_key_is_untrusted(key: Key, other: Key) -> None:
    assert SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), other.allowed()).state is SignatureState.UNTRUSTED


def test_a_key_that_is_allowed_for_something_else_is_untrusted(key: Key) -> None:
    signers = key.allowed(options='namespaces="file"')
    assert SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), signers).state is SignatureState.UNTRUSTED


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ('valid-before="20231114221300Z"', SignatureState.UNTRUSTED),
        ('valid-before="20231114221400Z"', SignatureState.GOOD),
        ('valid-after="20231114221400Z"', SignatureState.UNTRUSTED),
        ('valid-after="20231114221300Z",valid-before="20231114221400Z"', SignatureState.GOOD),
    ],
)
def test_a_key_must_have_been_valid_when_the_tag_was_made(
    key: Key, monkeypatch: pytest.MonkeyPatch, options: str, state: SignatureState
) -> None:
    """Not on the day on which somebody asks, and wherever: 1700000000 is 22:13:20 UTC."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD), key.allowed(options=options)).state is state


@pytest.mark.parametrize("payload", [PAYLOAD + b"x", PAYLOAD.replace(b"v1", b"v2"), b"", PAYLOAD[:-1]])
def test_a_signature_over_other_bytes_is_refused(key: Key, payload: bytes) -> None:
    with pytest.raises(Refused, match="does not fit the tag"):
        SshKeygen().verify(payload, key.signed(PAYLOAD), key.allowed())


def test_a_signature_for_another_purpose_is_refused(key: Key) -> None:
    with pytest.raises(Refused, match="does not fit the tag"):
        SshKeygen().verify(PAYLOAD, key.signed(PAYLOAD, "file"), key.allowed())


def test_a_damaged_signature_is_refused(key: Key) -> None:
    lines = key.signed(PAYLOAD).split(b"\n")
    lines[1] = lines[1][::-1]
    for damaged in (b"\n".join(lines), b"\n".join(lines[:1]), b"-----BEGIN SSH SIGNATURE-----\n"):
        with pytest.raises(Refused, match="does not fit the tag"):
            SshKeygen().verify(PAYLOAD, damaged, key.allowed())


def test_without_ssh_keygen_a_signature_is_unchecked(key: Key, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    signature = key.signed(PAYLOAD)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert SshKeygen().verify(PAYLOAD, signature, key.allowed()).state is SignatureState.UNCHECKED


def test_an_ssh_keygen_that_says_nothing_is_quoted_by_its_exit_code(
    key: Key, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    signature = key.signed(PAYLOAD)
    (tmp_path / "ssh-keygen").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "ssh-keygen").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="ssh-keygen ended with 3"):
        SshKeygen().verify(PAYLOAD, signature, key.allowed())
