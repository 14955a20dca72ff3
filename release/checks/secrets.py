"""secrets: no token or private key leaves, but for texts that the config waives by their sha256."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from release.ports import ReadsTree
from release.values import Entry, Finding, Level, RepoPath, Sha256, Tree

_GAP = rb"(?:\s|\\[nr]|[\"'+>#*])"
_HEADER = rb"(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): [^\r\n\\]{0,200}"
# The forms that their issuers document, each long enough not to be met by chance.
_KINDS = {
    # 34 letters and digits today, or a JWT behind one of three words. No underscore: `hf_hub_download` and its like
    # are names of functions. A stand-in of that length is refused too: it costs a waiver, a missed token costs more.
    "hugging-face-token": rb"hf_(?:(?:oauth|jwt|app)_[A-Za-z0-9._\-]{20,}|[A-Za-z0-9]{20,})",
    "hugging-face-org-token": rb"api_org_[A-Za-z0-9]{30,}",
    "github-token": rb"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}",
    "aws-access-key": rb"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    "aws-secret-key": rb"(?i:aws.{0,20}?(?:secret|sk).{0,20}?[=:]\s{0,20}[\"']?)[A-Za-z0-9/+]{40}",
    # With the key itself, so that a waiver is for one key and not for all; without one, only where it ends its line.
    "private-key": rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:(?:%b|%b){0,300}?[A-Za-z0-9+/]{16}(?:[A-Za-z0-9+/=]|%b){0,4000}|(?=[ \t\r]{0,9}(?:\n|\Z|\\n)))"
    % (_GAP, _HEADER, _GAP),
}
_ANY = b"|".join(b"(?P<_%d>%s)" % (index, form) for index, form in enumerate(_KINDS.values()))
_SECRET = re.compile(rb"(?<![A-Za-z0-9])(?:" + _ANY + rb")(?![A-Za-z0-9])")
# Every form holds one of these; looking for them first is many times faster than the expression.
_HINTS = tuple(b"hf_ api_org_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ AKIA ASIA ABIA ACCA aws AWS Aws PRIVATE".split())
# Nothing that is looked for is longer, but for what no issuer would make.
_LONGEST = 16_384


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
        """(kind, text, line) of each, wherever the chunks meet: what begins near an end waits for the next chunk."""
        if not entry.has_bytes:
            return
        window, begin, line = b"", 0, 1
        for chunk in chain(self.files.chunks(RepoPath(entry.path)), (None,)):
            window += chunk or b""
            end = len(window) if chunk is None else len(window) - _LONGEST
            hinted = end > begin and any(hint in window for hint in _HINTS)
            for match in _SECRET.finditer(window, begin) if hinted else ():
                if match.start() >= end:
                    break
                begin = match.end()
                kind = list(_KINDS)[int((match.lastgroup or "_0")[1:])]
                yield kind, match.group(), line + window.count(b"\n", 0, match.start())
            begin = max(begin, end)
            # One character stays, to see whether a text begins in the middle of a word.
            gone = max(begin - 1, 0)
            line += window.count(b"\n", 0, gone)
            window, begin = window[gone:], begin - gone
