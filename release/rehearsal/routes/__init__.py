"""What the Hub answers, one concern a file, in the order in which an upload and a download ask.

accounts       who am I, users and organisations
repos          create, delete, move, duplicate, settings
info           one repository: the model, dataset or space page as data
search         lists of repositories
cards          is this front matter in order?
preupload      which files are large, and which are ignored
lfs            large files in: batch, one part or several, verify
xet            large files in and out for clients that have hf-xet
commits        a commit lands
trees          what a commit holds, page by page
files          the bytes of a file
refs           branches and tags
history        the commits of a branch, and squashing them
discussions    discussions and pull requests
likes          who likes what
access         gated repositories: who asks, and who may
lfs_files      the large files that a repository keeps
rehearsal      what the real Hub does not have: faults, and the list of requests
"""

from starlette.routing import BaseRoute

from release.rehearsal.routes import (
    access,
    accounts,
    cards,
    commits,
    discussions,
    files,
    history,
    info,
    lfs,
    lfs_files,
    likes,
    preupload,
    refs,
    rehearsal,
    repos,
    search,
    trees,
    xet,
)

# The shortest addresses come last: `/NAMESPACE/NAME/…` would match many others.
_API = (accounts, repos, info, search, cards, preupload, commits, trees, refs, history, discussions, likes, lfs_files)
_STORAGE_AND_WEB = (rehearsal, xet, lfs, access, files)


def all_routes() -> list[BaseRoute]:
    """Every route, in the order in which they are tried."""
    return [route for room in (*_API, *_STORAGE_AND_WEB) for route in room.ROUTES]
