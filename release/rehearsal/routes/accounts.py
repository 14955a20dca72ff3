"""Who am I, and who are the others?"""

from typing import Any

from starlette.responses import JSONResponse, Response

from release.rehearsal.accounts import Organization, User
from release.rehearsal.addresses import on
from release.rehearsal.answers import HubError
from release.rehearsal.calls import Call
from release.rehearsal.values import KINDS


def whoami(call: Call) -> Response:
    """The user of the token: name, organisations, and whether the token may write. 401 without one."""
    call.signed_in()
    user = call.visitor.user
    assert user is not None
    role = "write" if call.visitor.may_write else "read"
    orgs = [
        {
            "type": "org",
            "name": organization.name,
            "fullname": organization.fullname,
            "roleInOrg": member_role,
            "isEnterprise": organization.private_by_default,
        }
        for organization, member_role in call.hub.accounts.memberships(user.name)
    ]
    return JSONResponse(
        {
            "type": "user",
            "id": user.name,
            "name": user.name,
            "fullname": user.fullname,
            "email": user.email,
            "emailVerified": True,
            "isPro": False,
            "orgs": orgs,
            "auth": {"type": "access_token", "accessToken": {"displayName": "rehearsal", "role": role}},
        }
    )


def harnesses(_call: Call) -> Response:
    """The client asks this once a day to adapt its output; here there is nothing to adapt to."""
    return JSONResponse({"standardEnvVars": [], "harnesses": {}})


def user_overview(call: Call) -> Response:
    """A user's public page: names, counts of what may be seen, organisations."""
    user = call.hub.accounts.users.get(call.values["name"])
    if user is None:
        raise HubError(404, "This user does not exist")
    organizations = [_organization(each) for each, _ in call.hub.accounts.memberships(user.name)]
    return JSONResponse({**_user(user), **_counts(call, user.name), "orgs": organizations})


def organization_overview(call: Call) -> Response:
    """An organisation's public page."""
    organization = _found(call)
    counts = _counts(call, organization.name)
    return JSONResponse({**_organization(organization), **counts, "numUsers": len(organization.members)})


def organization_members(call: Call) -> Response:
    """The users of an organisation."""
    users = call.hub.accounts.users
    return JSONResponse([_user(users[member]) for member in sorted(_found(call).members)])


def _found(call: Call) -> Organization:
    organization = call.hub.accounts.organizations.get(call.values["name"])
    if organization is None:
        raise HubError(404, "This organization does not exist")
    return organization


def _user(user: User) -> dict[str, Any]:
    return {"user": user.name, "fullname": user.fullname, "avatarUrl": "", "type": "user", "isPro": False}


def _organization(organization: Organization) -> dict[str, Any]:
    return {"name": organization.name, "fullname": organization.fullname, "avatarUrl": "", "type": "org"}


def _counts(call: Call, namespace: str) -> dict[str, int]:
    return {
        f"num{kind.title()}s": sum(
            repository.record.namespace == namespace and call.may_see(repository) for repository in call.store.all(kind)
        )
        for kind in KINDS
    }


ROUTES = [
    on("GET", "/api/whoami-v2", whoami),
    on("GET", "/api/agent-harnesses", harnesses),
    on("GET", "/api/users/{name}/overview", user_overview),
    on("GET", "/api/organizations/{name}/overview", organization_overview),
    on("GET", "/api/organizations/{name}/members", organization_members),
]
