"""Builds of one repository, as the steps after `resolve` make them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from release.adapters.git import GitRepository
from release.adapters.signatures import SshKeygen
from release.adapters.workspace import Workspace
from release.config import GivenConfig, TagConfig
from release.errors import Unavailable
from release.steps.build import Build
from release.steps.reopen import Reopen
from release.steps.resolve import Resolve
from release.values import Tree, UpstreamPin


@dataclass(frozen=True)
class Pinned:
    """Upstream files by their path there. Implements `ports.FetchesPins` without a network."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    def fetch(self, pin: UpstreamPin) -> bytes:
        if pin.path not in self.files:
            raise Unavailable("nobody has it", hint="look for it")
        return self.files[pin.path]


def build(path: Path, tag: str = "v1", pins: Mapping[str, bytes] | None = None) -> tuple[Tree, Workspace]:
    with GitRepository(path) as git:
        source = Resolve(git, SshKeygen()).run(tag)
        space = Workspace(git.top, source.tag)
        return Build(git, TagConfig(git), Pinned(pins or {}), space, space, "0.1").run(source), space


def reopen(path: Path, tag: str = "v1") -> Tree:
    """As `publish` finds it: with the configuration that `prepare` kept."""
    with GitRepository(path) as git:
        source = Resolve(git, SshKeygen()).run(tag)
        space = Workspace(git.top, source.tag)
        kept = GivenConfig(space.load("config.toml") or b"", "release.toml", False)
        return Reopen(git, kept, space, space).run(source)
