"""`handrail passkeys`: with which a person confirms far-reaching approvals in the console."""

from pathlib import Path

import click

from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = """\b
Examples:
  handrail passkeys                 list passkeys
  handrail passkeys add             get a code for the console's settings
  handrail passkeys remove ID"""

_PATIENCE = 10.0
_CODES = ("/api/session/code", "/api/passkeys/code")
_SHOWN = 12


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def passkeys(ctx: click.Context, state: Path | None) -> None:
    """Manage the passkeys that confirm approvals.

    Approvals that reach far, such as always, need proof that you are present: a passkey in the console, or a
    terminal of your own.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_passkeys, state=state, as_json=False)


@passkeys.command("list")
@state_option
@json_option
@click.pass_context
def list_passkeys(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List passkeys."""
    from handrail.faces.cli.program import program

    found = program().open_stores(state or ctx.obj).presence.passkeys.all()
    if as_json:
        print_json({"passkeys": [{"id": one.id, "name": one.name, "createdAt": one.created_at} for one in found]})
        return
    for line in columns([(one.id[:_SHOWN], one.created_at, one_line(one.name)) for one in found]):
        say(line)
    if not found:
        say("No passkeys yet. Add one with `handrail passkeys add`.")


@passkeys.command("add", epilog="Next: enter the code in the console, under Settings > Access > Passkeys.")
@state_option
@click.pass_context
def add_passkey(ctx: click.Context, state: Path | None) -> None:
    """Get a one-time code that lets the console add a passkey."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.ports.errors import NotFound

    stores = program().open_stores(state or ctx.obj)
    server = stores.running_server()
    if server is None or not server.is_running:
        raise NotFound("handrail isn't running.", hint="Start it with `handrail up`.")
    require_person(stores, "Adding a passkey")
    sign_in, code = (_new_code(server.host, server.port, stores.credentials(), path) for path in _CODES)
    say(f"Code (once, within ten minutes): {code}")
    say(f"Enter it under Passkeys at http://localhost:{server.port}/#code={sign_in}/settings")


@passkeys.command("remove")
@click.argument("id", metavar="ID")
@state_option
@click.pass_context
def remove_passkey(ctx: click.Context, id: str, state: Path | None) -> None:
    """Remove a passkey; the beginning of its id is enough."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.ports.errors import NotFound

    stores = program().open_stores(state or ctx.obj)
    found = [one for one in stores.presence.passkeys.all() if id and one.id.startswith(id)]
    if len(found) != 1:
        raise NotFound(f"No single passkey has the id {id}.", hint="`handrail passkeys` lists them.")
    require_person(stores, "Removing a passkey")
    stores.presence.passkeys.remove(found[0].id)
    say(f"Removed the passkey {one_line(found[0].name)}.")


def _new_code(host: str, port: int, credentials: dict[str, str], path: str) -> str:
    import http.client
    import json

    from handrail.ports.errors import InputOutput

    connection = http.client.HTTPConnection(host.strip("[]"), port, timeout=_PATIENCE)
    try:
        connection.request("POST", path, headers=credentials)
        return str(json.loads(connection.getresponse().read())["data"]["code"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        raise InputOutput(
            f"handrail isn't responding on port {port}.", hint="Stop it and start it again with `handrail up`."
        ) from None
    finally:
        connection.close()
