"""A release that waits to be published, and a Hub of its own that can be told to fail."""

from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import HfApi

from release.adapters.terminal import Terminal
from release.commands.workshop import Workshop
from release.errors import ReleaseError
from release.pipeline import Published, publish, reopen
from release.rehearsal import EmbeddedHub
from release.steps.upload import Consent
from support import TOKEN, SourceRepository, fresh_repo_id, release


class Prepared:
    """A prepared release, and a Hub of its own that can be told to fail."""

    def __init__(self, source: SourceRepository, hub: EmbeddedHub) -> None:
        self.source, self.hub, self.repo = source, hub, fresh_repo_id()
        source.commit(
            {"release.toml": f'repo = "{self.repo}"\nfiles = ["*.txt"]\n', "a.txt": "one\n", "b.txt": "two\n"}
        )
        source.tag("v1")
        self.api = HfApi(endpoint=hub.url, token=TOKEN)
        self.api.create_repo(self.repo)
        assert release(source.path, "prepare", "v1", hub=hub.url).code == 0

    def publish(self, watch: float = 0.3) -> Published:
        """The whole of `publish --confirm`, with a shorter wait for what is unclear."""
        with Workshop(self.source.path, Terminal("publish", as_json=True), {}, (self.hub.url, TOKEN)) as workshop:
            space = workshop.workspace("v1")
            checked = reopen("v1", workshop.reopening(space), workshop.terminal)
            steps = workshop.publishing(space, checked.tree.config, Consent())
            steps = replace(steps, upload=replace(steps.upload, watch=watch))
            return publish(checked, steps, space, workshop.archive, workshop.terminal)

    def failing(self, kind: type[ReleaseError]) -> ReleaseError:
        with pytest.raises(kind) as caught:
            self.publish()
        return caught.value

    @property
    def ours(self) -> int:
        """How many commits of this release the Hub holds."""
        return sum("Release-Id" in commit.message for commit in self.api.list_repo_commits(self.repo))

    @property
    def record(self) -> Path:
        return self.source.path / "archive/records/v1.json"
