"""Workshop: the adapters around one source repository, and the steps that commands are made of."""

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Self

from release import __version__
from release.adapters.archive import Archive as WorktreeArchive
from release.adapters.clock import Clock
from release.adapters.git import GitRepository
from release.adapters.pins import Pins, default_cache
from release.adapters.remote import Remote
from release.adapters.signatures import SshKeygen
from release.adapters.terminal import Terminal
from release.adapters.workspace import Workspace, workspaces
from release.config import FILE_NAMES, GivenConfig, TagConfig
from release.errors import Refused, UsageError
from release.pipeline import Preparing, Publishing, Reopening
from release.ports import Check, ReadsConfig
from release.steps.build import Build
from release.steps.check import CheckTree, Recall
from release.steps.plan import MakePlan
from release.steps.record import WriteRecord
from release.steps.reopen import Reopen
from release.steps.resolve import Resolve, tag_name
from release.steps.upload import Consent, UploadTree
from release.steps.verify import VerifyRecord, VerifyUpload
from release.values import Config, Oid, Record, RepoId, RepoType, TagName
from release.values.manifest import Manifest
from release.values.record import read_records

if TYPE_CHECKING:
    from release.adapters.hub import Hub


class Workshop:
    """Everything is made when it is first needed: a command pays only for what it uses.

    `folder` lies in the source repository; `transport` are the user's settings for talking to git remotes. `hub`
    is an (endpoint, token) to use instead of the user's own.
    """

    def __init__(
        self, folder: Path, terminal: Terminal, transport: Mapping[str, str], hub: tuple[str, str] | None = None
    ) -> None:
        self.git = GitRepository(folder)
        self.top = self.git.top
        self.terminal = terminal
        self._transport = transport
        self._given_hub = hub
        self.archive = WorktreeArchive(self.top)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.git.close()

    @cached_property
    def endpoint(self) -> str:
        if self._given_hub:
            return self._given_hub[0]
        return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")

    @cached_property
    def token(self) -> str | None:
        if self._given_hub:
            return self._given_hub[1]
        from huggingface_hub import get_token
        from huggingface_hub.errors import OIDCError

        try:
            return get_token()
        except OIDCError as error:
            raise Refused(
                f"no token by OIDC: {error}", hint="check HF_OIDC_RESOURCE and the job's permissions"
            ) from error

    def workspace(self, tag: str) -> Workspace:
        return Workspace(self.top, tag_name(tag))

    @cached_property
    def resolve(self) -> Resolve:
        return Resolve(self.git, SshKeygen())

    def preparing(self, space: Workspace, config_from: str | None, *, offline: bool) -> Preparing:
        config: ReadsConfig = TagConfig(self.git) if config_from is None else self._config_from(config_from)
        pins = Pins(default_cache(), self.endpoint, self._token_for_pins, offline=offline)
        return Preparing(
            self.resolve,
            Build(self.git, config, pins, space, space, __version__),
            CheckTree(self._checks(space, pins), space, self._tools()),
        )

    def reopening(self, space: Workspace) -> Reopening:
        """Raises `Refused` where nothing was prepared under this name."""
        content, kept = space.load("manifest.json"), space.load("config.toml")
        if content is None or kept is None:
            # The name is looked at first: no such tag is another mistake than not prepared.
            self.resolve.run(space.tag)
            raise Refused(f"{space.tag} is not prepared", hint=f"release prepare {space.tag}")
        try:
            manifest = Manifest.from_json(content)
        except ValueError as wrong:
            raise Refused(f"what was prepared cannot be read: {wrong}", hint=f"release prepare {space.tag}") from wrong
        config = GivenConfig(kept, manifest.config_from, manifest.overridden)
        return Reopening(self.resolve, Reopen(self.git, config, space, space), Recall(space))

    def planning(self, space: Workspace, config: Config) -> MakePlan:
        return MakePlan(self.git, Remote(self.top, self._transport), self.hub(config.repo, config.repo_type), space)

    def publishing(self, space: Workspace, config: Config, consent: Consent) -> Publishing:
        from release.adapters.hf import HfCommand

        hub = self.hub(config.repo, config.repo_type)
        uploads = HfCommand(
            tree=space.tree,
            home=space.folder / "hf-home",
            endpoint=self.endpoint,
            token=self.token,
            lock=lambda: space.lock_handle,
            started=space.holder,
            heard=lambda done, total: self.terminal.progress("uploading", done, total),
        )
        return Publishing(
            self.planning(space, config),
            UploadTree(self.git, hub, hub, uploads, space, Clock(), self.terminal, consent),
            VerifyUpload(hub, self.terminal),
            WriteRecord(hub, hub, space, self.archive, space),
        )

    def verifying(self, record: Record) -> VerifyRecord:
        return VerifyRecord(self.hub(record.repo, record.repo_type), self.terminal)

    def hub(self, repo: RepoId, repo_type: RepoType) -> "Hub":
        from release.adapters.hub import Hub

        return Hub(self.endpoint, repo, repo_type, self.token)

    def records(self) -> tuple[Record, ...]:
        """The worktree's records, oldest first. Raises `UsageError` for one that cannot be read."""
        records, broken = read_records(self.archive.all())
        if broken:
            raise UsageError(
                "a record in the worktree cannot be read",
                hint="restore it: git checkout -- archive/records",
                complaints=[f"{path}: {why}" for path, why in broken],
            )
        return records

    def prepared(self) -> tuple[TagName, ...]:
        """Tags with a prepared tree, recorded or not."""
        return tuple(TagName(name) for name in workspaces(self.top))

    def the_one_prepared(self) -> TagName:
        """The tag that is prepared and not recorded. Raises `UsageError` for none or several."""
        recorded = {record.tag for record in self.records()}
        waiting = [tag for tag in self.prepared() if tag not in recorded]
        if len(waiting) == 1:
            return waiting[0]
        if waiting:
            raise UsageError(
                f"{len(waiting)} tags are prepared and not recorded",
                hint="name one: release publish TAG",
                complaints=waiting,
            )
        raise UsageError("no tag is prepared and waiting", hint="release prepare TAG")

    @property
    def _token_for_pins(self) -> str | None:
        # Asking for the token imports the client; a cached pin needs neither.
        return self._given_hub[1] if self._given_hub else os.environ.get("HF_TOKEN")

    def _config_from(self, where: str) -> GivenConfig:
        path = Path(where)
        if path.is_file():
            return GivenConfig(path.read_bytes(), str(where), overridden=True)
        commit = self.git.commit(where)
        if commit is not None:
            header = self.git.object(commit)[1].decode("utf-8", "replace")
            tree = Oid(header.partition("\n")[0].removeprefix("tree "))
            source = TagConfig(self.git).read_tree(tree)
            if source is not None:
                return GivenConfig(source[1], f"{commit}:{source[0]}", overridden=True)
        raise UsageError(
            f"--config-from {where!r} is neither a file nor a revision that holds {' or '.join(FILE_NAMES)}",
            hint="name a TOML file, or a commit, branch or tag",
        )

    def _checks(self, space: Workspace, pins: Pins) -> tuple[Check, ...]:
        from release.checks.aliases import Aliases
        from release.checks.archive import Archive
        from release.checks.card import Card
        from release.checks.lint import Lint
        from release.checks.names import Names
        from release.checks.render import Render
        from release.checks.secrets import Secrets
        from release.checks.size import Size
        from release.checks.whitespace import Whitespace
        from release.render.engines.catalogue import NAMES, open_engines

        engines = open_engines(NAMES)
        return (
            Names(),
            Size(),
            Secrets(space),
            Card(space),
            Whitespace(self.git, space),
            Archive(self.git, self.archive),
            Aliases(self.git),
            Lint(self.git, space),
            Render(self.git, space, pins, engines),
        )

    def _tools(self) -> tuple[tuple[str, str], ...]:
        python = ".".join(str(part) for part in sys.version_info[:3])
        return (
            ("git", self.git.version()),
            ("huggingface_hub", metadata.version("huggingface_hub")),
            ("jinja2", metadata.version("jinja2")),
            ("python", python),
            ("release", __version__),
        )
