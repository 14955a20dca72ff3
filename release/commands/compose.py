"""`release compose FAMILY|FILE`: the built template of a family, or the one-line twin of any file."""

import sys
from collections.abc import Mapping

import click

from release.commands.options import json_option


@click.command("compose")
@click.argument("template", metavar="FAMILY|FILE")
@click.option("--version", "version", metavar="vN", help="Build this version of a family.")
@click.option("--oneline", is_flag=True, help="Print the one-line twin.")
@click.option(
    "--trim/--no-trim",
    default=None,
    help="Make the twin for hosts that trim blocks, or for those that do not, where the text depends on it.",
)
@json_option
@click.pass_obj
def command(
    transport: Mapping[str, str], template: str, version: str | None, oneline: bool, trim: bool | None, as_json: bool
) -> None:
    """Print the built template of a family (a folder of sources), or of any template file its one-line twin.

    FAMILY is a folder, or the name of one below templates/. Reads the worktree.
    """
    from release.adapters.terminal import Terminal
    from release.commands.authoring import template_text
    from release.compose import make_twin
    from release.errors import UsageError
    from release.values import Sha256

    if trim is not None and not oneline:
        raise UsageError("--trim and --no-trim are about the one-line twin", hint="add --oneline")
    text = template_text(template, version)
    if oneline:
        text = make_twin(text, trim)
    if as_json:
        document = {"text": text, "sha256": Sha256.of(text.encode()), "characters": len(text)}
        Terminal("compose", as_json=True).result(document, lambda: ())
    else:
        # The bytes themselves: what is printed here and what a release publishes have the same digest.
        sys.stdout.write(text)
        sys.stdout.flush()
