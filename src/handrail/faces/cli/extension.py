"""`handrail extension`: the browsers that may connect to the running server."""

from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import click

from handrail.contract.errors import InvalidParams
from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.faces.cli.values import OneOf

EPILOG = """\b
Examples:
  handrail extension              which browsers are paired, and which are connected
  handrail extension pair         a code to type into the extension, once and within ten minutes
  handrail extension revoke ID    that browser may no longer connect"""


@click.command(epilog=EPILOG)
@click.argument("action", type=OneOf("list", "pair", "revoke"), default="list", help="What to do.  [default: list]")
@click.argument("client_id", default="", metavar="[ID]", help="Which browser, to revoke.")
@state_option
@json_option
def extension(action: Literal["list", "pair", "revoke"], client_id: str, state: Path | None, as_json: bool) -> None:
    """Pair browsers with the running server."""
    from handrail.app import ask_server

    tokens = "/api/extension/tokens"
    if action == "pair":
        made = ask_server(state, "POST", "/api/extension/pair-code")
        print_json(made) if as_json else say(made["code"])
    elif action == "revoke":
        if not client_id:
            raise InvalidParams("Which browser?", hint="`handrail extension` lists them.")
        ask_server(state, "DELETE", f"{tokens}/{quote(client_id, safe='')}")
    else:
        _show(ask_server(state, "GET", tokens), as_json)


def _show(paired: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(paired)
        return
    rows = [
        (item["clientId"], item["name"] or "–", "connected" if item["socketConnected"] else "away") for item in paired
    ]
    for line in columns(rows) or ["No browser is paired. `handrail extension pair` makes a code for one."]:
        say(line)
