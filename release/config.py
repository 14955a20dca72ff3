"""`[tool.release]` of pyproject.toml, or release.toml → Config, frozen and checked.

Every complaint names its key, and all complaints come together. Keys that nobody knows are complaints too: a typing
error must not silently publish less.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from release.errors import UsageError
from release.ports import ReadsSource
from release.values import (
    Config,
    FileRule,
    Glob,
    Newline,
    Oid,
    RepoId,
    RepoPath,
    RepoType,
    Sha256,
    Source,
    TemplateRule,
    UpstreamPin,
    Visibility,
    Waiver,
)

FILE_NAMES = ("pyproject.toml", "release.toml")
KEYS = {"repo", "repo-type", "visibility", "files", "message", "engines", "file", "template", "upstream", "waiver"}
_T = TypeVar("_T")


def has_config(content: bytes) -> bool:
    """Whether this pyproject.toml holds a `[tool.release]` table. One that cannot be read is treated as if it did."""
    try:
        tool = tomllib.loads(content.decode("utf-8")).get("tool")
        return isinstance(tool, dict) and "release" in tool
    except (ValueError, RecursionError):
        return b"tool.release" in content


def parse(content: bytes, read_from: str, *, table: tuple[str, ...] = (), overridden: bool = False) -> Config:
    """The Config in the bytes of one TOML file; `table` leads to it ("tool", "release"), empty for the whole file.

    Raises `UsageError` with all complaints.
    """
    try:
        document: object = tomllib.loads(content.decode("utf-8"))
        for key in table:
            document = document[key] if isinstance(document, dict) else {}
    except KeyError as missing:
        raise _unusable(read_from, [f"the table [{'.'.join(table)}] is missing"]) from missing
    except (ValueError, RecursionError) as wrong:
        raise _unusable(read_from, [f"it is not TOML: {wrong}"]) from wrong
    if not isinstance(document, dict):
        raise _unusable(read_from, [f"{'.'.join(table)} is not a table"])
    reader = _Reader(document)
    config = _read(reader, read_from, Sha256.of(content), overridden)
    if reader.complaints or config is None:
        raise _unusable(read_from, reader.complaints)
    return config


def _unusable(read_from: str, complaints: list[str]) -> UsageError:
    return UsageError(
        f"the release configuration in {read_from} cannot be used",
        hint="correct it and tag again, or name a corrected file with --config-from",
        complaints=complaints,
    )


@dataclass(frozen=True)
class TagConfig:
    """Implements `ports.ReadsConfig` from the tagged tree: pyproject.toml where it has the table, else release.toml."""

    source: ReadsSource

    def __call__(self, source: Source) -> tuple[Config, bytes]:
        found = self.read_tree(source.tree)
        if found is None:
            raise UsageError(
                f"{source.tag} holds no configuration: neither [tool.release] in pyproject.toml nor release.toml",
                hint="write one with `release init`, commit it and tag again; or name a file with --config-from",
            )
        return read(found[1], found[0]), found[1]

    def read_tree(self, tree: Oid) -> tuple[str, bytes] | None:
        """(file name, bytes) of the configuration in a tree; None where it has none."""
        listing = self.source.listing(tree)
        wanted = {item.path: item.oid for item in listing if item.path in FILE_NAMES and item.is_file}
        for name in FILE_NAMES:
            if name in wanted:
                content = self.source.object(wanted[name])[1]
                if name != "pyproject.toml" or has_config(content):
                    return name, content
        return None


@dataclass(frozen=True)
class GivenConfig:
    """Implements `ports.ReadsConfig` with bytes from elsewhere: `--config-from`, or what `prepare` kept."""

    content: bytes
    name: str
    overridden: bool

    def __call__(self, source: Source) -> tuple[Config, bytes]:
        return read(self.content, self.name, overridden=self.overridden), self.content


def read(content: bytes, name: str, *, overridden: bool = False) -> Config:
    """The Config in a file of this name: in its `[tool.release]` table if it is a pyproject.toml, else at its top."""
    table = ("tool", "release") if name.endswith("pyproject.toml") else ()
    return parse(content, name, table=table, overridden=overridden)


class _Reader:
    """Takes typed values out of one TOML table and remembers every complaint, each with its key."""

    def __init__(self, table: Mapping[str, object], where: str = "", complaints: list[str] | None = None) -> None:
        self.table = table
        self.where = where
        self.complaints: list[str] = [] if complaints is None else complaints

    def known(self, keys: set[str]) -> None:
        for key in sorted(set(self.table) - keys):
            self.complain(key, f"unknown key; known here: {', '.join(sorted(keys))}")

    def complain(self, key: str, what: str) -> None:
        self.complaints.append(f"{self.where}{key}: {what}")

    def text(self, key: str, make: Callable[[str], _T], *, required: bool = True) -> _T | None:
        """The string at `key`, made into a value; None after a complaint, or where it may be missing."""
        if key not in self.table:
            if required:
                self.complain(key, "missing")
            return None
        value = self.table[key]
        if not isinstance(value, str):
            self.complain(key, f"a string belongs here, not {_kind(value)}")
            return None
        try:
            return make(value)
        except ValueError as wrong:
            self.complain(key, f"{value!r}: {wrong}")
            return None

    def texts(self, key: str, make: Callable[[str], _T]) -> tuple[_T, ...]:
        value = self.table.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            self.complain(key, "missing" if value is None else "a list of strings belongs here, with at least one")
            return ()
        made = []
        for index, item in enumerate(value):
            try:
                made.append(make(item))
            except ValueError as wrong:
                self.complain(f"{key}[{index}]", f"{item!r}: {wrong}")
        return tuple(made)

    def tables(self, key: str) -> Iterator["_Reader"]:
        value = self.table.get(key, [])
        if not isinstance(value, list):
            self.complain(key, f"tables belong here, as [[{key}]], not {_kind(value)}")
            return
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield _Reader(item, f"{self.where}{key}[{index}].", self.complaints)
            else:
                self.complain(f"{key}[{index}]", f"a table belongs here, not {_kind(item)}")


def _kind(value: object) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def _one_of(kind: type[_T]) -> Callable[[str], _T]:
    def make(text: str) -> _T:
        try:
            return kind(text)  # type: ignore[call-arg]
        except ValueError:
            raise ValueError(f"one of {', '.join(str(one) for one in kind)} belongs here") from None  # type: ignore[attr-defined]

    return make


def _revision(text: str) -> Oid:
    if len(text) != 40 or not set(text) <= set("0123456789abcdef"):
        raise ValueError("a revision is pinned by its 40 hex digits, in lower case; a branch or a tag can move")
    return Oid(text)


def _message(text: str) -> str:
    if not text.strip() or "\n" in text or "\r" in text or not text.isprintable():
        raise ValueError("the message is one printable line")
    return text


def _engine(text: str) -> str:
    # Which engines there are, the check `render` knows.
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", text):
        raise ValueError("an engine's name belongs here, such as transformers")
    return text


def _reason(text: str) -> str:
    if not text.strip():
        raise ValueError("say why the text may pass")
    return text


def _read(reader: _Reader, read_from: str, sha256: Sha256, overridden: bool) -> Config | None:
    reader.known(KEYS)
    repo = reader.text("repo", RepoId)
    repo_type = reader.text("repo-type", _one_of(RepoType), required=False)
    visibility = reader.text("visibility", _one_of(Visibility), required=False)
    message = reader.text("message", _message, required=False)
    files = reader.texts("files", Glob)
    engines = reader.texts("engines", _engine) if "engines" in reader.table else Config.engines
    # Each with the place where it stands: those that cannot be read leave no gap in the counting.
    file = {table.where: rule for table in reader.tables("file") if (rule := _file(table))}
    template = {table.where: built for table in reader.tables("template") if (built := _template(table))}
    upstream = {table.where: pin for table in reader.tables("upstream") if (pin := _upstream(table))}
    waiver = tuple(one for table in reader.tables("waiver") if (one := _waiver(table)))
    _no_name_twice(reader, file, template, upstream)
    if repo is None:
        return None
    return Config(
        repo=repo,
        files=files,
        read_from=read_from,
        sha256=sha256,
        repo_type=repo_type or RepoType.MODEL,
        visibility=visibility or Visibility.PRIVATE,
        message=message or "Release {tag}",
        file=tuple(file.values()),
        template=tuple(template.values()),
        upstream=tuple(upstream.values()),
        waiver=waiver,
        engines=engines,
        overridden=overridden,
    )


def _file(table: _Reader) -> FileRule | None:
    table.known({"source", "name"})
    source, name = table.text("source", RepoPath), table.text("name", RepoPath)
    return FileRule(source, name) if source and name else None


def _template(table: _Reader) -> TemplateRule | None:
    table.known({"source", "name", "fixtures"})
    source, name = table.text("source", RepoPath), table.text("name", _template_name)
    fixtures = table.text("fixtures", RepoPath, required=False)
    return TemplateRule(source, name, fixtures) if source and name else None


def _template_name(text: str) -> RepoPath:
    if text.endswith((".jinja", ".txt")):
        raise ValueError("a template's name has no ending: four files are made of it")
    RepoPath(f"{text}_oneline.txt")
    return RepoPath(text)


def _upstream(table: _Reader) -> UpstreamPin | None:
    table.known({"repo", "repo-type", "revision", "path", "sha256", "name", "newline"})
    repo, revision = table.text("repo", RepoId), table.text("revision", _revision)
    path, sha256 = table.text("path", RepoPath), table.text("sha256", Sha256)
    repo_type = table.text("repo-type", _one_of(RepoType), required=False)
    name = table.text("name", RepoPath, required=False)
    newline = table.text("newline", _one_of(Newline), required=False)
    if not (repo and revision and path and sha256):
        return None
    return UpstreamPin(repo, revision, path, sha256, repo_type or RepoType.MODEL, name, newline or Newline.IDENTICAL)


def _waiver(table: _Reader) -> Waiver | None:
    table.known({"sha256", "reason"})
    sha256, reason = table.text("sha256", Sha256), table.text("reason", _reason)
    return Waiver(sha256, reason) if sha256 and reason else None


def _no_name_twice(
    reader: _Reader,
    file: Mapping[str, FileRule],
    template: Mapping[str, TemplateRule],
    upstream: Mapping[str, UpstreamPin],
) -> None:
    """What the tag's name has no part in; what it has, the step `build` looks at."""
    named: dict[str, str] = {}
    claims: list[tuple[str, str]] = [(where, rule.name) for where, rule in file.items()]
    claims += [(where, pin.name) for where, pin in upstream.items() if pin.name]
    for where, built in template.items():
        claims += [(where, f"{built.name}{ending}") for ending in (".jinja", "_oneline.txt")]
    for where, name in claims:
        if name in named:
            reader.complain(f"{where}name", f"{name!r} is published by {named[name]} already")
        named.setdefault(name, f"{where}name")
    # The archive keeps templates under the last part of their names.
    kept: dict[str, str] = {}
    for where, built in template.items():
        base = built.name.rpartition("/")[2]
        if kept.setdefault(base, built.name) != built.name:
            reader.complain(f"{where}name", f"the archive would keep it under the same name as {kept[base]!r}")
