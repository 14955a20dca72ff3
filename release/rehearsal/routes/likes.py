"""Who likes what."""

from starlette.responses import Response

from release.rehearsal.addresses import REPO, on
from release.rehearsal.answers import page
from release.rehearsal.calls import Call
from release.rehearsal.repositories import Like
from release.rehearsal.values import KINDS, now


def like(call: Call) -> Response:
    """Once is enough."""
    repository = call.repository()
    user = call.signed_in()
    if user not in {each.user for each in repository.record.likes}:
        repository.update(likes=(*repository.record.likes, Like(user, now())))
    return Response("OK")


def unlike(call: Call) -> Response:
    """Not liking what one did not like is fine."""
    repository = call.repository()
    user = call.signed_in()
    repository.update(likes=tuple(each for each in repository.record.likes if each.user != user))
    return Response("OK")


def likers(call: Call) -> Response:
    """One page of users."""
    likes = call.repository().record.likes
    users = [{"user": each.user, "fullname": each.user, "avatarUrl": "", "type": "user"} for each in likes]
    return page(users, url=call.url, query=call.query, size=1000)


def likes_of(call: Call) -> Response:
    """One page of what a user likes, as far as the sender may see it."""
    user = call.values["user"]
    found = [
        {"createdAt": each.at, "repo": {"name": repository.repo_id, "type": repository.kind}}
        for kind in KINDS
        for repository in call.store.all(kind)
        if call.may_see(repository)
        for each in repository.record.likes
        if each.user == user
    ]
    found.sort(key=lambda each: str(each["createdAt"]), reverse=True)
    return page(found, url=call.url, query=call.query, size=1000)


ROUTES = [
    on("POST", f"{REPO}/like", like),
    on("DELETE", f"{REPO}/like", unlike),
    on("GET", f"{REPO}/likers", likers),
    on("GET", "/api/users/{user}/likes", likes_of),
]
