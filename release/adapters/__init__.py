"""What touches the world. No adapter imports another; each translates foreign errors once.

git           objects of the source repository, through GitPython's command layer
remote        the source's remote: `git ls-remote`
signatures    `ssh-keygen -Y verify`
workspace     .release/NAME: the tree, the state files, the journal, the lock
archive       records and copies in the worktree
pins          upstream files, content-addressed
hub           the Hub's API, through huggingface_hub
hf            the `hf upload` command
folder        a folder of the worktree, read as a tree
captures      files that captured requests go to
proxy         a passive HTTP proxy
clock         waiting
clone         a throw-away clone to rehearse on
terminal      rich: narration on stderr, results on stdout
actions       GitHub Actions: annotations and the step summary
redaction     text without secrets
"""
