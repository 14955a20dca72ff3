"""What the README promises is what the code does."""

import re
from pathlib import Path

import click
from click.testing import CliRunner

from release import cli, errors

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_help_in_the_readme_is_the_help_of_the_command() -> None:
    shown = CliRunner().invoke(cli.release, ["--help"], prog_name="release").output
    assert shown in README


def test_the_exit_table_in_the_readme_is_that_of_the_errors() -> None:
    """Same codes; and "no" stands exactly where the error tree says that nothing was written."""
    table = dict(re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", README, re.MULTILINE))
    codes = {kind.exit_code for kind in errors.ReleaseError.__subclasses__() if kind.__module__ == "release.errors"}
    assert {int(code) for code in table} == codes | {0, 1, 130}
    nothing_written = set(re.findall(r"── \w+\s+(\d) .*nothing written", errors.__doc__ or ""))
    assert {code for code, written in table.items() if written == "no"} == nothing_written | {"130"}


def test_every_command_is_explained() -> None:
    context = click.Context(cli.release)
    for name in cli.release.list_commands(context):
        command = cli.release.get_command(context, name)
        assert command is not None
        assert command.help
        assert cli.COMMANDS[name]


def test_every_command_has_json() -> None:
    context = click.Context(cli.release)
    commands = [cli.release.get_command(context, name) for name in cli.release.list_commands(context)]
    leaves = [leaf for one in commands for leaf in (one.commands.values() if isinstance(one, click.Group) else [one])]
    without = [one.name for one in leaves if one and not any("--json" in option.opts for option in one.params)]
    assert without == []


def test_every_configuration_key_is_in_the_table() -> None:
    from release.config import KEYS

    table = README[README.index("| key | meaning") : README.index("A template `NAME`")]
    named = set(re.findall(r"^\| `(?:\[\[)?([a-z-]+)", table, re.MULTILINE))
    assert named == KEYS


def test_every_check_is_in_the_table() -> None:
    import release.checks

    table = README[README.index("| check | what") : README.index("## The embedded Hub")]
    named = re.findall(r"^\| (\w+) \|", table, re.MULTILINE)
    assert set(named) - {"check"} == set(re.findall(r"^(\w+)  ", release.checks.__doc__ or "", re.MULTILINE))


def test_the_readme_names_the_commands_of_the_makefile() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = set(re.findall(r"make (\w+)", README))
    assert named <= set(targets)
    assert "make test" in (ROOT / ".ci/run").read_text()
