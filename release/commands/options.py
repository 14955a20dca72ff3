"""Options that several commands share."""

from collections.abc import Callable
from typing import TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., object])


def json_option(command: _Command) -> _Command:
    """`--json`: one object on stdout, on success and on failure."""
    text = "Print one JSON object on stdout, on success and on failure."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def offline_option(command: _Command) -> _Command:
    """`--offline`: no network even for pins."""
    text = "Take upstream pins from the cache or an installed package, never from the Hub."
    return click.option("--offline", is_flag=True, help=text)(command)


def config_option(command: _Command) -> _Command:
    """`--config-from`: a configuration from elsewhere than the tag."""
    text = "Use the configuration in this file, or in this git revision, instead of the tag's. Its digest is recorded."
    return click.option("--config-from", metavar="PATH|REV", help=text)(command)
