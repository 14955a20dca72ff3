"""Two-stage sources → one template: run the build-time tags, leave the template's own tags alone (D-16).

A family of templates is a folder. Its entry file holds a Jinja template whose build-time parts stand in `<% %>`,
`<%= %>` and `<%# %>`; these are run once, here, with the features of one version, and what remains is the file that
is published. `build.toml` beside it is optional:

    entry = "template.jinja"

    [features]                  every feature with its value for the current version
    skills = true
    media = "roles"

    [versions.v13]              what was different then
    features = { skills = false }
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace, TracebackType
from typing import NoReturn

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from release.compose.faults import CannotBuild
from release.compose.literal import literal

BUILD_FILE = "build.toml"
ENTRY = "template.jinja"
# A build multiplies text by loops; what is longer than this is a mistake, not a template.
MAX_CHARACTERS = 8 * 1024 * 1024
_KEYS = {"entry": str, "features": dict, "versions": dict}
_HINT = "mend the template's source, commit it and tag again"
# What a sandboxed template can raise; anything else is a bug of ours.
_TEMPLATE_FAULTS = (
    TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


class Features(SimpleNamespace):
    """The features of one version, by name: a name that build.toml does not declare is an error."""


def assemble(files: Mapping[str, str], version: str | None = None) -> str:
    """The built template. `files` maps paths in the family's folder to their text, `build.toml` among them.

    `version` names one of build.toml's versions; None is the current one. Sources see `features` and `version`
    and the filter `literal`; they can include and import only from `files`. Raises `CannotBuild` with file and line.
    """
    entry, features = _read_build_file(files, version)
    if entry not in files:
        raise CannotBuild(f"there is no {entry!r}, where the template begins", path=BUILD_FILE, hint=_HINT)
    for path, text in files.items():
        _refuse_bytes_that_would_change(path, text)
    try:
        template = _environment(files).get_template(entry)
        built = _joined(template.generate(features=Features(**features), version=version), entry)
    except _TEMPLATE_FAULTS as error:
        _explain(error, files, entry)
    if "<%" in built:
        line = built.count("\n", 0, built.index("<%")) + 1
        raise CannotBuild(f"line {line} of the built text still holds '<%'", path=entry, hint=_HINT)
    return built


def _environment(files: Mapping[str, str]) -> ImmutableSandboxedEnvironment:
    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        # The file name is what a traceback shows, which is how an error finds its file.
        return (files[name], name, lambda: True) if name in files else None

    environment = ImmutableSandboxedEnvironment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(load),
    )
    environment.filters["literal"] = literal
    return environment


def _joined(pieces: Iterable[str], entry: str) -> str:
    """The pieces as one text; a build that runs away stops at the limit."""
    parts = []
    size = 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > MAX_CHARACTERS:
            reason = f"the built text is longer than {MAX_CHARACTERS:,} characters"
            raise CannotBuild(reason, path=entry, hint=_HINT)
    return "".join(parts)


def _refuse_bytes_that_would_change(path: str, text: str) -> None:
    """Jinja2 turns CR LF into LF without a word, and a byte order mark would end up in the middle of the result."""
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise CannotBuild("a carriage return; lines end with LF alone", path=path, line=line, hint=_HINT)
    if "\ufeff" in text:
        line = text.count("\n", 0, text.index("\ufeff")) + 1
        raise CannotBuild("a byte order mark (U+FEFF)", path=path, line=line, hint=_HINT)


def _explain(error: Exception, files: Mapping[str, str], entry: str) -> NoReturn:
    path, line = _place(error.__traceback__, files)
    reason = str(error)
    if isinstance(error, TemplateSyntaxError):
        path, line = error.name or path, error.lineno
        reason = error.message or reason
    elif isinstance(error, TemplateNotFound):
        reason = f"there is no file {error.name!r} in the template's folder"
    elif isinstance(error, RecursionError):
        reason = "files or macros include each other without end"
    elif not isinstance(error, TemplateError):
        reason = f"{type(error).__name__}: {error}"
    raise CannotBuild(reason, path=path or entry, line=line, hint=_HINT) from error


def _place(traceback: TracebackType | None, files: Mapping[str, str]) -> tuple[str | None, int | None]:
    """File and line of the innermost template in a traceback, which Jinja2 has rewritten to template lines."""
    path, line = None, None
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name in files:
            path, line = name, traceback.tb_lineno
        traceback = traceback.tb_next
    return path, line


def _read_build_file(files: Mapping[str, str], version: str | None) -> tuple[str, dict[str, object]]:
    """(the entry's name, the features of this version)."""
    text = files.get(BUILD_FILE, "")
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise CannotBuild(str(error), path=BUILD_FILE, line=line, hint=_HINT) from error
    _check_keys(settings, _KEYS, text)
    features: dict[str, object] = dict(settings.get("features", {}))
    for name in features:
        if not name.isidentifier() or name.startswith("_"):
            _complain(f"{name!r} is no name for a feature: use letters, digits and '_'", name, text)
    versions: dict[str, object] = settings.get("versions", {})
    chosen: dict[str, object] = {}
    # All versions are checked, whichever is built: a mistake in an old one shows at once.
    for name, rules in versions.items():
        changes = _version(name, rules, features, text)
        if name == version:
            chosen = changes
    if version is not None and version not in versions:
        known = ", ".join(versions) or "none"
        raise CannotBuild(f"no version {version!r} is declared (there are: {known})", path=BUILD_FILE, hint=_HINT)
    return settings.get("entry", ENTRY), features | chosen


def _version(name: str, rules: object, features: Mapping[str, object], text: str) -> dict[str, object]:
    if not isinstance(rules, dict):
        _complain(f"versions.{name} must be a table", name, text)
    _check_keys(rules, {"features": dict}, text, f"versions.{name}.")
    changes: dict[str, object] = rules.get("features", {})
    for feature, value in changes.items():
        if feature not in features:
            _complain(f"versions.{name} sets {feature!r}, which [features] does not declare", feature, text, name)
        if type(value) is not type(features[feature]):
            kinds = f"{type(value).__name__}, in [features] {type(features[feature]).__name__}"
            _complain(f"versions.{name} sets {feature!r} to another kind of value ({kinds})", feature, text, name)
    return changes


def _check_keys(table: Mapping[str, object], kinds: Mapping[str, type], text: str, prefix: str = "") -> None:
    for key, value in table.items():
        if key not in kinds:
            _complain(f"unknown key {prefix + key!r} (known: {', '.join(kinds)})", key, text)
        if not isinstance(value, kinds[key]):
            _complain(f"{prefix + key!r} must be a {'text' if kinds[key] is str else 'table'}", key, text)


def _complain(reason: str, key: str, text: str, after: str | None = None) -> NoReturn:
    """tomllib keeps no positions: the line is the first one that names the key, below the line that names `after`."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if after and re.search(rf"\b{re.escape(after)}\b", line)), 0)
    named = (n for n, line in enumerate(lines[first:], first + 1) if re.search(rf"\b{re.escape(key)}\b", line))
    raise CannotBuild(reason, path=BUILD_FILE, line=next(named, None), hint=_HINT)
