"""Fixtures that all tests share: git without anybody's configuration, source repositories, one embedded Hub."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# How long an example takes says something about the machine, not about the code.
hypothesis.settings.register_profile("any-machine", deadline=None)
hypothesis.settings.load_profile("any-machine")

# Before anything is imported that reads them: no user's token, cache or git configuration reaches a test.
for _name in [name for name in os.environ if name.startswith(("HF_", "GIT_", "HUGGING"))]:
    del os.environ[_name]
os.environ |= {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}
sys.path.insert(0, str(Path(__file__).parent))

from release.rehearsal import EmbeddedHub
from story import Story
from support import SourceRepository

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture
def source(tmp_path: Path) -> SourceRepository:
    """An empty git repository, ready to be filled."""
    return SourceRepository(tmp_path / "source")


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedHub]:
    """One embedded Hub for all tests of a worker; each test uses repositories of its own."""
    with EmbeddedHub(tmp_path_factory.mktemp("hub")) as running:
        yield running


@pytest.fixture
def story(source: SourceRepository, hub: EmbeddedHub) -> Story:
    """A source repository with a configuration and a few files, not yet tagged."""
    return Story(source, hub)


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[EmbeddedHub]:
    """An embedded Hub for one test alone: one that is made to fail."""
    with EmbeddedHub(tmp_path / "own-hub") as running:
        yield running


@pytest.fixture(scope="session")
def oracle() -> Path:
    """The folder of reference originals. Tests that compare with them skip where it is absent."""
    folder = SHARED / "oracle"
    if not folder.is_dir():
        pytest.skip("../shared/oracle is not here: nothing to compare with")
    return folder
