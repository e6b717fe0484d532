"""The click group of all commands, and the exit status and message of a command that fails or is interrupted."""

import signal
import sys
from collections.abc import Callable
from functools import cached_property
from io import TextIOWrapper
from typing import Any

import click

import handrail
from handrail.faces.cli.main import CommandList
from handrail.faces.cli.output import complain
from handrail.kernel.feature import load
from handrail.kernel.program import Program
from handrail.ports.errors import Failure

_HELP = "The safety rail for AI agents on your machine."
_INTERRUPTED = 128 + signal.SIGINT


class Commands(click.Group):
    """Loads a command when it is asked for."""

    def __init__(self, commands: CommandList, open_program: Callable[[], Program]) -> None:
        super().__init__("handrail", help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
        self._commands = commands
        self._open_program = open_program

    @cached_property
    def program(self) -> Program:
        """Opened when a command first needs it, because it imports most of handrail."""
        return self._open_program()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self._commands.installed_names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (command := self._commands.find(cmd_name)) is None:
            return None
        if (install_hint := self._commands.install_hint(cmd_name)) is not None:
            raise click.UsageError(f"`handrail {cmd_name}` isn't installed. {install_hint}", ctx)
        loaded: click.Command = load(command.where)
        return loaded

    def get_help(self, ctx: click.Context) -> str:
        return self._commands.overview.rstrip("\n")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, RuntimeError) as error:
            # Python wraps a KeyboardInterrupt that comes while it creates a class, for example during an import.
            if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
                raise SystemExit(_INTERRUPTED) from None  # the status that shells expect, without a message
            raise


def group(commands: CommandList, open_program: Callable[[], Program]) -> click.Group:
    version = click.version_option(handrail.__version__, message="%(prog)s %(version)s", help="Print the version.")
    return version(Commands(commands, open_program))


def run_command(commands: CommandList, open_program: Callable[[], Program]) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 gets escapes
    try:
        group(commands, open_program)(prog_name="handrail")
    except Failure as failure:
        complain(failure)
        sys.exit(1)
    except OSError as error:
        print(f"handrail: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(1)
