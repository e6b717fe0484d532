"""The command line. Each command is a file; what is heavy, it imports when it runs."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

import handrail
from handrail.contract.errors import Failure
from handrail.faces.cli import audit, call, doctor, history, mcp, policy, tools, undo, up
from handrail.faces.cli.coercion import Command, Group
from handrail.faces.cli.output import complain

app = typer.Typer(
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`handrail COMMAND --help` explains a command.",
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"handrail {handrail.__version__}")
        raise typer.Exit


@app.callback()
def handrail_itself(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hands for AI agents, with a rail for people.

    Agents edit your project through handrail; you see, allow, deny and undo what they do.
    """


for _module, _function in (
    (up, up.up),
    (mcp, mcp.mcp),
    (tools, tools.tools),
    (call, call.call),
    (undo, undo.undo),
    (history, history.history),
    (audit, audit.audit),
    (policy, policy.policy),
    (doctor, doctor.doctor),
):
    app.command(cls=Command, epilog=getattr(_module, "EPILOG", None))(_function)


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
