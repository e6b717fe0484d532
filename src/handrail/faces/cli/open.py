"""`handrail open`: opens the console of the running server."""

import sys
from pathlib import Path

import click

from handrail.faces.cli.output import say
from handrail.faces.cli.parameters import state_option
from handrail.ports.errors import Conflict, InputOutput, NotFound

EPILOG = """\b
Examples:
  handrail open
  handrail open --print      on a machine without a display"""

_PATIENCE = 10.0
_REFUSED = (401, 403)


@click.command("open", epilog=EPILOG)
@state_option
@click.option("--print", "only_print", is_flag=True, help="Print the address instead of opening a browser.")
def open_console(state: Path | None, only_print: bool) -> None:
    """Open the console in a browser.

    The address contains a one-time code for one browser, which expires in ten minutes. Without a display it is
    printed instead of opened.
    """
    from handrail.faces.cli.program import program

    stores, machine = program().open_stores(state), program().machine
    server = stores.running_server()
    if server is None or not server.is_running:
        raise NotFound("handrail isn't running.", hint="Start it with `handrail up`.")
    address = f"{server.url}/#code={_new_code(server.host, server.port, stores.credentials())}"
    if only_print or not machine.has_display():
        say(address)
        return
    import webbrowser

    if not webbrowser.open(address):
        print("handrail: can't open a browser; open this address yourself:", file=sys.stderr)
        say(address)


def _new_code(host: str, port: int, credentials: dict[str, str]) -> str:
    import http.client
    import json

    connection = http.client.HTTPConnection(host.strip("[]"), port, timeout=_PATIENCE)
    try:
        connection.request("POST", "/api/session/code", headers=credentials)
        answer = connection.getresponse()
        body = json.loads(answer.read())
        if answer.status in _REFUSED:
            raise Conflict(
                "The running server doesn't accept the token and key in the state directory.",
                hint="Restart it with `handrail up`.",
            )
        return str(body["data"]["code"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        raise InputOutput(
            f"handrail isn't responding on port {port}.",
            hint="If the server was killed, start it with `handrail up`.",
        ) from None
    finally:
        connection.close()
