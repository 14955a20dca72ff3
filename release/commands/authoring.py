"""What the commands for template authors share: where a template is, its text, and one engine to render it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from release.errors import UsageError

if TYPE_CHECKING:
    from release.ports import CompiledTemplate, Engine
    from release.values.rendering import Failed

engine_option = click.option(
    "--engine", default="transformers", show_default=True, help="The template engine; `release suite` lists them."
)


def template_text(where: str, version: str | None = None) -> str:
    """The text of a template file, or of a family that is built from its folder.

    `where` is a file, a folder, or the name of a folder below `templates/`. Raises `UsageError` where there is none,
    `CannotBuild` where it cannot be built.
    """
    from release.adapters.folder import Folder
    from release.compose import build_template
    from release.compose.sources import template_files
    from release.values import RepoPath, TemplateRule

    place = _place(where)
    # The folder above is the root, so that a family can reach what stands beside it.
    source = Folder(place.parent)
    rule = TemplateRule(RepoPath(place.name), RepoPath("template"))
    return build_template(rule, template_files(source, tuple(source.listing()), rule), version)


def _place(where: str) -> Path:
    for candidate in (Path(where), Path("templates") / where):
        if candidate.exists():
            return candidate.resolve()
    families = sorted(path.name for path in Path("templates").glob("*") if path.is_dir())
    raise UsageError(
        f"there is no template {where!r}: neither a file or folder, nor a family below templates/",
        hint=f"families here: {', '.join(families) or 'none'}",
    )


@contextmanager
def opened(name: str) -> Iterator["Engine"]:
    """One engine. Raises `UsageError` for a name that is none, `Unavailable` for one that cannot run here."""
    from release.errors import Unavailable
    from release.render.engines.catalogue import open_engines

    (engine,) = open_engines([name])
    with engine:
        if engine.unavailable is not None:
            raise Unavailable(
                f"the engine {name} does not run here: {engine.unavailable}", hint="name another: --engine"
            )
        yield engine


def compiled(engine: "Engine", text: str, name: str) -> "CompiledTemplate":
    """The template in that engine. Raises `Refused` with its line where the engine cannot read it."""
    from release.errors import Refused
    from release.render.suite import describe
    from release.values.rendering import Failed

    template = engine.compile(text)
    if isinstance(template, Failed):
        raise Refused(f"{_at(name, template)}: {engine.name}: {describe(template)}", hint="mend the template")
    return template


def refused(engine: "Engine", name: str, failed: "Failed") -> Exception:
    """The error for a render that did not come about."""
    from release.errors import Refused
    from release.render.suite import describe

    return Refused(f"{_at(name, failed)}: {engine.name}: {describe(failed)}", hint="see what the template refuses")


def _at(name: str, failed: "Failed") -> str:
    return f"{name}:{failed.line}" if failed.line else name
