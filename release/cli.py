"""The command line: a click group that imports a command when it is asked for, and the only place that exits."""

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import NoReturn

import click

from release import __version__
from release.errors import ReleaseError, Unavailable

# What each command is for: said here, so that help imports no command.
COMMANDS = {
    "init": "Write a commented configuration.",
    "prepare": "Build and check the tree of a tag.",
    "publish": "Show the plan; with --confirm, carry it out.",
    "verify": "Compare the Hub with a record.",
    "status": "Show where each tag stands.",
    "rehearse": "Release a clone to an embedded Hub.",
    "render": "Render a captured request.",
    "compose": "Print a built template, or its twin.",
    "proxy": "Watch what a template makes of traffic.",
    "hub": "Run an embedded Hub.",
}
_REPORT = "this is a bug in `release`: please report it with the lines above and the command that you ran"
# Settings for talking to remotes are the user's; everything else of git's environment would redirect what is read.
_TRANSPORT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_PROXY_COMMAND", "SSH_ASKPASS")
_KEPT = ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "GIT_PYTHON_REFRESH")


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"release.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="release")
def release() -> None:
    """From an immutable git tag to a verified, recorded commit on the Hugging Face Hub.

    \b
    release prepare v16            build the tag's publishing tree and check it
    release publish v16            show what would change on the Hub
    release publish --confirm      upload, verify, record
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that tells the truth (release.errors)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.excepthook = _bug
    signal.signal(signal.SIGTERM, _as_interrupt)
    sys.exit(run(words, _leave_out_git_environment()))


def run(words: list[str], transport: dict[str, str]) -> int:
    """The exit code of one command line. Raises only what nobody foresaw.

    `transport` are the user's settings for talking to git remotes.
    """
    try:
        code = release.main(words, prog_name="release", standalone_mode=False, obj=transport)
    except ReleaseError as error:
        _fail(words, error)
        return error.exit_code
    except click.UsageError as error:
        _usage(words, error)
        return 2
    except OSError as error:
        # What no adapter foresaw of a disk or a system that does not do what it is asked.
        what = f"the system did not do it: {error.strerror or error} ({error.filename or 'no file named'})"
        _fail(words, Unavailable(what, hint="make room or permission there, then run the same command again"))
        return Unavailable.exit_code
    except (KeyboardInterrupt, click.Abort):
        print("interrupted; nothing was written on the Hub", file=sys.stderr)  # noqa: T201
        return 130
    return code if isinstance(code, int) else 0


def _fail(words: list[str], error: ReleaseError) -> None:
    from release.adapters.actions import annotate, annotate_error
    from release.adapters.terminal import Terminal

    annotate(getattr(error, "findings", ()))
    annotate_error(error.message, error.hint)
    Terminal(_name(words), as_json="--json" in words).failure(error)


def _usage(words: list[str], error: click.UsageError) -> None:
    from release.adapters.terminal import Terminal
    from release.errors import UsageError

    where = error.ctx.command_path if error.ctx else "release"
    shown = UsageError(error.format_message(), hint=f"{where} --help")
    Terminal(_name(words), as_json="--json" in words).failure(shown)


def _name(words: list[str]) -> str:
    return next((word for word in words if word in COMMANDS), "release")


def _leave_out_git_environment() -> dict[str, str]:
    """GIT_DIR and its like make git read another repository than the one we stand in (HUB.md §5).

    GitPython hands our environment down and cannot unset, so they go here. Returns what talking to remotes needs.
    """
    transport = {name: os.environ[name] for name in _TRANSPORT if name in os.environ}
    for name in [name for name in os.environ if name.startswith("GIT_") and name not in _KEPT]:
        del os.environ[name]
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    return transport


def _as_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Anything unforeseen: the whole traceback, without tokens, and where to take it."""
    import traceback

    from release.adapters.redaction import without_secrets

    text = "".join(traceback.format_exception(kind, error, trace))
    print(without_secrets(text) + _REPORT, file=sys.stderr)  # noqa: T201
