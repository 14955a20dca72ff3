"""Git objects of the source repository, and nothing that its configuration could have a say in.

repository   the repository around a folder
catfile      what `git cat-file --batch` answers, hashed
"""

from release.adapters.git.repository import GitRepository

__all__ = ["GitRepository"]
