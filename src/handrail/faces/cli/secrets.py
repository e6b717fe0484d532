"""`handrail secrets`: lists stored keys and tokens and where each is stored, never their values."""

from collections.abc import Sequence
from pathlib import Path

import click

from handrail.faces.cli.output import print_list, say
from handrail.faces.cli.parameters import ListGroup, json_option, state_option
from handrail.ports.errors import NotFound

EPILOG = """\b
Examples:
  handrail secrets                                     list names and where each is stored
  handrail secrets forget app:com.example.mail:tokens
  handrail secrets forget --all"""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def secrets(state: Path | None) -> None:
    """List and remove stored keys and tokens.

    They are stored in your session's keyring or, if there is none or it is locked, in a file that
    only you can read. The values are never shown.
    """


@secrets.command("list")
@state_option
@json_option
def list_secrets(state: Path | None, as_json: bool) -> None:
    """List their names and where each is stored."""
    from handrail.faces.cli.program import program, run

    entries = run(program().open_stores(state).secrets.kept())
    rows = [(entry.name, entry.place, entry.at) for entry in entries]
    value = {"secrets": [{"name": entry.name, "place": entry.place, "at": entry.at} for entry in entries]}
    print_list(as_json, value, rows, "No keys or tokens are stored.")


@secrets.command("forget")
@click.argument("names", nargs=-1, metavar="[NAME]…", help="Names from `handrail secrets`.")
@click.option("--all", "everything", is_flag=True, help="Remove all of them.")
@state_option
def forget_secrets(names: Sequence[str], everything: bool, state: Path | None) -> None:
    """Remove keys and tokens by name, or all of them."""
    from handrail.faces.cli.program import program, run

    if bool(names) == everything:
        raise click.UsageError("Give the names to remove, or --all.")
    store = program().open_stores(state).secrets
    for name in [entry.name for entry in run(store.kept())] if everything else names:
        if not run(store.forget(name)):
            raise NotFound(f"There is no secret {name!r}.", hint="`handrail secrets` lists them.")
        say(f"Removed: {name}")
