"""`release hub serve DIR`: the embedded Hub by itself, for HF_ENDPOINT and the stock `hf` command."""

import sys
from pathlib import Path

import click

from release.commands.options import json_option


@click.group("hub")
def command() -> None:
    """Run an embedded Hub on this machine."""


@command.command("serve")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0, the default, takes a free port.")
@click.option(
    "--accounts", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Users and their tokens (TOML)."
)
@json_option
def serve(directory: Path, port: int, accounts: Path | None, as_json: bool) -> None:
    """Serve DIRECTORY until interrupted. The first line on stdout is the URL, printed once it answers.

    Without --accounts any hf_… token may write everywhere, and a write without a token is refused.
    """
    from release.adapters.terminal import Terminal
    from release.rehearsal import serve as serve_hub

    terminal = Terminal("hub serve", as_json=as_json)

    def announce(url: str) -> None:
        if as_json:
            terminal.result({"url": url}, lambda: ())
        else:
            click.echo(url)
        sys.stdout.flush()

    serve_hub(directory, port=port, accounts=accounts, announce=announce)
