"""Lists of repositories: what there is, narrowed down and in order."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import on
from release.rehearsal.answers import bad_request, page_size, window
from release.rehearsal.calls import Call
from release.rehearsal.repositories import Repository
from release.rehearsal.routes.info import describe, expanded

_PAGE = 1000
_ORDERS = ("createdAt", "lastModified", "likes", "downloads", "trendingScore")

# A list shows less than a page does, unless `full` asks for all.
_ONLY_FULL = ("siblings", "cardData", "sha", "lastModified", "disabled", "model-index", "usedStorage", "runtime")


def listing(call: Call) -> Response:
    """Repositories of one kind that the sender may see, filtered by author, text, tags and gate."""
    kind = call.kind
    wanted = expanded(call, kind)
    is_full = call.query.get("full", "").lower() in ("true", "1")
    found = [
        describe(repository, repository.commit("main"))
        for repository in call.store.all(kind)
        if call.may_see(repository) and _is_named(repository, call.query)
    ]
    tags = call.request.query_params.getlist("filter")
    found = [facts for facts in found if all(tag in facts["tags"] for tag in tags) and _is_gated(facts, call.query)]
    _sort(found, call.query)
    shown = window(found, url=call.url, query=call.query, size=page_size(call.query, most=_PAGE))
    return JSONResponse([_shown(facts, wanted, is_full=is_full) for facts in shown.items], headers=shown.headers)


def _is_named(repository: Repository, query: Mapping[str, str]) -> bool:
    author, text = query.get("author"), query.get("search", "").lower()
    if author is not None and repository.record.namespace.lower() != author.lower():
        return False
    return text in repository.repo_id.lower()


def _is_gated(facts: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    asked = query.get("gated")
    return asked is None or (asked.lower() in ("true", "1")) == (facts["gated"] is not False)


def _sort(found: list[dict[str, Any]], query: Mapping[str, str]) -> None:
    order = query.get("sort", "trendingScore")
    if order not in _ORDERS:
        raise bad_request(f'Invalid "sort": {order}')
    found.sort(key=lambda facts: facts[order], reverse=query.get("direction", "-1") != "1")


def _shown(facts: dict[str, Any], wanted: list[str], *, is_full: bool) -> dict[str, Any]:
    if wanted:
        return {key: facts[key] for key in ("_id", "id", *wanted) if key in facts}
    return {key: value for key, value in facts.items() if is_full or key not in _ONLY_FULL}


ROUTES = [on("GET", "/api/{kind:kinds}", listing)]
