"""What the Hub answers, one concern a file, in the order in which an upload and a download ask.

accounts       who am I, users and organisations
repos          create, delete, move, duplicate, settings, listings
info           one repository: the model, dataset or space page as data
cards          is this front matter in order?
preupload      which files are large, and which are ignored
lfs            large files in: batch, one part or several, verify
xet            large files in and out for clients that have hf-xet
commits        a commit lands
trees          what a commit holds, page by page
files          the bytes of a file
refs           branches and tags
history        the commits of a branch, and squashing them
"""

from starlette.routing import BaseRoute

from release.rehearsal.routes import (
    accounts,
    cards,
    commits,
    files,
    history,
    info,
    lfs,
    preupload,
    refs,
    repos,
    trees,
    xet,
)

# The shortest addresses come last: `/NAMESPACE/NAME/…` would match many others.
_ROOMS = (accounts, repos, info, cards, preupload, commits, trees, refs, history, lfs, xet, files)


def all_routes() -> list[BaseRoute]:
    return [route for room in _ROOMS for route in room.ROUTES]
