"""Two users, an organisation, roles: who sees what, and who may change it."""

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

from release.errors import UsageError
from release.rehearsal import EmbeddedHub, read_accounts

Citizen = Callable[[str], HfApi]


def add(path: str = "file.txt") -> list[CommitOperationAdd]:
    """Operations that add one file; the client takes them only once."""
    return [CommitOperationAdd(path, b"content")]


def test_everybody_reads_what_is_public(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    assert citizen("").list_repo_files(f"alice/{name}") == [".gitattributes"]


def test_a_private_repository_does_not_exist_for_others(citizen: Citizen, town: EmbeddedHub, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}", private=True)
    assert citizen("alice").repo_exists(f"alice/{name}")
    assert not citizen("bob").repo_exists(f"alice/{name}")
    assert not citizen("").repo_exists(f"alice/{name}")
    address = f"{town.url}/api/models/alice/{name}"
    with_token = httpx2.get(address, headers={"authorization": "Bearer hf_bob"})
    assert (with_token.status_code, with_token.headers["x-error-code"]) == (404, "RepoNotFound")
    without = httpx2.get(address)
    assert (without.status_code, without.headers["x-error-code"]) == (401, "RepoNotFound")


def test_a_private_file_can_only_be_fetched_with_a_token(citizen: Citizen, town: EmbeddedHub, name: str) -> None:
    alice = citizen("alice")
    alice.create_repo(f"alice/{name}", private=True)
    alice.create_commit(f"alice/{name}", add(), commit_message="Add a file")
    address = f"{town.url}/alice/{name}/resolve/main/file.txt"
    assert httpx2.get(address).status_code == 401
    assert httpx2.get(address, headers={"authorization": "Bearer hf_bob"}).status_code == 404
    assert httpx2.get(address, headers={"authorization": "Bearer hf_alice"}).content == b"content"


@pytest.mark.parametrize("who", ["bob", "alice_reads"])
def test_a_write_without_the_right_to_is_forbidden(citizen: Citizen, name: str, who: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    for write in (
        lambda api: api.create_commit(f"alice/{name}", add(), commit_message="Add a file"),
        lambda api: api.create_tag(f"alice/{name}", tag="v1"),
        lambda api: api.create_branch(f"alice/{name}", branch="other"),
        lambda api: api.delete_repo(f"alice/{name}"),
        lambda api: api.update_repo_settings(f"alice/{name}", private=True),
        lambda api: api.create_repo(f"alice/{name}-2"),
    ):
        with pytest.raises(HfHubHTTPError) as refused:
            write(citizen(who))
        assert refused.value.response.status_code == 403


def test_a_write_without_a_token_is_401(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    with pytest.raises(RepositoryNotFoundError) as refused:
        citizen("").create_commit(f"alice/{name}", add(), commit_message="Add a file")
    assert refused.value.response.status_code == 401


def test_on_an_open_hub_too_a_write_needs_a_token(hub: EmbeddedHub, repo: str) -> None:
    with pytest.raises(RepositoryNotFoundError) as refused:
        HfApi(endpoint=hub.url, token=False).create_tag(repo, tag="v1")
    assert refused.value.response.status_code == 401
    with pytest.raises(HfHubHTTPError, match="Invalid credentials"):
        HfApi(endpoint=hub.url, token="not-a-token").create_tag(repo, tag="v1")


def test_an_unknown_token_is_refused_even_for_what_is_public(citizen: Citizen, town: EmbeddedHub, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    with pytest.raises(HfHubHTTPError, match="Invalid credentials") as refused:
        HfApi(endpoint=town.url, token="hf_nobody").model_info(f"alice/{name}")
    assert not isinstance(refused.value, RepositoryNotFoundError)


def test_members_see_the_organisations_private_repositories(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"acme/{name}", private=True)
    assert citizen("bob").repo_exists(f"acme/{name}")
    with pytest.raises(HfHubHTTPError) as refused:
        citizen("bob").create_commit(f"acme/{name}", add(), commit_message="Add a file")
    assert refused.value.response.status_code == 403


def test_a_contributor_writes_only_what_is_their_own(citizen: Citizen, name: str) -> None:
    carol = citizen("carol")
    carol.create_repo(f"acme/{name}-carols")
    carol.create_commit(f"acme/{name}-carols", add(), commit_message="Add a file")
    citizen("alice").create_repo(f"acme/{name}-alices")
    with pytest.raises(HfHubHTTPError) as refused:
        carol.create_commit(f"acme/{name}-alices", add(), commit_message="Add a file")
    assert refused.value.response.status_code == 403


def test_an_organisation_can_make_new_repositories_private(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"vault/{name}")
    assert citizen("alice").model_info(f"vault/{name}").private
    assert not citizen("bob").repo_exists(f"vault/{name}")


def test_who_may_not_write_may_still_open_a_pull_request(citizen: Citizen, name: str) -> None:
    citizen("alice").create_repo(f"alice/{name}")
    bob = citizen("bob")
    opened = bob.create_commit(f"alice/{name}", add(), commit_message="A gift", create_pr=True)
    assert opened.pr_revision is not None
    # Its author may add to it, and nobody else without the right to write.
    bob.create_commit(f"alice/{name}", add("more.txt"), commit_message="More", revision=opened.pr_revision)
    with pytest.raises(HfHubHTTPError) as refused:
        citizen("carol").create_commit(
            f"alice/{name}", add("more.txt"), commit_message="Mine", revision=opened.pr_revision
        )
    assert refused.value.response.status_code == 403


def test_the_files_of_a_gated_repository_are_for_accepted_users(citizen: Citizen, tmp_path: Path, name: str) -> None:
    alice, bob = citizen("alice"), citizen("bob")
    alice.create_repo(f"alice/{name}")
    alice.update_repo_settings(f"alice/{name}", gated="manual")
    assert bob.model_info(f"alice/{name}").gated == "manual"
    with pytest.raises(GatedRepoError):
        bob.auth_check(f"alice/{name}")
    with pytest.raises(GatedRepoError):
        bob.hf_hub_download(f"alice/{name}", ".gitattributes", cache_dir=tmp_path)
    alice.grant_access(f"alice/{name}", "bob")
    bob.auth_check(f"alice/{name}")
    assert bob.hf_hub_download(f"alice/{name}", ".gitattributes", cache_dir=tmp_path)


def test_a_user_asks_and_the_owner_decides(citizen: Citizen, town: EmbeddedHub, name: str) -> None:
    alice = citizen("alice")
    alice.create_repo(f"alice/{name}")
    alice.update_repo_settings(f"alice/{name}", gated="manual")
    httpx2.post(f"{town.url}/alice/{name}/ask-access", headers={"authorization": "Bearer hf_bob"})
    (request,) = alice.list_pending_access_requests(f"alice/{name}")
    assert (request.username, request.email) == ("bob", "bob@example.invalid")
    alice.reject_access_request(f"alice/{name}", "bob", rejection_reason="Not now")
    assert [each.username for each in alice.list_rejected_access_requests(f"alice/{name}")] == ["bob"]
    alice.accept_access_request(f"alice/{name}", "bob")
    citizen("bob").auth_check(f"alice/{name}")
    with pytest.raises(HfHubHTTPError):
        alice.accept_access_request(f"alice/{name}", "bob")


def test_whoami_says_name_organisations_and_role_of_the_token(citizen: Citizen) -> None:
    alice = citizen("alice").whoami()
    assert (alice["name"], alice["fullname"]) == ("alice", "Alice Doe")
    assert {org["name"]: org["roleInOrg"] for org in alice["orgs"]} == {"acme": "admin", "vault": "write"}
    assert citizen("alice_reads").whoami()["auth"]["accessToken"]["role"] == "read"
    assert {user.username for user in citizen("").list_organization_members("acme")} == {"alice", "bob", "carol"}
    assert citizen("").get_user_overview("bob").username == "bob"
    assert citizen("").get_organization_overview("acme").fullname == "Acme Inc."


def test_everything_that_is_wrong_with_an_accounts_file_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "accounts.toml"
    file.write_text(
        """
        [users.alice]
        tokens = ["hf_1", "hf_1", 3]
        shoe_size = 44
        [users."a/b"]
        [organizations.alice]
        members = { nobody = "owner" }
        [teams.x]
        """
    )
    with pytest.raises(UsageError) as refused:
        read_accounts(file)
    assert sorted(refused.value.complaints) == [
        "'a/b' cannot be the name of a namespace",
        "alice is a user and an organisation",
        "organizations.alice: no user nobody",
        "organizations.alice: nobody has no role named 'owner'",
        "the file: unknown key teams",
        "users.alice: a token belongs to two users",
        "users.alice: a token is a string, or { token, role = read or write }",
        "users.alice: unknown key shoe_size",
    ]


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "accounts.toml"
    file.write_text("[users")
    with pytest.raises(UsageError, match="not TOML"):
        read_accounts(file)
    with pytest.raises(UsageError, match="cannot read"):
        read_accounts(tmp_path / "absent.toml")
