"""SSH signatures of tags, by OpenSSH's own `ssh-keygen -Y`.

Only exit codes are believed: with an empty allowed_signers file the command prints "Good" and fails
(PROVENANCE.md §1.10).
"""

import os
import re
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from release.errors import Refused
from release.values import Signature
from release.values.source import SignatureState

_NAMESPACE = "git"


class SshKeygen:
    """Implements `ports.VerifiesSignature`."""

    def verify(self, payload: bytes, signature: bytes, signers: bytes | None) -> Signature:
        with tempfile.TemporaryDirectory() as folder:
            sig = Path(folder, "signature")
            sig.write_bytes(signature)
            try:
                whole = _run(["check-novalidate", "-n", _NAMESPACE, "-s", str(sig)], payload)
            except OSError as error:
                return Signature(SignatureState.UNCHECKED, detail=f"ssh-keygen cannot be run: {error}")
            if whole.returncode:
                raise Refused(
                    f"the tag's SSH signature does not fit the tag: {_said(whole)}",
                    hint="the tag object was changed or the signature is damaged; make a new tag",
                )
            if signers is None:
                return Signature(SignatureState.UNTRUSTED, detail="no earlier release vouches for a key")
            allowed = Path(folder, "allowed_signers")
            allowed.write_bytes(signers)
            # Only a file that limits its keys in time is asked about a time, which older versions do not know. It is
            # the tag's: the answer must not change with the day on which somebody asks.
            made = _when(payload) if b"valid-" in signers else []
            found = _run(["find-principals", *made, "-s", str(sig), "-f", str(allowed)], b"")
            for principal in found.stdout.decode("utf-8", "replace").splitlines() if not found.returncode else []:
                arguments = ["verify", *made, "-n", _NAMESPACE, "-I", principal, "-s", str(sig), "-f", str(allowed)]
                if not _run(arguments, payload).returncode:
                    return Signature(SignatureState.GOOD, principal, _key(whole))
            return Signature(SignatureState.UNTRUSTED, detail=f"not a key of allowed_signers: {_key(whole)}")


def _run(arguments: list[str], payload: bytes) -> "subprocess.CompletedProcess[bytes]":
    environment = os.environ | {"TZ": "UTC"}
    return subprocess.run(
        ["ssh-keygen", "-Y", *arguments], input=payload, capture_output=True, env=environment, check=False
    )


def _when(payload: bytes) -> list[str]:
    tagger = re.search(rb"^tagger .*> ([0-9]{1,11}) [+-][0-9]{4}$", payload, re.MULTILINE)
    made = datetime.fromtimestamp(int(tagger[1]), UTC) if tagger else None
    return ["-O", f"verify-time={made:%Y%m%d%H%M%S}"] if made else []


def _said(process: "subprocess.CompletedProcess[bytes]") -> str:
    said = (process.stderr or process.stdout).decode("utf-8", "replace").strip()
    return said.rpartition("\n")[2] or f"ssh-keygen ended with {process.returncode}"


def _key(process: "subprocess.CompletedProcess[bytes]") -> str:
    """The fingerprint in `Good "git" signature with ED25519 key SHA256:…`."""
    return process.stdout.decode("utf-8", "replace").strip().rpartition(" with ")[2]
