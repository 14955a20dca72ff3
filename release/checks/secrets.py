"""secrets: no token or private key leaves, but for texts that the config waives by their sha256."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from release.ports import ReadsTree
from release.values import Entry, Finding, Level, RepoPath, Sha256, Tree

# The forms that their issuers document, each long enough not to be met by chance.
_KINDS = {
    "hugging-face-token": rb"hf_(?:oauth_|jwt_|app_)?[A-Za-z0-9][A-Za-z0-9._\-]{19,}",
    "hugging-face-org-token": rb"api_org_[A-Za-z0-9]{20,}",
    "github-token": rb"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}",
    "aws-access-key": rb"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    "aws-secret-key": rb"(?i:aws.{0,20}?(?:secret|sk).{0,20}?[=:]\s*[\"']?)[A-Za-z0-9/+]{40}",
    "private-key": rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
}
_ANY = b"|".join(b"(?P<_%d>%s)" % (index, form) for index, form in enumerate(_KINDS.values()))
_SECRET = re.compile(rb"(?<![A-Za-z0-9_])(?:" + _ANY + rb")(?![A-Za-z0-9])")
# Every form holds one of these; looking for them first is many times faster than the expression.
_HINTS = re.compile(rb"hf_|api_org_|gh[pousr]_|github_pat_|AKIA|ASIA|ABIA|ACCA|(?i:aws)|PRIVATE KEY")
_OVERLAP = 512


@dataclass(frozen=True)
class Secrets:
    files: ReadsTree
    name: str = "secrets"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        waived = {waiver.sha256: waiver.reason for waiver in tree.config.waiver}
        used = set()
        for entry in tree.entries:
            for kind, secret, line in self._found(entry):
                digest = Sha256.of(secret)
                if digest in waived:
                    used.add(digest)
                    yield Finding("secrets/waived", f"{kind}, waived: {waived[digest]}", Level.NOTE, entry.path, line)
                else:
                    message = f"{kind} (sha256 {digest}): take it out, and revoke it if it was ever real"
                    yield Finding(f"secrets/{kind}", message, path=entry.path, line=line)
        for digest in sorted(set(waived) - used):
            yield Finding("secrets/idle-waiver", f"the waiver for {digest} meets nothing", Level.WARNING)

    def _found(self, entry: Entry) -> Iterator[tuple[str, bytes, int]]:
        """(kind, text, line) of each; chunks overlap, so that none is missed where two of them meet."""
        if not entry.has_bytes:
            return
        tail, line, seen_to, offset = b"", 1, 0, 0
        for chunk in self.files.chunks(RepoPath(entry.path)):
            window = tail + chunk
            if _HINTS.search(window):
                for match in _SECRET.finditer(window):
                    start = offset + match.start()
                    if start >= seen_to:
                        seen_to = offset + match.end()
                        kind = list(_KINDS)[int((match.lastgroup or "_0")[1:])]
                        yield kind, match.group(), line + window.count(b"\n", 0, match.start())
            tail = window[-_OVERLAP:]
            kept = len(window) - len(tail)
            line += window.count(b"\n", 0, kept)
            offset += kept
