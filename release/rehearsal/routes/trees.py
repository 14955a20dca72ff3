"""What a commit holds: folder by folder or all at once, in pages."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import HubError, entry_not_found, page_size, window
from release.rehearsal.calls import Call
from release.rehearsal.repositories import Repository
from release.rehearsal.trees import File, Folder

_PAGE = 1000
_EXPANDED_PAGE = 50
_MOST_PATHS = 1000

_UNSCANNED = {"status": "unscanned", "avScan": None, "pickleImportScan": None}


def tree(call: Call) -> Response:
    """The entries of a folder; folders first, as on the Hub."""
    repository = call.repository()
    revision, folder = call.values["revision"], call.values.get("path", "").strip("/")
    commit = repository.commit(revision)
    entries = repository.listing(commit).below(folder, recursive=_is_on(call.query.get("recursive")))
    if entries is None:
        raise entry_not_found(f'{folder} does not exist on "{revision}"', commit=repository.shown(commit))
    entries.sort(key=lambda entry: isinstance(entry, File))
    expanded = _is_on(call.query.get("expand"))
    size = page_size(call.query, most=_EXPANDED_PAGE if expanded else _PAGE)
    shown = window(entries, url=call.url, query=call.query, size=size)
    return JSONResponse(_described(call, repository, commit, shown.items, expanded), headers=shown.headers)


def paths_info(call: Call) -> Response:
    """The entries at the given paths; a path where nothing is has no entry."""
    repository = call.repository()
    commit = repository.commit(call.values["revision"])
    form = call.form()
    paths = form.get("paths", [])
    if len(paths) > _MOST_PATHS:
        raise HubError(413, "too many parameters")
    present = repository.listing(commit).by_path
    found = [present[path.strip("/")] for path in paths if path.strip("/") in present]
    expanded = _is_on(form.get("expand", [""])[0])
    return JSONResponse(_described(call, repository, commit, found, expanded))


def _described(
    call: Call, repository: Repository, commit: str, entries: Sequence[File | Folder], expanded: bool
) -> list[dict[str, Any]]:
    described = [_entry(call, entry) for entry in entries]
    if expanded:
        last = repository.last_commits(commit)
        for entry in described:
            changed = last.get(entry["path"])
            if changed is not None:
                entry["lastCommit"] = {
                    "id": repository.shown(changed.oid),
                    "title": changed.title,
                    "date": changed.date,
                }
            if entry["type"] == "file":
                entry["securityFileStatus"] = _UNSCANNED
    return described


def _entry(call: Call, entry: File | Folder) -> dict[str, Any]:
    if isinstance(entry, Folder):
        return {"type": "directory", "oid": entry.oid, "size": 0, "path": entry.path}
    described: dict[str, Any] = {"type": "file", "oid": entry.oid, "size": entry.size, "path": entry.path}
    if entry.pointer is not None:
        described["lfs"] = {
            "oid": entry.pointer.oid,
            "size": entry.pointer.size,
            "pointerSize": len(entry.pointer.text),
        }
        xet_file = call.store.xet.by_sha256(entry.pointer.oid)
        if xet_file is not None:
            described["xetHash"] = xet_file.xet_hash
    return described


def _is_on(value: str | None) -> bool:
    return value is not None and value.lower() in ("true", "1")


ROUTES = [
    on("GET", f"{REPO}/tree/{{revision}}", tree),
    on("GET", f"{REPO}/tree/{{revision}}/{{path:path}}", tree),
    on("POST", f"{REPO}/paths-info/{{revision}}", paths_info),
]
