"""A release told as a story: a source repository, the Hub that it goes to, and somebody else who commits there."""

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

from release.rehearsal import EmbeddedHub
from support import TOKEN, Run, SourceRepository, fresh_repo_id, release


class Story:
    """A source repository with a release configuration, and the Hub that it is released to."""

    def __init__(self, source: SourceRepository, hub: EmbeddedHub) -> None:
        self.source, self.hub = source, hub
        self.repo = fresh_repo_id()
        self.api = HfApi(endpoint=hub.url, token=TOKEN)
        files = '["README.md", "data/**", "archive/**", "tools/*"]'
        source.commit(
            {
                "release.toml": f'repo = "{self.repo}"\nfiles = {files}\nvisibility = "public"\n',
                "README.md": "---\nlicense: mit\n---\n# A\n",
                "data/a.txt": "one\n",
                "tools/run.sh": "#!/bin/sh\n",
            }
        )

    def run(self, *arguments: str, token: str | None = TOKEN) -> Run:
        return release(self.source.path, *arguments, hub=self.hub.url, token=token)

    def prepared(self, tag: str) -> "Story":
        self.source.tag(tag)
        run = self.run("prepare", tag)
        assert run.code == 0, run.err
        return self

    def published(self, tag: str) -> Run:
        self.prepared(tag)
        run = self.run("publish", tag, "--confirm", "--create", "--json")
        assert run.code == 0, run.err
        return run

    def recorded(self, tag: str) -> str:
        """Publish, commit the record, and return the Hub's commit."""
        commit: str = self.published(tag).json["hubCommit"]
        self.source.commit({}, f"Record {tag}")
        return commit

    @property
    def paths(self) -> set[str]:
        return set(self.api.list_repo_files(self.repo)) - {".gitattributes"}

    @property
    def commits(self) -> int:
        return len(self.api.list_repo_commits(self.repo))

    def commit_on_the_hub(self, **files: str | None) -> str:
        """Somebody else commits: None deletes."""
        operations = [
            CommitOperationAdd(path.replace("__", "/"), text.encode())
            if text is not None
            else CommitOperationDelete(path.replace("__", "/"))
            for path, text in files.items()
        ]
        return str(self.api.create_commit(self.repo, operations, commit_message="Somebody else").oid)
