"""The large files that a repository keeps: list them, delete them for good, give them to another repository."""

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import bad_request, page
from release.rehearsal.calls import Call, kind_of
from release.rehearsal.history import all_pointers, purge
from release.rehearsal.pointers import SHA256


def listing(call: Call) -> Response:
    """Every large file that is in a commit, the latest first."""
    repository = call.repository(writing=True)
    files = [
        {
            "fileOid": file.oid,
            "oid": file.oid,
            "filename": file.path,
            "pushedAt": file.pushed_at,
            "ref": file.ref,
            "size": file.size,
        }
        for file in repository.ledger.pushed
    ]
    return page(files, url=call.url, query=call.query, size=1000)


def batch(call: Call) -> Response:
    """Delete large files; with `rewriteHistory` the commits that hold them are rewritten without."""
    repository = call.repository(writing=True)
    deletions = call.json().get("deletions")
    if not isinstance(deletions, dict) or not isinstance(deletions.get("sha"), list):
        raise bad_request('"deletions.sha" must be an array')
    gone = {str(oid) for oid in deletions["sha"]}
    if deletions.get("rewriteHistory"):
        pointers = all_pointers(repository.git)
        purge(repository.git, {blob for blob, pointer in pointers.items() if pointer.oid in gone})
    repository.ledger.forget(gone)
    return JSONResponse({"success": True})


def duplicate(call: Call) -> Response:
    """Let another repository use large files of this one: nothing is copied, the bytes are kept once."""
    source = call.repository()
    call.require_access(source)
    call.signed_in()
    body = call.json()
    target, files = body.get("target"), body.get("files")
    if not isinstance(target, dict) or not isinstance(files, list):
        raise bad_request('"target" and "files" must be given')
    into = call.reachable(kind_of(target.get("type")), str(target.get("name")), writing=True)
    given, failed = [], []
    for file in files:
        oid = str(file.get("sha256")) if isinstance(file, dict) else ""
        if SHA256.fullmatch(oid) is not None and source.ledger.owns(oid):
            given.append(oid)
        else:
            failed.append({"sha256": oid, "error": "File not found in the source repository"})
    into.ledger.upload(given)
    return JSONResponse({"success": [{"sha256": oid} for oid in given], "failed": failed})


ROUTES = [
    on("GET", f"{REPO}/lfs-files", listing),
    on("POST", f"{REPO}/lfs-files/batch", batch),
    on("POST", f"{REPO}/lfs-files/duplicate", duplicate),
]
