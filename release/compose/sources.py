"""files_below(), template_files(): bytes as a tag holds them, of a folder, and of all that a template is made of."""

from collections.abc import Iterable, Sequence

from release.compose.folders import paths_in_the_tag, shared_folder
from release.ports import ReadsBlobs, SourceItem
from release.values import Mode, TemplateRule

_WITH_BYTES = (Mode.REGULAR, Mode.EXECUTABLE)


def files_below(source: ReadsBlobs, listing: Iterable[SourceItem], path: str) -> dict[str, bytes]:
    """Path in the tag → bytes, for the file at `path` or those below it, in the listing's order.

    `listing` is `source.listing(tree)`. Links and submodules have no bytes of their own and are left out.
    """
    found = [
        item for item in listing if item.mode in _WITH_BYTES and (item.path == path or item.path.startswith(path + "/"))
    ]
    blobs = source.blobs([item.oid for item in found])
    return {item.path: b"".join(blob.chunks) for item, blob in zip(found, blobs, strict=True)}


def template_files(source: ReadsBlobs, listing: Sequence[SourceItem], rule: TemplateRule) -> dict[str, bytes]:
    """Path in the tag → bytes, for all that `build_template` reads: the rule's source and the folder that it shares.

    Raises `CannotBuild` where build.toml names no such folder.
    """
    files = files_below(source, listing, rule.source)
    with paths_in_the_tag(rule.source, {}):
        shared = shared_folder(rule.source, files)
    return files if shared is None else files | files_below(source, listing, shared)
