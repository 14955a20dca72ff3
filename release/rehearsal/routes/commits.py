"""A commit lands, on a branch or as a new pull request."""

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.calls import Call
from release.rehearsal.commits import read_changes, read_header
from release.rehearsal.landing import signed_by


def commit(call: Call) -> Response:
    repository = call.repository(writing=True)
    user = call.signed_in()
    header = read_header(call.body)
    ref = repository.writable_ref(call.values["revision"])
    landing = repository.landing(lambda oid: call.store.large_file_size(repository, oid))
    parent = repository.record.aliases.get(header.parent or "", header.parent)
    landed = landing.land(ref, lambda: read_changes(call.body), header.message, signed_by(user), parent=parent)
    shown = repository.shown(landed)
    return JSONResponse(
        {
            "success": True,
            "commitOid": shown,
            "commitUrl": f"{call.base_url}{call.web_path(repository)}/commit/{shown}",
            "hookOutput": "",
        }
    )


ROUTES = [on("POST", f"{REPO}/commit/{{revision}}", commit)]
