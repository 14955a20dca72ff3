"""What the real Hub does not have: faults on and off, and what was asked so far."""

import json

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import on_storage
from release.rehearsal.answers import bad_request
from release.rehearsal.calls import Call
from release.rehearsal.faults import Fault, NotAFault
from release.rehearsal.sabotage import CONTROL


def add_faults(call: Call) -> Response:
    """Switch on one fault, or each of an array."""
    call.body.seek(0)
    try:
        content = json.loads(call.body.read())
        faults = [Fault.from_json(each) for each in (content if isinstance(content, list) else [content])]
    except (ValueError, AttributeError, NotAFault) as error:
        raise bad_request(f"Not a fault: {error}") from error
    return JSONResponse([call.hub.faults.add(fault).to_json() for fault in faults])


def list_faults(call: Call) -> Response:
    """Each fault, and how many times it will still strike."""
    return JSONResponse([{**fault.to_json(), "left": left} for fault, left in call.hub.faults.active()])


def clear_faults(call: Call) -> Response:
    """Fail no more."""
    call.hub.faults.clear()
    return Response("OK")


def list_requests(call: Call) -> Response:
    """What was asked, in order: method, path and status."""
    return JSONResponse([vars(seen) for seen in call.hub.journal.all()])


def clear_requests(call: Call) -> Response:
    """Forget what was asked."""
    call.hub.journal.clear()
    return Response("OK")


ROUTES = [
    on_storage("POST", f"{CONTROL}faults", add_faults),
    on_storage("GET", f"{CONTROL}faults", list_faults),
    on_storage("DELETE", f"{CONTROL}faults", clear_faults),
    on_storage("GET", f"{CONTROL}requests", list_requests),
    on_storage("DELETE", f"{CONTROL}requests", clear_requests),
]
