"""Is this front matter in order? The client asks before it uploads a README.md."""

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import on
from release.rehearsal.answers import bad_request
from release.rehearsal.calls import Call
from release.rehearsal.cards import read_card


def validate(call: Call) -> Response:
    """200 with warnings, or 400 with errors; both lists are in either answer."""
    content = call.json().get("content")
    if not isinstance(content, str):
        raise bad_request('"content" must be a string')
    card = read_card(content)
    return JSONResponse(
        {
            "errors": [{"message": message} for message in card.errors],
            "warnings": [{"message": message} for message in card.warnings],
        },
        status_code=400 if card.errors else 200,
    )


ROUTES = [on("POST", "/api/validate-yaml", validate)]
