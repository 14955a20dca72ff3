"""Text from outside that became a name: checked once, here, and trusted afterwards.

Each class is its own text (`str`), so it prints, sorts and serialises as what it is. Making one from text that
breaks its rules raises `ValueError` with the reason alone; who reads the text says where it stood.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import Self

# Characters that show nothing or reorder what is shown: a name with one is not what it looks like (CVE-2021-42574).
# Controls, formats (all bidi and tag characters are), line and paragraph separators; then what Unicode calls a letter
# or a mark and fonts leave blank.
_ODD_CATEGORIES = frozenset(["Cc", "Cf", "Zl", "Zp"])
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³"]
)
# What other file systems read as `.git`: the short name of NTFS, and HFS+ after its ignorable characters are gone.
_GIT_SPELLINGS = frozenset([".git", "git~1"])
# What nearly every path looks like: known to have no fault at one glance.
_PLAIN = re.compile(r"(?:\w[\w-]*(?:\.[\w-]+)*/)*\w[\w-]*(?:\.[\w-]+)*", re.ASCII)
_DEVICE_PART = re.compile(r"(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)", re.ASCII | re.IGNORECASE)
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
    """The short name of a tag, by git's rules (git-check-ref-format(1)), and stricter in three things.

    It is no hidden option (`-`), nothing in it is invisible or not UTF-8, and its record can be a file everywhere (it
    is not too long for that, and no device of Windows). `file_form` is the name as part of a file name: `/` becomes
    `~`, which git forbids in a tag, so it can be undone.
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
    return list(_path_faults(text))


# A release asks about each of its paths several times.
@lru_cache(maxsize=100_000)
def _path_faults(text: str) -> list[str]:
    if not text:
        return ["the path is empty"]
    if len(text) < _MAX_COMPONENT_BYTES and _PLAIN.fullmatch(text) and not _DEVICE_PART.search(text):
        return []
    faults = []
    if text.startswith("/") or re.match(r"[A-Za-z]:", text):
        faults.append("the path is absolute")
    if text.startswith("-"):
        faults.append("the path begins with '-': commands take it for an option, or for what is typed")
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
    if _length(text) > _MAX_PATH_BYTES:
        faults.append(f"the path is longer than {_MAX_PATH_BYTES} bytes")
    return faults


def _character_faults(text: str) -> list[str]:
    if text.isascii() and text.isprintable():
        return []
    faults = []
    if any("\ud800" <= char <= "\udfff" for char in text):
        faults.append("the path is not UTF-8")
    odd = sorted({char for char in text if _is_odd(char)})
    if odd:
        faults.append("a control or invisible character stands in it: " + ", ".join(f"U+{ord(c):04X}" for c in odd))
    return faults


def _is_odd(char: str) -> bool:
    return unicodedata.category(char) in _ODD_CATEGORIES or char in _BLANK


def _length(text: str) -> int:
    # A surrogate is another fault already, and must not keep the rest from being named.
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _part_faults(part: str) -> list[str]:
    faults = []
    # NTFS drops trailing dots and spaces and what follows a colon; HFS+ drops ignorable characters.
    seen = part if part.isascii() and part.isprintable() else "".join(c for c in part if not _is_odd(c))
    seen_by_others = seen.partition(":")[0].rstrip(". ").casefold()
    if seen_by_others in _GIT_SPELLINGS:
        faults.append(f"{part!r} is git's own folder, at least on some file systems")
    if part.casefold() == ".cache":
        faults.append("'.cache' is the download cache of huggingface_hub, which refuses to upload it")
    if re.split(r"[.:]", part, maxsplit=1)[0].rstrip(" ").casefold() in _DEVICES:
        faults.append(f"{part!r} is a device on Windows")
    if part not in ("", ".", "..") and part != part.rstrip(". "):
        faults.append(f"{part!r} ends with a dot or a space, which Windows drops")
    if _length(part) > _MAX_COMPONENT_BYTES:
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
    if ".." in text or "@{" in text or "//" in text:
        return "'..', '//' and '@{' are not part of a tag name"
    if (
        any(p.startswith(".") or p.endswith(".lock") for p in text.split("/"))
        or text.endswith((".", "/"))
        or text[0] == "/"
    ):
        return "no part of a tag name begins with '.' or ends with '.lock', and the name does not end with '.' or '/'"
    # The longest name that is made of a tag alone.
    faults = path_faults(f"{text.replace('/', '~')}.intoto.jsonl")
    return f"it cannot be part of a file name: {'; '.join(faults)}" if faults else None
