"""The unmodified client against the embedded Hub: one open Hub and one with accounts for all tests of a worker."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hf_command import TOKEN, Command
from huggingface_hub import HfApi
from huggingface_hub.utils import close_session

from release.rehearsal import EmbeddedHub

TOWN = """
[users.alice]
fullname = "Alice Doe"
tokens = ["hf_alice", { token = "hf_alice_reads", role = "read" }]

[users.bob]
tokens = ["hf_bob"]

[users.carol]
tokens = ["hf_carol"]

[organizations.acme]
fullname = "Acme Inc."
members = { alice = "admin", bob = "read", carol = "contributor" }

[organizations.vault]
private_by_default = true
members = { alice = "write" }
"""


@pytest.fixture(scope="session", autouse=True)
def _closed_client() -> Iterator[None]:
    """The client keeps its connections in a global; close them before the Hubs stop."""
    yield
    close_session()


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedHub]:
    """A Hub with users, organisations and roles; see TOWN."""
    folder = tmp_path_factory.mktemp("town")
    (folder / "accounts.toml").write_text(TOWN)
    with EmbeddedHub(folder / "hub", accounts=folder / "accounts.toml") as running:
        yield running


@pytest.fixture
def api(hub: EmbeddedHub) -> HfApi:
    """The client as the one user of the open Hub."""
    return HfApi(endpoint=hub.url, token=TOKEN)


@pytest.fixture
def citizen(town: EmbeddedHub) -> Callable[[str], HfApi]:
    """The client as one of the users of the town: `citizen("alice")`; without a name, as nobody."""

    def as_user(name: str) -> HfApi:
        return HfApi(endpoint=town.url, token=f"hf_{name}" if name else False)

    return as_user


@pytest.fixture
def name() -> str:
    """A repository's name that no other test uses."""
    return f"repo-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def repo(api: HfApi, name: str) -> str:
    """A new model repository on the open Hub."""
    return api.create_repo(f"me/{name}").repo_id


@pytest.fixture
def hf(hub: EmbeddedHub, tmp_path: Path) -> Command:
    """The `hf` command against the open Hub."""
    return Command(hub.url, tmp_path)
