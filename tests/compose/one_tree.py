"""A source with one tree, kept in memory."""

from collections.abc import Iterator, Mapping, Sequence

from release.ports import Blob, SourceItem
from release.values import Mode, Oid, git_blob_id


class OneTree:
    """`items` is its listing."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.blobs_by_id = {git_blob_id(content): content for content in files.values()}
        self.items = [SourceItem(path, Mode.REGULAR, git_blob_id(content)) for path, content in files.items()]

    def blobs(self, oids: Sequence[Oid]) -> Iterator[Blob]:
        for oid in oids:
            content = self.blobs_by_id[oid]
            yield Blob(oid, len(content), iter([content[:1], content[1:]]))
