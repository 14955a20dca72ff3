"""`release proxy --upstream URL --chat-template FILE`: what a template makes of live traffic, changing nothing."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from release.commands.authoring import engine_option
from release.commands.options import json_option
from release.commands.render import capture_options


@click.command("proxy")
@click.option("--upstream", required=True, metavar="URL", help="The server that answers, for example llama-server.")
@click.option("--chat-template", required=True, metavar="FAMILY|FILE", help="The template to render beside it.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0, the default, takes a free port.")
@engine_option
@capture_options
@json_option
@click.pass_obj
def command(
    transport: Mapping[str, str],
    upstream: str,
    chat_template: str,
    port: int,
    engine: str,
    metrics: Path | None,
    requests: Path | None,
    prompts: Path | None,
    as_json: bool,
) -> None:
    """Stand between a client and a server: requests go on byte for byte, answers stream through.

    Beside it each chat request is rendered with the template and recorded. A render that fails never fails the
    request. The first line on stdout is the URL.
    """
    from release.adapters.proxy import serve_proxy
    from release.adapters.terminal import Terminal
    from release.commands.authoring import compiled, opened, template_text
    from release.errors import UsageError

    if not upstream.startswith(("http://", "https://")):
        raise UsageError(f"{upstream!r} is no HTTP address", hint="--upstream http://127.0.0.1:8080")
    terminal = Terminal("proxy", as_json=as_json)
    text = template_text(chat_template)

    def announce(url: str) -> None:
        if as_json:
            terminal.result({"url": url, "upstream": upstream}, lambda: ())
        else:
            click.echo(url)
        sys.stdout.flush()

    with opened(engine) as running:
        template = compiled(running, text, chat_template)
        files = (metrics, requests, prompts)
        diagnose = _diagnosis(chat_template, text, running.name, template.render, files, terminal.note)
        serve_proxy(upstream, port, diagnose, announce)


def _diagnosis(
    name: str,
    text: str,
    engine: str,
    render: Callable[[Mapping[str, object]], object],
    files: tuple[Path | None, Path | None, Path | None],
    note: Callable[[str], None],
) -> Callable[[bytes], None]:
    """What is done with the body of one request. Whatever goes wrong is noted, and stays here."""
    from release.adapters.captures import now
    from release.commands.render import write_capture
    from release.errors import ReleaseError
    from release.render.requests import BadRequest, inventory, read_request, variables_of

    def diagnose(raw: bytes) -> None:
        at = now()
        try:
            request = read_request(raw)
            made = render(variables_of(request, {}))
            write_capture(files, request, raw, name, text, engine, made, at)
            held = inventory(request)
            note(f"{at} {held.message_count} messages → {_outcome(made)}")
        except BadRequest:
            # Not a chat request: there is nothing to render.
            return
        except ReleaseError as error:
            note(f"{at} not recorded: {error}")

    return diagnose


def _outcome(made: object) -> str:
    from release.render.suite import describe
    from release.values.rendering import Failed, Rendered

    if isinstance(made, Rendered):
        return f"{len(made.text):,} characters"
    return describe(made) if isinstance(made, Failed) else "nothing"
