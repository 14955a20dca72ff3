"""Which files of a tag one template is made of: those of its folder, and those of a folder that families share."""

import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from release.compose.buildfile import BUILD_FILE, complain, read_build_file
from release.compose.faults import CannotBuild

SHARED = "shared"


@contextmanager
def paths_in_the_tag(folder: str, sources: Mapping[str, str]) -> Iterator[None]:
    """Faults of a template name files as its sources do; out of here they name them as the tag does.

    `sources` is what `sources_of` gives; a name that is not in it is one in `folder`.
    """
    try:
        yield
    except CannotBuild as error:
        path = sources.get(error.path or "", f"{folder}/{error.path}")
        raise CannotBuild(error.reason, path=path, line=error.line, hint=error.hint) from error


def decoded(path: str, content: bytes) -> str:
    """Raises `CannotBuild` with the line of the first byte that is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CannotBuild("the file is not UTF-8", path=path, line=line) from error


def shared_folder(folder: str, files: Mapping[str, bytes]) -> str | None:
    """The path in the tag of the folder that build.toml names as `shared`; None where it names none.

    It lies in the tag, neither in the template's folder nor around it. Raises `CannotBuild` for another.
    """
    content = files.get(f"{folder}/{BUILD_FILE}")
    if content is None:
        return None
    text = decoded(BUILD_FILE, content)
    named = read_build_file(text).shared
    if named is None:
        return None
    place = posixpath.normpath(posixpath.join(folder, named))
    if named.startswith("/") or place in (".", "..") or place.startswith("../"):
        complain(f"'shared' must name a folder of the tag, not {named!r}", "shared", text)
    if f"{place}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{place}/"):
        complain(f"'shared' must name another folder than the template's own, not {named!r}", "shared", text)
    return place


def sources_of(folder: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The name by which a source is included → its path in the tag.

    `files` holds at least what stands below `folder` and below its shared folder. Raises `CannotBuild` as
    `shared_folder` does, and where a name would have two meanings or none.
    """
    sources = _below(folder, files)
    place = shared_folder(folder, files)
    if place is None:
        return sources
    shared = {f"{SHARED}/{name}": path for name, path in _below(place, files).items()}
    text = decoded(BUILD_FILE, files[f"{folder}/{BUILD_FILE}"])
    if not shared:
        complain(f"'shared' names {place!r}, where the tag holds no sources", "shared", text)
    own = [name for name in sources if name.startswith(f"{SHARED}/")]
    if own:
        complain(f"'shared' would hide {own[0]!r} of the template's own folder", "shared", text)
    return sources | shared


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, str]:
    # Fixtures and notes lie in the same folder; they are no part of the template.
    return {
        path.removeprefix(f"{folder}/"): path
        for path in files
        if path.startswith(f"{folder}/") and path.endswith((".jinja", ".toml"))
    }
