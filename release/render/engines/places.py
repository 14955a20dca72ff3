"""Where lies what no wheel of this project's brings: in the user's cache, in folders named for what is in them.

    $XDG_CACHE_HOME/hf-release/engines/
        hf-jinja-DIGEST/node_modules/   one for each lock file
        minja-VERSION-PYTHON/           one for each interpreter that it was made for
        llama.cpp-raw-DIGEST.cwasm      machine code, one for each machine; made where it is missing

Not beside the code, which may lie where nobody may write, and not where another release of this project would find
what it did not ask for. `python -m release.render.engines.install` fills them; a render never reaches the network.
"""

import hashlib
import os
import shlex
import sys
from pathlib import Path

NODE = Path(__file__).parent / "node"
LOCK = NODE / "package-lock.json"
# The last release of xllamacpp with minja inside (ENGINES.md §1).
MINJA = "0.2.9"


def jinja_folder() -> Path:
    """The folder for `npm ci`, by the digest of the lock file."""
    return engines_folder() / f"hf-jinja-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]}"


def jinja_package() -> Path:
    """The folder of the npm package itself, there or not."""
    return jinja_folder() / "node_modules" / "@huggingface" / "jinja"


def minja_folder() -> Path:
    """The folder for the old xllamacpp."""
    return engines_folder() / f"minja-{MINJA}-{sys.implementation.cache_tag}"


def install_command(engine: str) -> str:
    """What to run where the engine's folder is not there."""
    return shlex.join([sys.executable or "python3", "-m", "release.render.engines.install", engine])


def engines_folder() -> Path:
    """There or not; by default below ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hf-release" / "engines"
