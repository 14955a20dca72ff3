"""Config: what the tagged tree says about its own release. Read by `release.config`."""

from dataclasses import dataclass
from enum import StrEnum

from release.values.globs import Glob
from release.values.names import Oid, RepoId, RepoPath, Sha256, TagName


class RepoType(StrEnum):
    """The three kinds of Hub repository. `api` is the kind's part of an API address."""

    MODEL = "model"
    DATASET = "dataset"
    SPACE = "space"


class Visibility(StrEnum):
    """Who may read a repository that a release creates. It says nothing about one that exists."""

    PUBLIC = "public"
    PRIVATE = "private"


class Newline(StrEnum):
    """How the published bytes of an upstream file relate to the pinned ones."""

    IDENTICAL = "identical"
    PLUS_ONE = "plus-one"
    MINUS_ONE = "minus-one"

    def apply(self, content: bytes) -> bytes:
        """The published bytes. Raises `ValueError` where there is no newline to take away."""
        if self is Newline.PLUS_ONE:
            return content + b"\n"
        if self is Newline.MINUS_ONE:
            if not content.endswith(b"\n"):
                raise ValueError("the upstream file does not end with a newline that could be taken away")
            return content[:-1]
        return content


@dataclass(frozen=True)
class FileRule:
    """`[[file]]`: publish `source` under another name. A mapping wins over a glob of `files`."""

    source: RepoPath
    name: RepoPath


@dataclass(frozen=True)
class TemplateRule:
    """`[[template]]`: build `source` (a file, or a folder of two-stage sources) and publish it in four forms.

    `name` has no ending: NAME.jinja, NAME_oneline.txt, NAME_TAG.jinja, NAME_TAG_oneline.txt. `fixtures` is a folder
    with `fixtures.json` and `expected-results.json`; a source folder is its own unless it says otherwise.
    """

    source: RepoPath
    name: RepoPath
    fixtures: RepoPath | None = None

    def published(self, tag: TagName) -> "TemplateNames":
        form = f"{self.name}_{tag.file_form}"
        return TemplateNames(
            alias=RepoPath(f"{self.name}.jinja"),
            versioned=RepoPath(f"{form}.jinja"),
            oneline=RepoPath(f"{self.name}_oneline.txt"),
            versioned_oneline=RepoPath(f"{form}_oneline.txt"),
        )


@dataclass(frozen=True)
class TemplateNames:
    """The four files that are made of one template."""

    alias: RepoPath
    versioned: RepoPath
    oneline: RepoPath
    versioned_oneline: RepoPath


@dataclass(frozen=True)
class UpstreamPin:
    """`[[upstream]]`: one file of somebody else's repository, at one revision, with its digest there.

    `name` is where it is published; None: it is only compared with. `newline` relates published to pinned bytes.
    """

    repo: RepoId
    revision: Oid
    path: RepoPath
    sha256: Sha256
    repo_type: RepoType = RepoType.MODEL
    name: RepoPath | None = None
    newline: Newline = Newline.IDENTICAL


@dataclass(frozen=True)
class Waiver:
    """`[[waiver]]`: one text that the secrets check may pass, by its sha256, and why."""

    sha256: Sha256
    reason: str


@dataclass(frozen=True)
class Config:
    """`[tool.release]` of pyproject.toml, or release.toml, checked.

    `read_from` says where it stood ("pyproject.toml", "release.toml", or what --config-from named) and `sha256` is
    the digest of that file's bytes. `engines` are the template engines without which there is no release.
    """

    repo: RepoId
    files: tuple[Glob, ...]
    read_from: str
    sha256: Sha256
    repo_type: RepoType = RepoType.MODEL
    visibility: Visibility = Visibility.PRIVATE
    message: str = "Release {tag}"
    file: tuple[FileRule, ...] = ()
    template: tuple[TemplateRule, ...] = ()
    upstream: tuple[UpstreamPin, ...] = ()
    waiver: tuple[Waiver, ...] = ()
    engines: tuple[str, ...] = ("transformers", "jinja2")
    overridden: bool = False
