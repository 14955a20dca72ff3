"""`release init`: a commented configuration for this repository, after a look at it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

_PLAIN = ("README.md", "LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE", "NOTICE.md", "CHANGELOG.md")
_FOLDERS = ("archive", "scripts", "tests/render")


@click.command("init")
@json_option
@click.pass_obj
def command(transport: Mapping[str, str], as_json: bool) -> None:
    """Write a commented configuration for this repository: into pyproject.toml if there is one, else release.toml.

    A configuration that is there already is left alone.
    """
    from release.adapters.terminal import Terminal
    from release.commands.workshop import Workshop
    from release.config import has_config, read
    from release.errors import Refused
    from release.values import RepoPath

    terminal = Terminal("init", as_json=as_json)
    with Workshop(Path.cwd(), terminal, transport) as workshop:
        head = workshop.git.commit("HEAD")
        paths = [item.path for item in workshop.git.listing(head)] if head else []
        remotes = list(workshop.git.remotes().values())
        project = workshop.archive.read(RepoPath("pyproject.toml"))
        if (project and has_config(project)) or workshop.archive.read(RepoPath("release.toml")) is not None:
            raise Refused("this repository has a release configuration already", hint="edit it, commit it and tag")
        name = RepoPath("pyproject.toml" if project is not None else "release.toml")
        table = "tool.release" if project is not None else ""
        text = _config(table, _repo(remotes, workshop.top.name), paths)
        content = (project.rstrip(b"\n") + b"\n\n" if project else b"") + text.encode()
        # What is written must be what prepare will read.
        config = read(content, name)
        workshop.archive.write(name, content)
    document = {"wrote": name, "repo": config.repo, "files": list(config.files)}
    terminal.result(document, lambda: _human(name, text))


def _human(name: str, text: str) -> Iterator["RenderableType"]:
    from release.adapters.terminal import line

    yield line(text)
    yield line(f"wrote {name}; look at it, then: git add {name} && git commit && git tag -a v1; release prepare v1")


def _repo(remotes: Sequence[str], folder: str) -> str:
    """The Hub repository that the remotes suggest, else a placeholder."""
    from release.values import RepoId

    for url in sorted(remotes, key=lambda url: "huggingface.co" not in url):
        found = re.search(r"[:/]([^/:]+/[^/]+?)(?:\.git)?/?$", url)
        if found and "://" in url + "://" and not url.startswith(("/", ".")):
            try:
                return RepoId(found[1])
            except ValueError:
                continue
    safe = re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-") or "repository"
    return RepoId(f"your-name/{safe}")


_TEXT = """\
# The Hub repository that a release goes to. It is made only with `release publish --create`.
repo = "{repo}"
# repo-type = "model"         # or "dataset", "space"
# visibility = "private"      # of a repository that --create makes; or "public"
# message = "Release {{tag}}"   # the title of the commit on the Hub
# engines = ["transformers", "jinja2"]   # template engines without which nothing is released

# What leaves: only files of the tag that match one of these. `*` stops at `/`, `**` spans folders,
# and what begins with a dot leaves only when a pattern names it.
files = [
{files}]

# One file under another name:
# {section}file]]
# source = "docs/card.md"
# name = "README.md"

# A chat template, published as NAME.jinja and NAME_TAG.jinja, each with a one-line twin, after it
# has rendered its fixtures:
{templates}
# A file of somebody else's repository, pinned:
# {section}upstream]]
# repo = "Qwen/Qwen3.5-27B"
# revision = "40 hex digits"
# path = "chat_template.jinja"
# sha256 = "64 hex digits"
# name = "chat_template_stock.jinja"
# newline = "identical"
"""
_EXAMPLE = """\
# {section}template]]
# source = "chat_template.jinja"
# name = "chat_template"
"""


def _config(table: str, repo: str, paths: Sequence[str]) -> str:
    section = f"[[{table}." if table else "[["
    templates = [f'{section}template]]\nsource = "{source}"\nname = "{name}"\n' for source, name in _templates(paths)]
    text = _TEXT.format(
        repo=repo,
        section=section,
        files="".join(f'    "{pattern}",\n' for pattern in _files(paths)),
        templates="".join(templates) or _EXAMPLE.format(section=section),
    )
    return (f"[{table}]\n" if table else "") + text


def _files(paths: Sequence[str]) -> list[str]:
    found = [name for name in _PLAIN if name in paths]
    found += [f"{folder}/**" for folder in _FOLDERS if any(path.startswith(f"{folder}/") for path in paths)]
    templates = [path for path in paths if "/" not in path and path.endswith(".jinja")]
    data = [path for path in paths if "/" not in path and path.endswith((".json", ".safetensors", ".gguf", ".txt"))]
    found += ["*.jinja"] * bool(templates and not _templates(paths))
    found += sorted({f"*.{path.rpartition('.')[2]}" for path in data})
    return found or ["*"]


def _templates(paths: Sequence[str]) -> list[tuple[str, str]]:
    """(source, published name): a root chat_template.jinja, and folders that hold a template.jinja."""
    found = [("chat_template.jinja", "chat_template")] if "chat_template.jinja" in paths else []
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == "template.jinja" and folder:
            found.append((folder, f"chat_template_{re.sub(r'[^A-Za-z0-9]+', '_', folder.rpartition('/')[2])}"))
    return found
