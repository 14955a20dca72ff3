"""`release render FILE --input request.json`: a captured request through any template, in any engine."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from release.commands.authoring import engine_option
from release.commands.options import json_option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from release.render.requests import Inventory

_FILE = click.Path(path_type=Path, dir_okay=False)


def capture_options(function: click.decorators.FC) -> click.decorators.FC:
    """Where the three records of a capture go: `--metrics`, `--requests`, `--prompts`."""
    for option in (
        click.option("--prompts", type=_FILE, help="Append each rendered prompt to this file."),
        click.option("--requests", type=_FILE, help="Append each raw request to this file, with its time."),
        click.option("--metrics", type=_FILE, help="Append one line of JSON a request to this file."),
    ):
        function = option(function)
    return function


@click.command("render")
@click.argument("template", metavar="FAMILY|FILE")
@click.option(
    "--input", "source", type=click.File("rb", lazy=False), required=True, help="The request (JSON); - for stdin."
)
@click.option("--kwargs", default="{}", metavar="JSON", help="Keywords for the template, as one JSON object.")
@click.option("--inventory", "only_inventory", is_flag=True, help="Print what the request holds, and no content.")
@engine_option
@capture_options
@json_option
@click.pass_obj
def command(
    transport: Mapping[str, str],
    template: str,
    source: BinaryIO,
    kwargs: str,
    only_inventory: bool,
    engine: str,
    metrics: Path | None,
    requests: Path | None,
    prompts: Path | None,
    as_json: bool,
) -> None:
    """Print the prompt that a template makes of an OpenAI-compatible request."""
    from release.adapters.terminal import Terminal
    from release.commands.authoring import template_text
    from release.errors import UsageError
    from release.render.requests import BadRequest, inventory, read_request, variables_of

    terminal = Terminal("render", as_json=as_json)
    raw = source.read()
    try:
        request = read_request(raw)
    except BadRequest as wrong:
        raise UsageError(f"{source.name}: {wrong}", hint="name a captured chat completion request") from wrong
    held = inventory(request)
    if only_inventory:
        terminal.result({"inventory": asdict(held)}, lambda: _inventory(held))
        return
    text = template_text(template)
    variables = variables_of(request, _object(kwargs))
    prompt = _rendered(template, text, engine, variables, request, raw, (metrics, requests, prompts))
    if as_json:
        terminal.result({"prompt": prompt, "characters": len(prompt), "inventory": asdict(held)}, lambda: ())
    elif prompts is None:
        sys.stdout.write(prompt)
        sys.stdout.flush()


def _rendered(
    name: str,
    text: str,
    engine_name: str,
    variables: Mapping[str, object],
    request: Mapping[str, object],
    raw: bytes,
    files: tuple[Path | None, Path | None, Path | None],
) -> str:
    from release.adapters.captures import now
    from release.commands.authoring import compiled, opened, refused
    from release.values.rendering import Failed

    with opened(engine_name) as engine:
        made = compiled(engine, text, name).render(variables)
        write_capture(files, request, raw, name, text, engine.name, made, now())
        if isinstance(made, Failed):
            raise refused(engine, name, made)
        return made.text


def write_capture(
    files: tuple[Path | None, Path | None, Path | None],
    request: Mapping[str, object],
    raw: bytes,
    name: str,
    text: str,
    engine: str,
    made: "object",
    at: str,
) -> None:
    """The three records of one capture (L-011), each where a file was named for it."""
    from release.adapters.captures import append
    from release.render.requests import framed, metrics_line
    from release.values.rendering import Failed, Rendered

    metrics, requests, prompts = files
    if requests is not None:
        append(requests, framed(raw, at))
    if metrics is not None and isinstance(made, Rendered | Failed):
        append(metrics, metrics_line(request, raw, name, text, engine, made, at))
    if prompts is not None and isinstance(made, Rendered):
        append(prompts, made.text.encode("utf-8", "surrogatepass"))


def _object(text: str) -> dict[str, object]:
    from release.errors import UsageError

    try:
        value = json.loads(text)
    except ValueError as wrong:
        raise UsageError(f"--kwargs is not JSON: {wrong}", hint="""--kwargs '{"enable_thinking": false}'""") from wrong
    if not isinstance(value, dict):
        raise UsageError("--kwargs is not an object", hint="""--kwargs '{"enable_thinking": false}'""")
    return value


def _inventory(held: "Inventory") -> Iterator["RenderableType"]:
    from release.adapters.terminal import table

    rows = [(name.replace("_", " "), str(value)) for name, value in asdict(held).items() if name != "roles"]
    rows += [(f"role {role}", str(count)) for role, count in held.roles.items()]
    yield table(("the request holds", ""), rows, right=(1,))
