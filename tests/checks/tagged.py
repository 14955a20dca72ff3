"""A tag, a built tree and pinned files in memory, and what the check `render` says of them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from release.checks.render import Render
from release.ports import Blob, Check, SourceItem
from release.render.engines.catalogue import open_engines
from release.values import (
    Config,
    EngineRun,
    Entry,
    Finding,
    Mode,
    Oid,
    Origin,
    RepoId,
    RepoPath,
    Sha256,
    Signature,
    Source,
    TagName,
    TemplateRule,
    Tree,
    UpstreamPin,
    git_blob_id,
)
from release.values.source import SignatureState

GOOD = "{%- for m in messages %}{{- m.content }}{%- endfor %}{{- tools or [] }}"
TREE = Oid("b" * 40)


@dataclass
class Tagged:
    """A tag's objects, a built tree and pinned files, all in memory."""

    files: dict[str, bytes] = field(default_factory=dict)
    built: dict[str, bytes] = field(default_factory=dict)
    pinned: bytes | Exception = b""
    rules: tuple[TemplateRule, ...] = (TemplateRule(RepoPath("src"), RepoPath("chat")),)
    upstream: tuple[UpstreamPin, ...] = ()
    engines: tuple[str, ...] = ("jinja2",)
    problems: tuple[tuple[str, str], ...] = ()

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        assert tree == TREE
        return (SourceItem(path, Mode.REGULAR, git_blob_id(content)) for path, content in sorted(self.files.items()))

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        contents = {git_blob_id(content): content for content in self.files.values()}
        return (Blob(oid, len(contents[oid]), iter([contents[oid]])) for oid in oids)

    def read(self, path: RepoPath) -> bytes:
        return self.built[path]

    def fetch(self, pin: UpstreamPin) -> bytes:
        if isinstance(self.pinned, Exception):
            raise self.pinned
        return self.pinned

    def tree(self) -> Tree:
        source = Source(TagName("v16"), Oid("a" * 40), False, Oid("a" * 40), TREE, Signature(SignatureState.NONE))
        config = Config(
            RepoId("me/mine"),
            (),
            "release.toml",
            Sha256("0" * 64),
            template=self.rules,
            upstream=self.upstream,
            engines=self.engines,
        )
        entries = tuple(
            Entry(path, Mode.REGULAR, Origin.BUILT, "src", len(content), Sha256.of(content), git_blob_id(content))
            for path, content in self.built.items()
        )
        return Tree(source, config, entries, problems=self.problems)


def check(tagged: Tagged, *engines: str) -> list[Finding | EngineRun]:
    made = Render(tagged, tagged, tagged, open_engines(engines or ("jinja2",)))  # type: ignore[arg-type]
    as_port: Check = made
    return list(as_port(tagged.tree()))


def findings(tagged: Tagged) -> list[Finding]:
    return [one for one in check(tagged) if isinstance(one, Finding)]


def package(folder: str, expected: object = None, **more: object) -> dict[str, bytes]:
    files = {
        "fixtures.json": {"greets": {"description": "", "payload": {"messages": [{"role": "user", "content": "hi"}]}}},
        "expected-results.json": {"greets": expected or {"status": "rendered", "contains": ["hi"]}},
        **{f"{name}.json": value for name, value in more.items()},
    }
    return {f"{folder}/{name}": json.dumps(value).encode() for name, value in files.items()}


def pin(repo: str, path: str, name: str | None = None) -> UpstreamPin:
    return UpstreamPin(
        RepoId(repo), Oid("c" * 40), RepoPath(path), Sha256("1" * 64), name=RepoPath(name) if name else None
    )
