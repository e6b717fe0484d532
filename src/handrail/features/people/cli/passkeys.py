"""`handrail passkeys`: manages the passkeys that confirm far-reaching approvals in the console."""

from pathlib import Path

import click

from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = """\b
Examples:
  handrail passkeys                 list passkeys
  handrail passkeys add             get a code for the console's settings
  handrail passkeys remove ID"""

_TIMEOUT_SECONDS = 10.0
_CODES = ("/api/session/code", "/api/passkeys/code")
_ID_LENGTH = 12


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def passkeys(ctx: click.Context, state: Path | None) -> None:
    """Manage the passkeys that confirm approvals.

    Far-reaching approvals, such as "always allow", need proof that you are present: a passkey in the console, or
    a terminal that you type in.
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

    keys = program().open_stores(state or ctx.obj).presence.passkeys.all()
    if as_json:
        print_json({"passkeys": [{"id": one.id, "name": one.name, "createdAt": one.created_at} for one in keys]})
        return
    for line in columns([(one.id[:_ID_LENGTH], one.created_at, one_line(one.name)) for one in keys]):
        say(line)
    if not keys:
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
    say(f"One-time code, valid for ten minutes: {code}")
    say(f"Enter it under Passkeys at http://localhost:{server.port}/#code={sign_in}/settings")


@passkeys.command("remove")
@click.argument("id", metavar="ID")
@state_option
@click.pass_context
def remove_passkey(ctx: click.Context, id: str, state: Path | None) -> None:
    """Remove a passkey; the first characters of its id are enough."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.ports.errors import NotFound

    stores = program().open_stores(state or ctx.obj)
    matches = [one for one in stores.presence.passkeys.all() if id and one.id.startswith(id)]
    if len(matches) != 1:
        raise NotFound(
            f"No passkey, or more than one, has an id that starts with {id}.", hint="`handrail passkeys` lists them."
        )
    require_person(stores, "Removing a passkey")
    stores.presence.passkeys.remove(matches[0].id)
    say(f"Removed the passkey {one_line(matches[0].name)}.")


def _new_code(host: str, port: int, credentials: dict[str, str], path: str) -> str:
    import http.client
    import json

    from handrail.ports.errors import InputOutput

    connection = http.client.HTTPConnection(host.strip("[]"), port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("POST", path, headers=credentials)
        return str(json.loads(connection.getresponse().read())["data"]["code"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        raise InputOutput(
            f"handrail isn't responding on port {port}.", hint="Stop it and start it again with `handrail up`."
        ) from None
    finally:
        connection.close()
