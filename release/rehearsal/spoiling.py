"""A list of files → the same list with something wrong: an entry gone, a page too short, another id."""

from typing import Any

from release.rehearsal.faults import Fault

SPOILED_LISTS = ("hide", "truncate", "wrong_hash")


def spoiled(fault: Fault, content: Any) -> Any | None:
    """The spoiled answer: a tree, the entries of some paths, or a repository's page; None if it has no such entry."""
    if isinstance(content, dict):
        siblings = content.get("siblings")
        changed = _spoiled(fault, siblings) if isinstance(siblings, list) else None
        return {**content, "siblings": changed} if changed is not None else None
    return _spoiled(fault, content) if isinstance(content, list) else None


def _spoiled(fault: Fault, entries: list[Any]) -> list[Any] | None:
    if fault.kind == "truncate":
        return entries[: fault.count] if len(entries) > fault.count else None
    if not any(_is_meant(fault, entry) for entry in entries):
        return None
    if fault.kind == "hide":
        return [entry for entry in entries if not _is_meant(fault, entry)]
    return [_with_other_ids(entry) if _is_meant(fault, entry) else entry for entry in entries]


def _is_meant(fault: Fault, entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.get("type") == "directory":
        return False
    name = entry.get("path", entry.get("rfilename"))
    return isinstance(name, str) and fault.hits(name)


def _with_other_ids(entry: dict[str, Any]) -> dict[str, Any]:
    other = dict(entry)
    for key in ("oid", "blobId", "sha256"):
        if isinstance(entry.get(key), str):
            other[key] = _other_id(entry[key])
    if isinstance(entry.get("lfs"), dict):
        other["lfs"] = _with_other_ids(entry["lfs"])
    return other


def _other_id(text: str) -> str:
    """The same number of hex digits, and another one at the end."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")
