"""The commands as click's group, and how it ends: interrupted, refused, or by an error of the system."""

import signal
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

import handrail
from handrail.extras import how_to_install, is_installed
from handrail.faces.cli.main import COMMANDS, EXTRA_OF, listed, overview
from handrail.faces.cli.output import complain
from handrail.ports.errors import Failure

_INTERRUPTED = 128 + signal.SIGINT


class Commands(click.Group):
    """Loads a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return listed()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        extra = EXTRA_OF.get(cmd_name, "")
        if not is_installed(extra):
            raise click.UsageError(f"`handrail {cmd_name}` isn't installed. {how_to_install(extra)}", ctx)
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"handrail.faces.cli.{module}"), name)
        return command

    def get_help(self, ctx: click.Context) -> str:
        return overview().rstrip("\n")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(_INTERRUPTED) from None  # as shells expect it, and without a word


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(handrail.__version__, message="%(prog)s %(version)s", help="Print the version.")
def app() -> None:
    """Hands for AI agents, with a rail for people."""


def run() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no UTF-8 gets escapes
    try:
        app(prog_name="handrail")
    except Failure as failure:
        complain(failure)
        sys.exit(1)
    except OSError as error:
        print(f"handrail: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(1)
