"""Text from outside that became a name: checked once, here, and trusted afterwards.

Each class is its own text (`str`), so it prints, sorts and serialises as what it is. Making one from text that
breaks its rules raises `ValueError` with the reason alone; who reads the text says where it stood.
"""

import hashlib
import re
import unicodedata
from typing import Self

# Characters that show nothing or reorder what is shown: a name with one is not what it looks like (CVE-2021-42574).
_INVISIBLE = frozenset(
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d"
    "\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufeff\uffa0"
)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³"]
)
# What other file systems read as `.git`: the short name of NTFS, and HFS+ after its ignorable characters are gone.
_GIT_SPELLINGS = frozenset([".git", "git~1"])
_MAX_COMPONENT_BYTES = 255
_MAX_PATH_BYTES = 1024


class Oid(str):
    """A full git object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text):
            raise ValueError("an object id is 40 lower-case hex digits (64 in a SHA-256 repository)")
        return super().__new__(cls, text)


class Sha256(str):
    """A SHA-256 digest: 64 lower-case hex digits."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not re.fullmatch(r"[0-9a-f]{64}", text):
            raise ValueError("a sha256 is 64 lower-case hex digits")
        return super().__new__(cls, text)

    @classmethod
    def of(cls, content: bytes) -> Self:
        return cls(hashlib.sha256(content).hexdigest())


class TagName(str):
    """The short name of a tag, by git's rules (git-check-ref-format(1)) and not a hidden option.

    `file_form` is the name as part of a file name: `/` becomes `~`, which git forbids in a tag, so it can be undone.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if fault := _tag_fault(text):
            raise ValueError(fault)
        return super().__new__(cls, text)

    @property
    def file_form(self) -> str:
        return self.replace("/", "~")

    @property
    def ref(self) -> str:
        return f"refs/tags/{self}"


class RepoPath(str):
    """A relative path in a tree, `/` between its parts, that is safe to write and to publish everywhere."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if faults := path_faults(text):
            raise ValueError("; ".join(faults))
        return super().__new__(cls, text)


class RepoId(str):
    """The id of a Hub repository, `namespace/name` (huggingface_hub's own rules)."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        part = r"(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?"
        if not re.fullmatch(f"{part}/{part}", text, re.ASCII) or text.endswith(".git"):
            raise ValueError("a Hub repository is named NAMESPACE/NAME, in letters, digits, '-', '_' and '.'")
        return super().__new__(cls, text)


def git_blob_id(content: bytes) -> Oid:
    """The SHA-1 id that git, and therefore the Hub, gives to these bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return Oid(digest.hexdigest())


def path_faults(text: str) -> list[str]:
    """Every reason why this path must not be written or published; empty when it may.

    The path is git's: `/` between parts, undecodable bytes as surrogates (PEP 383).
    """
    if not text:
        return ["the path is empty"]
    faults = []
    if text.startswith("/") or re.match(r"[A-Za-z]:", text):
        faults.append("the path is absolute")
    if "\\" in text:
        faults.append("a backslash separates folders on Windows")
    parts = text.split("/")
    if any(part in ("", ".", "..") for part in parts if not (part == "" and text.startswith("/"))):
        faults.append("a part of the path is empty, '.' or '..'")
    faults += _character_faults(text)
    for part in dict.fromkeys(parts):
        faults += _part_faults(part)
    if text.casefold() == ".gitattributes":
        faults.append("the Hub keeps its own .gitattributes")
    if len(text.encode("utf-8", "surrogateescape")) > _MAX_PATH_BYTES:
        faults.append(f"the path is longer than {_MAX_PATH_BYTES} bytes")
    return faults


def _character_faults(text: str) -> list[str]:
    faults = []
    if any("\ud800" <= char <= "\udfff" for char in text):
        faults.append("the path is not UTF-8")
    odd = sorted({char for char in text if unicodedata.category(char) in ("Cc", "Zl", "Zp") or char in _INVISIBLE})
    if odd:
        faults.append("a control or invisible character stands in it: " + ", ".join(f"U+{ord(c):04X}" for c in odd))
    return faults


def _part_faults(part: str) -> list[str]:
    faults = []
    # NTFS drops trailing dots and spaces and what follows a colon; HFS+ drops ignorable characters.
    seen_by_others = "".join(c for c in part.split(":")[0] if c not in _INVISIBLE).rstrip(". ").casefold()
    if seen_by_others in _GIT_SPELLINGS:
        faults.append(f"{part!r} is git's own folder, at least on some file systems")
    if part.casefold() == ".cache":
        faults.append("'.cache' is the download cache of huggingface_hub, which refuses to upload it")
    if part.split(".")[0].rstrip(" ").casefold() in _DEVICES:
        faults.append(f"{part!r} is a device on Windows")
    if part not in ("", ".", "..") and part != part.rstrip(". "):
        faults.append(f"{part!r} ends with a dot or a space, which Windows drops")
    if len(part.encode("utf-8", "surrogateescape")) > _MAX_COMPONENT_BYTES:
        faults.append(f"a part of the path is longer than {_MAX_COMPONENT_BYTES} bytes")
    return faults


def _tag_fault(text: str) -> str | None:
    if not text:
        return "the name is empty"
    if text.startswith("-"):
        return "a tag name does not begin with '-'"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "the name is not UTF-8"
    if _character_faults(text) or re.search(r"[\x00-\x20\x7f~^:?*\[\\]", text):
        return "spaces, control and invisible characters and any of ~ ^ : ? * [ \\ are not part of a tag name"
    if ".." in text or "@{" in text or text == "@" or "//" in text:
        return "'..', '//' and '@{' are not part of a tag name"
    if (
        any(p.startswith(".") or p.endswith(".lock") for p in text.split("/"))
        or text.endswith((".", "/"))
        or text[0] == "/"
    ):
        return "no part of a tag name begins with '.' or ends with '.lock', and the name does not end with '.' or '/'"
    return None
