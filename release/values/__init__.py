"""What flows through a release, in the order it comes to exist. Frozen, and free of I/O.

names       text from outside that became a tag name, a path, a repository id, an object id or a digest
globs       the patterns of an allow-list
settings    Config: what the tagged tree says about its own release
source      Source: the tag, peeled
tree        Tree: the publishing tree, by digest and size
findings    Finding, CheckedTree: what the checks said
rendering   Rendered, Failed: what a template engine made of a conversation
hub         HubHead, HubCommit: what the Hub says of itself
plan        Plan: what would change there, and what would be left alone
outcome     Upload, Verified: what happened there, and how that was found out
documents   JSON that this tool wrote once, read again without believing that it did
manifest    the file in which a built tree waits
record      Record: what is written down, and read again by later releases
notes       release notes, and the table of archive/README.md
"""

from release.values.findings import CheckedTree, EngineRun, Finding, Level
from release.values.globs import Glob
from release.values.hub import HubCommit, HubFile, HubHead, HubRefs
from release.values.names import (
    Oid,
    RepoId,
    RepoPath,
    Sha256,
    TagName,
    git_blob_id,
    path_faults,
)
from release.values.outcome import Upload, Verified
from release.values.plan import Change, Kind, Plan, RemoteTag
from release.values.record import Record, RecordedFile
from release.values.settings import (
    Config,
    FileRule,
    Newline,
    RepoType,
    TemplateRule,
    UpstreamPin,
    Visibility,
    Waiver,
)
from release.values.source import Signature, Source
from release.values.tree import Entry, Mode, Origin, Tree

__all__ = [
    "Change",
    "CheckedTree",
    "Config",
    "EngineRun",
    "Entry",
    "FileRule",
    "Finding",
    "Glob",
    "HubCommit",
    "HubFile",
    "HubHead",
    "HubRefs",
    "Kind",
    "Level",
    "Mode",
    "Newline",
    "Oid",
    "Origin",
    "Plan",
    "Record",
    "RecordedFile",
    "RemoteTag",
    "RepoId",
    "RepoPath",
    "RepoType",
    "Sha256",
    "Signature",
    "Source",
    "TagName",
    "TemplateRule",
    "Tree",
    "Upload",
    "UpstreamPin",
    "Verified",
    "Visibility",
    "Waiver",
    "git_blob_id",
    "path_faults",
]
