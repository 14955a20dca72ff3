"""Which files are stored as large files, and which are left out: `.gitattributes` and `.gitignore` as git reads them.

The Hub decides this, not the client (HUB.md §1.4): a path is large by the repository's `.gitattributes`, by its
size, or because its first 512 bytes are not text.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pathspec import GitIgnoreSpec

from release.rehearsal.git import BareGit

LARGEST_REGULAR = 10 * 1024 * 1024  # bytes

UploadMode = Literal["lfs", "regular"]

_LARGE_PATTERNS = (
    *("*.7z", "*.arrow", "*.bin", "*.bz2", "*.ckpt", "*.ftz", "*.gz", "*.h5", "*.joblib", "*.lfs.*", "*.mlmodel"),
    *("*.model", "*.msgpack", "*.npy", "*.npz", "*.onnx", "*.ot", "*.parquet", "*.pb", "*.pickle", "*.pkl", "*.pt"),
    *("*.pth", "*.rar", "*.safetensors", "saved_model/**/*", "*.tar.*", "*.tar", "*.tflite", "*.tgz", "*.wasm"),
    *("*.xz", "*.zip", "*.zst", "*tfevents*"),
)

# A dataset also keeps media files as large files.
_MEDIA_PATTERNS = (
    *("*.pcm", "*.sam", "*.raw", "*.aac", "*.flac", "*.mp3", "*.ogg", "*.wav"),
    *("*.bmp", "*.gif", "*.png", "*.tiff", "*.jpg", "*.jpeg", "*.webp", "*.mp4", "*.webm"),
)


def initial_attributes(kind: str) -> bytes:
    """The `.gitattributes` that a new repository starts with."""
    patterns = [*_LARGE_PATTERNS, *(_MEDIA_PATTERNS if kind == "dataset" else ())]
    return "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in patterns).encode()


def upload_mode(size: int, sample: bytes, *, tracked: bool) -> UploadMode:
    """How to upload a file of `size` bytes that begins with `sample`; `tracked` by `.gitattributes`."""
    if size == 0:
        return "regular"
    return "lfs" if tracked or size > LARGEST_REGULAR or b"\0" in sample else "regular"


def tracked_paths(git: BareGit, commit: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that the commit's `.gitattributes` files, nested ones too, hand to git-lfs."""
    attribute_files = [
        entry for entry in git.entries(git.tree_of(commit)) if entry.path.rpartition("/")[2] == ".gitattributes"
    ]
    if not attribute_files or not paths:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        # git reads attributes of a bare repository from an index; ours holds the attribute files only.
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        lines = "".join(f"{entry.mode} {entry.oid} 0\t{entry.path}\0" for entry in attribute_files)
        git.run("update-index", "-z", "--index-info", given=_encoded(lines), environment=index)
        answer = git.run(
            *("check-attr", "--cached", "-z", "--stdin", "filter"),
            given=_encoded("".join(f"{path}\0" for path in paths)),
            environment=index,
        )
    fields = answer.decode("utf-8", "surrogateescape").split("\0")
    return {path for path, value in zip(fields[0::3], fields[2::3], strict=False) if value == "lfs"}


def ignored_paths(rules: str, paths: Sequence[str]) -> set[str]:
    """Those of the paths that the lines of a `.gitignore` leave out."""
    return set(GitIgnoreSpec.from_lines(rules.splitlines()).match_files(paths))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
