"""Which of these files are large, which are ignored, and which are there already?"""

import base64
import binascii
from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import bad_request
from release.rehearsal.attributes import ignored_paths, tracked_paths, upload_mode
from release.rehearsal.calls import Call
from release.rehearsal.commits import checked_path
from release.rehearsal.repositories import Repository
from release.rehearsal.trees import File


def preupload(call: Call) -> Response:
    """Every path comes back: its upload mode, whether `.gitignore` leaves it out, and the id of what is there.

    The lines of the `.gitignore` that is being uploaded count, else those of the repository's own.
    """
    repository = call.repository()
    call.signed_in()
    if "create_pr" not in call.query:
        call.require_commit(repository, call.values["revision"])
    commit = repository.commit(call.values["revision"])
    body = call.json()
    files = [_announced(each) for each in _list(body.get("files"))]
    paths = [path for path, _, _ in files]
    rules = body.get("gitIgnore")
    ignored = ignored_paths(rules if isinstance(rules, str) else _own_rules(repository, commit), paths)
    tracked = tracked_paths(repository.git, commit, paths)
    present = repository.listing(commit).by_path
    answers = []
    for path, size, sample in files:
        answer: dict[str, Any] = {
            "path": path,
            "uploadMode": upload_mode(size, sample, tracked=path in tracked),
            "shouldIgnore": path in ignored,
        }
        there = present.get(path)
        if isinstance(there, File):
            answer["oid"] = there.content_id
        answers.append(answer)
    return JSONResponse({"files": answers, "commitOid": repository.shown(commit)})


def _own_rules(repository: Repository, commit: str) -> str:
    file = repository.listing(commit).by_path.get(".gitignore")
    return repository.git.blob(file.oid).decode("utf-8", "replace") if isinstance(file, File) else ""


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise bad_request('"files" must be an array')
    return value


def _announced(value: Any) -> tuple[str, int, bytes]:
    """(path, size, first bytes) of a file that is about to come."""
    if not isinstance(value, dict) or not isinstance(value.get("size"), int):
        raise bad_request('Every file must have a "path", a "size" and a "sample"')
    try:
        sample = base64.b64decode(value.get("sample") or "")
    except (binascii.Error, ValueError) as error:
        raise bad_request('"sample" must be base64') from error
    return checked_path(value.get("path")), value["size"], sample


ROUTES = [on("POST", f"{REPO}/preupload/{{revision}}", preupload)]
