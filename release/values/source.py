"""Source: a tag, peeled to what it names."""

from dataclasses import dataclass
from enum import StrEnum

from release.values.names import Oid, TagName


class SignatureState(StrEnum):
    """What is known about a tag's signature. Only GOOD says that a known key made it."""

    NONE = "none"
    GOOD = "good"
    UNTRUSTED = "untrusted"
    UNCHECKED = "unchecked"


@dataclass(frozen=True)
class Signature:
    """`principal` is the signer by `allowed_signers`; `detail` says why the state is what it is."""

    state: SignatureState
    principal: str | None = None
    detail: str = ""


@dataclass(frozen=True)
class Source:
    """`tag_object` is what the ref holds: the tag object's id, or the commit's for a lightweight tag."""

    tag: TagName
    tag_object: Oid
    annotated: bool
    commit: Oid
    tree: Oid
    signature: Signature
    notes: tuple[str, ...] = ()
