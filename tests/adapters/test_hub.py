"""The Hub's adapter against the embedded Hub: what it answers, and what becomes of what goes wrong."""

import pytest
from huggingface_hub import HfApi

from release.adapters.hub import Hub
from release.errors import Conflict, Refused, ReleaseError, Unavailable
from release.rehearsal import EmbeddedHub
from release.rehearsal.faults import Fault
from release.values import Entry, Mode, Origin, RepoId, RepoType, Visibility
from release.values.plan import Storage
from support import TOKEN, fresh_repo_id


@pytest.fixture
def repo() -> RepoId:
    return RepoId(fresh_repo_id())


def _hub(hub: EmbeddedHub, repo: RepoId, token: str | None = TOKEN, repo_type: RepoType = RepoType.MODEL) -> Hub:
    return Hub(hub.url, repo, repo_type, token)


@pytest.mark.parametrize("repo_type", list(RepoType))
def test_a_repository_that_it_made_is_there(hub: EmbeddedHub, repo: RepoId, repo_type: RepoType) -> None:
    ours = _hub(hub, repo, repo_type=repo_type)
    assert ours.head() is None
    ours.create_repository(Visibility.PUBLIC)
    head = ours.head()
    assert head is not None
    assert (".gitattributes" in head.by_path, head.private) == (True, False)


def test_a_private_repository_is_none_for_a_stranger(hub: EmbeddedHub, repo: RepoId) -> None:
    _hub(hub, repo).create_repository(Visibility.PRIVATE)
    assert _hub(hub, repo, token=None).head() is None


def test_commits_come_newest_first_and_page_by_page(hub: EmbeddedHub, repo: RepoId) -> None:
    """More than one page; who takes the first one asks for no second."""
    api = HfApi(endpoint=hub.url, token=TOKEN)
    api.create_repo(repo)
    for number in range(60):
        api.upload_file(path_or_fileobj=b"%d" % number, path_in_repo="n", repo_id=repo, commit_message=f"n{number}")
    hub.forget_requests()
    assert next(iter(_hub(hub, repo).commits())).title == "n59"
    assert len([seen for seen in hub.requests if "/commits/" in seen.path]) == 1
    assert [commit.title for commit in _hub(hub, repo).commits()][-2:] == ["n0", "initial commit"]


def test_a_large_file_is_known_by_its_sha256(hub: EmbeddedHub, repo: RepoId) -> None:
    api = HfApi(endpoint=hub.url, token=TOKEN)
    api.create_repo(repo)
    api.upload_file(path_or_fileobj=b"x" * 99, path_in_repo="m.safetensors", repo_id=repo)
    head = _hub(hub, repo).head()
    assert head is not None
    file = head.by_path["m.safetensors"]
    assert (file.size, file.sha256 is not None) == (99, True)


def test_what_it_would_store_how_is_asked_of_the_hub(hub: EmbeddedHub, repo: RepoId) -> None:
    _hub(hub, repo).create_repository(Visibility.PUBLIC)
    entries = [Entry(name, Mode.REGULAR, Origin.COPIED, name, size=9) for name in ("a.txt", "b.safetensors")]
    said = _hub(hub, repo).storage([(entry, b"x" * 9) for entry in entries], "a.*\n")
    assert said == {"a.txt": (Storage.REGULAR, True), "b.safetensors": (Storage.LFS, False)}


def test_without_a_token_it_does_not_ask(hub: EmbeddedHub, repo: RepoId) -> None:
    assert _hub(hub, repo, token=None).storage([], None) is None


def test_an_anonymous_read_sends_no_token(own_hub: EmbeddedHub, repo: RepoId) -> None:
    """A private file cannot be read that way, although the token could."""
    api = HfApi(endpoint=own_hub.url, token=TOKEN)
    api.create_repo(repo, private=True)
    api.upload_file(path_or_fileobj=b"mine", path_in_repo="a.txt", repo_id=repo)
    ours = _hub(own_hub, repo)
    head = ours.head()
    assert head is not None
    assert b"".join(ours.read(head.commit, "a.txt", anonymous=False)) == b"mine"
    with pytest.raises(Refused):
        list(ours.read(head.commit, "a.txt", anonymous=True))


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Refused), (403, Refused), (404, Refused), (409, Conflict), (429, Unavailable), (500, Unavailable)],
)
def test_each_status_becomes_the_kind_whose_promise_holds(
    own_hub: EmbeddedHub, repo: RepoId, status: int, kind: type[ReleaseError]
) -> None:
    _hub(own_hub, repo).create_repository(Visibility.PUBLIC)
    own_hub.faults.add(Fault("status", path="*/refs", status=status, times=None))
    with pytest.raises(kind) as caught:
        _hub(own_hub, repo).refs()
    assert caught.value.hint


def test_an_answer_that_is_not_the_hubs_is_said_to_be_none(own_hub: EmbeddedHub, repo: RepoId) -> None:
    """A mirror, or a login page in between: a reply that is no JSON."""
    _hub(own_hub, repo).create_repository(Visibility.PUBLIC)
    own_hub.faults.add(Fault("corrupt", path="*/commits/*", offset=0, times=None))
    with pytest.raises(Unavailable, match="not the Hub's"):
        list(_hub(own_hub, repo).commits())


def test_a_dropped_connection_is_unavailable(own_hub: EmbeddedHub, repo: RepoId) -> None:
    _hub(own_hub, repo).create_repository(Visibility.PUBLIC)
    own_hub.faults.add(Fault("drop", path="*/refs", times=None))
    with pytest.raises(Unavailable, match="did not answer"):
        _hub(own_hub, repo).refs()
