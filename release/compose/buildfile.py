"""build.toml: what a folder of two-stage sources is built with.

It stands at the folder's top and may be left out:

    entry = "template.jinja"    the file that the template begins in
    shared = "../shared"        a folder of the tag whose files are included as 'shared/NAME'

    [features]                  every feature with its value for the current version
    skills = true
    media = "roles"

    [versions.v13]              what was different then
    features = { skills = false }
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from release.compose.faults import CannotBuild

BUILD_FILE = "build.toml"
ENTRY = "template.jinja"
_KEYS = {"entry": str, "shared": str, "features": dict, "versions": dict}


@dataclass(frozen=True)
class BuildFile:
    """`features` are those of one version. `shared` is as it was written: relative to the folder of the file."""

    entry: str
    shared: str | None
    features: Mapping[str, object]


def read_build_file(text: str, version: str | None = None) -> BuildFile:
    """What a build.toml says of this version (None: the current one). Raises `CannotBuild` with the line."""
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise CannotBuild(str(error), path=BUILD_FILE, line=line) from error
    _check_keys(settings, _KEYS, text)
    features: dict[str, object] = dict(settings.get("features", {}))
    for name in features:
        if not name.isidentifier() or name.startswith("_"):
            complain(f"{name!r} is no name for a feature: use letters, digits and '_'", name, text)
    versions: dict[str, object] = settings.get("versions", {})
    chosen: dict[str, object] = {}
    # All versions are checked, whichever is built: a mistake in an old one shows at once.
    for name, rules in versions.items():
        changes = _version(name, rules, features, text)
        if name == version:
            chosen = changes
    if version is not None and version not in versions:
        known = ", ".join(versions) or "none"
        raise CannotBuild(f"no version {version!r} is declared (there are: {known})", path=BUILD_FILE)
    return BuildFile(settings.get("entry", ENTRY), settings.get("shared"), features | chosen)


def complain(reason: str, key: str, text: str, after: str | None = None) -> NoReturn:
    """tomllib keeps no positions: the line is the first one that names the key, below the line that names `after`."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if after and re.search(rf"\b{re.escape(after)}\b", line)), 0)
    named = (n for n, line in enumerate(lines[first:], first + 1) if re.search(rf"\b{re.escape(key)}\b", line))
    raise CannotBuild(reason, path=BUILD_FILE, line=next(named, None))


def _version(name: str, rules: object, features: Mapping[str, object], text: str) -> dict[str, object]:
    if not isinstance(rules, dict):
        complain(f"versions.{name} must be a table", name, text)
    _check_keys(rules, {"features": dict}, text, f"versions.{name}.")
    changes: dict[str, object] = rules.get("features", {})
    for feature, value in changes.items():
        if feature not in features:
            complain(f"versions.{name} sets {feature!r}, which [features] does not declare", feature, text, name)
        if type(value) is not type(features[feature]):
            kinds = f"{type(value).__name__}, in [features] {type(features[feature]).__name__}"
            complain(f"versions.{name} sets {feature!r} to another kind of value ({kinds})", feature, text, name)
    return changes


def _check_keys(table: Mapping[str, object], kinds: Mapping[str, type], text: str, prefix: str = "") -> None:
    for key, value in table.items():
        if key not in kinds:
            complain(f"unknown key {prefix + key!r} (known: {', '.join(kinds)})", key, text)
        if not isinstance(value, kinds[key]):
            complain(f"{prefix + key!r} must be a {'text' if kinds[key] is str else 'table'}", key, text)
