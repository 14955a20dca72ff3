"""Tag name → Source: peel exactly this tag, and say what is known about who made it."""

import re
from dataclasses import dataclass
from typing import ClassVar

from release.errors import Refused, Unavailable, UsageError
from release.ports import ReadsSource, VerifiesSignature
from release.values import Oid, Signature, Source, TagName
from release.values.record import read_records
from release.values.source import SignatureState
from release.values.tree import RECORDS

# As git looks for them: the last line that begins like this begins the signature.
_SIGNATURE = re.compile(rb"^-----BEGIN (SSH SIGNATURE|PGP SIGNATURE|PGP MESSAGE|SIGNED MESSAGE)-----", re.MULTILINE)
_UNCHECKED = {b"SIGNED MESSAGE": "an X.509 signature, which is not checked here"}


@dataclass(frozen=True)
class Resolve:
    """`refs/tags/NAME` and nothing else: no branch, no abbreviation, no other ref can stand in for it."""

    title: ClassVar[str] = "Resolving the tag"

    source: ReadsSource
    signatures: VerifiesSignature

    def run(self, given: str, /) -> Source:
        """Raises `UsageError` for a name that no tag has, `Refused` for a tag that cannot be released."""
        tag = tag_name(given)
        held = self.source.ref(tag.ref)
        if self.source.is_shallow():
            raise Refused(
                "this is a shallow clone: what came before the tag is missing",
                hint=f"git fetch --unshallow --tags {self._remote()}",
            )
        if held is None:
            raise self._missing(tag)
        kind, content = self.source.object(held)
        header = _header(content) if kind == "tag" else {}
        commit = self._peel(tag, held)
        if kind == "tag" and header.get("tag") != tag:
            raise Refused(
                f"{tag.ref} holds a tag object that calls itself {header.get('tag')!r}",
                hint=f"a tag object was copied under another name; make a new tag: git tag -a {tag} {commit}",
            )
        notes: tuple[str, ...] = ()
        if self.source.ref(f"refs/heads/{tag}") is not None:
            notes = (f"there is a branch named {tag} as well; the tag is released",)
        return Source(
            tag=tag,
            tag_object=held,
            annotated=kind == "tag",
            commit=commit,
            tree=self._tree_of(commit),
            signature=self._signature(content, commit) if kind == "tag" else Signature(SignatureState.NONE),
            notes=notes,
        )

    def _remote(self) -> str:
        return next(iter(self.source.remotes()), "origin")

    def _missing(self, tag: TagName) -> UsageError | Refused:
        if self.source.ref(f"refs/heads/{tag}") is not None:
            return Refused(
                f"{tag} is a branch, and a branch moves: only a tag can be released",
                hint=f"tag the commit: git tag -a NAME {tag}",
            )
        fetch = f"git fetch {self._remote()} tag {tag}" if self.source.remotes() else f"git tag -a {tag}"
        return UsageError(f"there is no tag {tag} in this repository", hint=f"{fetch}; `git tag` lists what there is")

    def _peel(self, tag: TagName, held: Oid) -> Oid:
        oid = held
        while True:
            kind, content = self.source.object(oid)
            if kind == "commit":
                return oid
            if kind != "tag":
                raise Refused(
                    f"{tag} names a {kind}, not a commit: it has no history that could be recorded",
                    hint="tag the commit that holds it",
                )
            oid = _named(oid, content, "object")

    def _tree_of(self, commit: Oid) -> Oid:
        return _named(commit, self.source.object(commit)[1], "tree")

    def _signature(self, content: bytes, commit: Oid) -> Signature:
        found = [*_SIGNATURE.finditer(content)]
        if not found:
            return Signature(SignatureState.NONE)
        start, kind = found[-1].start(), found[-1][1]
        if kind == b"SSH SIGNATURE":
            return self.signatures.verify(content[:start], content[start:], self._signers(commit))
        what = _UNCHECKED.get(kind, "an OpenPGP signature, which is not checked here")
        return Signature(SignatureState.UNCHECKED, detail=what)

    def _signers(self, commit: Oid) -> bytes | None:
        """`allowed_signers` as the newest earlier release had it: a key cannot vouch for itself."""
        records, _ = read_records(
            (item.path, self.source.object(item.oid)[1])
            for item in self.source.listing(self._tree_of(commit))
            if item.path.startswith(RECORDS) and item.path.endswith(".json") and item.is_file
        )
        for record in reversed(records):
            for item in self.source.listing(record.source_tree):
                if item.path == "allowed_signers" and item.is_file:
                    return self.source.object(item.oid)[1]
        return None


def _named(oid: Oid, content: bytes, key: str) -> Oid:
    """The object that a header line of this one names."""
    try:
        return Oid(_header(content)[key])
    except (KeyError, ValueError) as wrong:
        raise Unavailable(
            f"the object {oid} does not say which {key} it belongs to",
            hint="`git fsck` tells more; clone again, or make a new tag",
        ) from wrong


def tag_name(given: str) -> TagName:
    """The name of a tag, as typed or as `refs/tags/NAME`. Raises `UsageError` for what no tag can be called."""
    try:
        return TagName(given.removeprefix("refs/tags/"))
    except ValueError as wrong:
        raise UsageError(f"{given!r} is not a tag name: {wrong}", hint="`git tag` lists the tags there are") from wrong


def _header(content: bytes) -> dict[str, str]:
    """The header lines of a tag or commit object; of a key that repeats, the first."""
    found: dict[str, str] = {}
    for line in content.split(b"\n\n", 1)[0].decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        found.setdefault(key, value)
    return found
