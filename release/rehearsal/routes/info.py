"""One repository as data: what its page shows, whole or only what was asked for."""

from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import bad_request
from release.rehearsal.calls import Call
from release.rehearsal.cards import read_card
from release.rehearsal.history import commits
from release.rehearsal.repositories import Repository
from release.rehearsal.routes.repos import storage_of
from release.rehearsal.trees import File
from release.rehearsal.values import Kind

_COMMON = ("author", "cardData", "createdAt", "disabled", "gated", "lastModified", "likes", "private")
_COMMON_TOO = ("resourceGroup", "sha", "siblings", "tags", "trendingScore", "usedStorage")
_DOWNLOADED = ("downloads", "downloadsAllTime")

# What `expand` may ask for, by kind.
_PROPERTIES: dict[Kind, tuple[str, ...]] = {
    "model": (
        *(*_COMMON, *_COMMON_TOO, *_DOWNLOADED, "baseModels", "childrenModelCount", "config", "evalResults", "gguf"),
        *("inference", "inferenceProviderMapping", "library_name", "mask_token", "model-index", "pipeline_tag"),
        *("safetensors", "spaces", "transformersInfo", "widgetData"),
    ),
    "dataset": (*_COMMON, *_COMMON_TOO, *_DOWNLOADED, "citation", "description", "mainSize", "paperswithcode_id"),
    "space": (*_COMMON, *_COMMON_TOO, "datasets", "models", "region", "runtime", "sdk", "subdomain"),
    "kernel": (*_COMMON, *_COMMON_TOO, *_DOWNLOADED),
}

# Left out unless asked for: an ordinary page does not have them.
_ON_REQUEST = ("baseModels", "childrenModelCount", "downloadsAllTime", "resourceGroup", "trendingScore", "evalResults")


def info(call: Call) -> Response:
    """A repository at a revision, or what `expand` asks for; with `blobs` the sizes and ids of its files."""
    repository = call.repository()
    revision = call.values.get("revision", "main")
    commit = repository.commit(revision)
    wanted = expanded(call, repository.kind)
    with_blobs = call.query.get("blobs", "").lower() in ("true", "1")
    facts = describe(repository, commit, with_blobs=with_blobs)
    if wanted:
        return JSONResponse({**_identity(repository), **{key: facts[key] for key in wanted if key in facts}})
    if "securityStatus" in call.query:
        facts["securityRepoStatus"] = {"scansDone": True, "filesWithIssues": []}
    return JSONResponse({key: value for key, value in facts.items() if key not in _ON_REQUEST})


def expanded(call: Call, kind: Kind) -> list[str]:
    """The properties that the query asks for. Raises HubError 400 for one that there is not."""
    parameters = call.request.query_params
    wanted = [*parameters.getlist("expand"), *parameters.getlist("expand[]")]
    allowed = sorted(_PROPERTIES[kind])
    for position, name in enumerate(wanted):
        if name not in allowed:
            names = "|".join(f'"{each}"' for each in allowed)
            raise bad_request(f"✖ Invalid option: expected one of {names}\n  → at expand[{position}]")
    return wanted


def describe(repository: Repository, commit: str, *, with_blobs: bool = False) -> dict[str, Any]:
    """Every property of a repository at a commit."""
    record = repository.record
    listing = repository.listing(commit)
    readme = listing.by_path.get("README.md")
    card: dict[str, Any] = {}
    if isinstance(readme, File) and readme.pointer is None:
        card = dict(read_card(repository.git.blob(readme.oid).decode("utf-8", "replace")).facts)
    facts: dict[str, Any] = {
        **_identity(repository),
        "author": record.namespace,
        "sha": repository.shown(commit),
        "lastModified": commits(repository.git, commit)[0].date,
        "createdAt": record.created_at,
        "private": record.visibility == "private",
        "gated": record.gated,
        "disabled": False,
        "downloads": 0,
        "downloadsAllTime": 0,
        "likes": len(record.likes),
        "trendingScore": 0,
        "resourceGroup": None,
        "tags": _tags(card),
        "siblings": [_sibling(file, with_blobs=with_blobs) for file in listing.files],
        "usedStorage": storage_of(repository),
    }
    if card:
        facts["cardData"] = card
    if record.kind == "model":
        facts |= {"modelId": record.repo_id, "spaces": [], "baseModels": None, "childrenModelCount": 0}
        for key in ("pipeline_tag", "library_name", "model-index"):
            if key in card:
                facts[key] = card[key]
    if record.kind == "space":
        facts |= {"sdk": record.sdk, "models": [], "datasets": []}
        facts["subdomain"] = record.repo_id.replace("/", "-").lower()
        facts["runtime"] = {"stage": "NO_APP_FILE", "hardware": {"current": None, "requested": None}}
    return facts


def _identity(repository: Repository) -> dict[str, Any]:
    return {"_id": repository.record.id, "id": repository.repo_id}


def _sibling(file: File, *, with_blobs: bool) -> dict[str, Any]:
    sibling: dict[str, Any] = {"rfilename": file.path}
    if with_blobs:
        sibling |= {"size": file.size, "blobId": file.oid}
        if file.pointer is not None:
            pointer_size = len(file.pointer.text)
            sibling["lfs"] = {"sha256": file.pointer.oid, "size": file.pointer.size, "pointerSize": pointer_size}
    return sibling


def _tags(card: dict[str, Any]) -> list[str]:
    """The tags of the front matter, and those that its other keys amount to."""
    tags = [*_texts(card.get("tags"))]
    tags += [each for key in ("library_name", "pipeline_tag") for each in _texts(card.get(key))]
    tags += _texts(card.get("language"))
    for key, prefix in (("license", "license"), ("datasets", "dataset"), ("base_model", "base_model")):
        tags += [f"{prefix}:{each}" for each in _texts(card.get(key))]
    return list(dict.fromkeys([*tags, "region:us"]))


def _texts(value: object) -> list[str]:
    return [str(each) for each in (value if isinstance(value, list) else [value]) if each is not None]


ROUTES = [
    on("GET", REPO, info),
    on("GET", f"{REPO}/revision/{{revision}}", info),
]
