"""The command line. Each command is a file; what is heavy, it imports when it runs."""

import signal
import sys
from io import TextIOWrapper
from typing import Any

import click

import handrail
from handrail.contract.errors import Failure
from handrail.faces.cli.apps import apps
from handrail.faces.cli.audit import audit
from handrail.faces.cli.call import call
from handrail.faces.cli.desktop import desktop
from handrail.faces.cli.desktop_host import desktop_host
from handrail.faces.cli.doctor import doctor
from handrail.faces.cli.extension import extension
from handrail.faces.cli.history import history
from handrail.faces.cli.mcp import mcp
from handrail.faces.cli.model import model
from handrail.faces.cli.open import open_console
from handrail.faces.cli.output import complain
from handrail.faces.cli.policy import policy
from handrail.faces.cli.prompts import prompts
from handrail.faces.cli.report import report
from handrail.faces.cli.secrets import secrets
from handrail.faces.cli.tools import tools
from handrail.faces.cli.undo import undo
from handrail.faces.cli.up import up
from handrail.faces.cli.webgal import webgal

_INTERRUPTED = 128 + signal.SIGINT


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer meets them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(_INTERRUPTED) from None  # as shells expect it, and without a word


@click.group(
    cls=Commands,
    commands=[
        up,
        open_console,
        extension,
        desktop,
        desktop_host,
        apps,
        model,
        mcp,
        tools,
        call,
        prompts,
        undo,
        history,
        audit,
        report,
        policy,
        secrets,
        webgal,
        doctor,
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`handrail COMMAND --help` explains a command.",
)
@click.version_option(handrail.__version__, message="%(prog)s %(version)s", help="Print the version.")
def app() -> None:
    """Hands for AI agents, with a rail for people.

    Agents edit your project through handrail; you see, allow, deny and undo what they do.
    """


def main() -> None:
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
