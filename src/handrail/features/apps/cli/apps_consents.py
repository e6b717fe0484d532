"""`handrail apps consents`: lists what a person always allows, and revokes it."""

from collections.abc import Sequence
from pathlib import Path

import click

from handrail.faces.cli.output import local_time, print_list, say
from handrail.faces.cli.parameters import ListGroup, json_option, state_option

EPILOG = """\b
Examples:
  handrail apps consents
  handrail apps consents revoke 3f2a91c0d4e7
  handrail apps consents revoke --app com.example.mail
  handrail apps consents revoke --all"""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def consents(state: Path | None) -> None:
    """List and revoke what you always allow.

    A consent is for one program and one app, with one tool or all of its tools. It expires when the app changes what
    it declares.
    """


@consents.command("list")
@state_option
@json_option
def list_consents(state: Path | None, as_json: bool) -> None:
    """List consents, newest first."""
    from handrail.faces.cli.program import program, run
    from handrail.features.apps.manager import app_manager

    entries = run(app_manager(program().open_stores(state)).consents())
    rows = [
        (
            one["id"],
            local_time(one["at"]),
            one["caller"],
            one["app"],
            one["tool"] or "all tools",
            one["by"] + ("" if one["valid"] else " (expired: the app has changed)"),
        )
        for one in entries
    ]
    print_list(as_json, {"consents": entries}, rows, "Nothing is always allowed.")


@consents.command("revoke")
@click.argument("ids", nargs=-1, metavar="[ID]…", help="Ids from `handrail apps consents`.")
@click.option("--app", metavar="ID", help="All consents for this app.")
@click.option("--all", "everything", is_flag=True, help="All consents.")
@state_option
def revoke(ids: Sequence[str], app: str | None, everything: bool, state: Path | None) -> None:
    """Revoke some consents, or all. The next call asks again."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.apps.manager import app_manager

    if sum((bool(ids), app is not None, everything)) != 1:
        raise click.UsageError("Give ids, --app or --all.")
    manager = app_manager(program().open_stores(state))
    if not ids:
        ids = [one.id for one in run(manager.stores.consents.all()) if everything or one.app == app]
    for id in ids:
        run(manager.revoke(id, caller()))
    say(f"Revoked: {len(ids)}")
