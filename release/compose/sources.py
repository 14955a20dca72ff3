"""files_below(): the bytes of a file, or of all files of a folder, as a tag holds them."""

from collections.abc import Iterable

from release.ports import ReadsSource, SourceItem
from release.values import Mode

_WITH_BYTES = (Mode.REGULAR, Mode.EXECUTABLE)


def files_below(source: ReadsSource, listing: Iterable[SourceItem], path: str) -> dict[str, bytes]:
    """Path in the tag → bytes, for the file at `path` or those below it, in the listing's order.

    `listing` is `source.listing(tree)`. Links and submodules have no bytes of their own and are left out.
    """
    found = [
        item for item in listing if item.mode in _WITH_BYTES and (item.path == path or item.path.startswith(path + "/"))
    ]
    blobs = source.blobs([item.oid for item in found])
    return {item.path: b"".join(blob.chunks) for item, blob in zip(found, blobs, strict=True)}
