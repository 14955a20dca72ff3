"""names: every path can be written and read everywhere, and is a file with bytes of its own."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from release.values import Finding, Level, Mode, Tree, path_faults
from release.values.tree import collisions

# Allowed by git and the Hub, impossible in a file name on Windows.
_NOT_ON_WINDOWS = frozenset('<>:"|?*')


@dataclass(frozen=True)
class Names:
    name: str = "names"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        for entry in tree.entries:
            yield from (Finding("names/unsafe", fault, path=entry.path) for fault in path_faults(entry.path))
            if entry.mode is Mode.SYMLINK:
                yield Finding("names/symlink", "a symbolic link: an upload would follow it, wherever", path=entry.path)
            if entry.mode is Mode.SUBMODULE:
                yield Finding("names/submodule", "a submodule: its files are not in this tag", path=entry.path)
            if entry.pointer:
                what = "a Git LFS pointer, which stands for bytes that are elsewhere"
                yield Finding("names/lfs-pointer", f"{what}: commit the file itself", path=entry.path)
            if odd := sorted(_NOT_ON_WINDOWS & set(entry.path)):
                message = f"{' '.join(odd)} cannot stand in a file name on Windows"
                yield Finding("names/not-on-windows", message, Level.WARNING, entry.path)
            if unicodedata.normalize("NFC", entry.path) != entry.path:
                message = "the name is not in Unicode form NFC: some file systems will change it"
                yield Finding("names/not-nfc", message, Level.WARNING, entry.path)
        for path, other in collisions(entry.path for entry in tree.entries).items():
            message = f"it meets {other!r} where case or Unicode form does not matter, or as a folder"
            yield Finding("names/collision", message, path=path)
