"""An embedded Hub: the Hugging Face Hub's HTTP API on loopback, for the unmodified client, on real git objects.

    with EmbeddedHub(Path("store")) as hub:
        hub.store.seed("Qwen/Qwen3.5-27B", {"chat_template.jinja": template}, alias="feea018b…")
        hub.faults.add(Fault("status_after", method="POST", path="*/commit/*", status=504))
        subprocess.run(["hf", "upload", "me/model", "."], env={"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_any", …})
        assert [str(seen) for seen in hub.requests if seen.method == "POST"] == […]

How a request is answered, from the outside to the inside:

server         start and stop; a context manager for tests, `serve` until interrupted
application    the ASGI application: door, faults, routes, refusals
journal        what was asked
faults         ways to fail, as values and as JSON
sabotage       carries faults out on their way through
spoiling       a list of files with something wrong in it
addresses      which address and method a function answers
routes         the functions that answer, one concern a file
calls          a request as they see it: who sends it, which repository, may they
accounts       users, organisations, tokens and roles; the accounts file
answers        refusals with the codes that the client reads, and pages of a list
ranges         a part of a file
links          addresses that carry their own permission

What is kept, from the whole to the parts:

store          the directory: repositories, large files; seeding
repositories   one repository: its git directory and its record
discussions    discussions and pull requests
commits        a commit as it is sent
landing        changes → a commit on a ref, by compare-and-swap
merging        a pull request → changes
history        the commits of a branch; squashing and purging
trees          what a commit holds
attributes     which files are large, which are ignored
cards          the front matter of a README.md
pointers       a large file in a git tree
ledger         which large files are whose
large_files    the content-addressed folder
xet            xorbs and shards of Xet clients
shards         their binary formats
git            a bare repository by git's plumbing
keeping        what was worked out lately
values         kinds, moments, ids, JSON files

Refusing is an exception (answers.HubError), everything else a value. The store knows nothing of HTTP but the
refusals, and the routes nothing of files.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from release.rehearsal.accounts import Accounts, read_accounts
    from release.rehearsal.faults import Fault
    from release.rehearsal.journal import Seen
    from release.rehearsal.server import EmbeddedHub, serve

__all__ = ["Accounts", "EmbeddedHub", "Fault", "Seen", "read_accounts", "serve"]

_HOMES = {
    "Accounts": "accounts",
    "EmbeddedHub": "server",
    "Fault": "faults",
    "Seen": "journal",
    "read_accounts": "accounts",
    "serve": "server",
}


def __getattr__(name: str) -> object:
    """The parts are imported when they are used: a command that does not serve must not pay for a server."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
