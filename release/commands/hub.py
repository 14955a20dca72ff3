"""`release hub serve DIR`: the embedded Hub by itself, for HF_ENDPOINT and the stock `hf` command."""

from pathlib import Path

import click


@click.group("hub")
def command() -> None:
    """Run an embedded Hub on this machine."""


@command.command("serve")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0, the default, takes a free port.")
@click.option(
    "--accounts", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Users and their tokens (TOML)."
)
def serve(directory: Path, port: int, accounts: Path | None) -> None:
    """Serve DIRECTORY until interrupted. The first line on stdout is the URL, printed once it answers.

    Without --accounts any hf_… token may write everywhere, and a write without a token is refused.
    """
    from release.rehearsal import serve as serve_hub

    serve_hub(directory, port=port, accounts=accounts, announce=lambda url: click.echo(url))
