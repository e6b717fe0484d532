"""`handrail extension`: the extension itself, and the browsers that may connect to the running server."""

import sys
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.faces.cli.values import OneOf
from handrail.ports.errors import InvalidParams

Action = Literal["list", "path", "launch", "pair", "revoke"]

EPILOG = """\b
Examples:
  handrail extension              which browsers are paired, and which are connected
  handrail extension launch       a Chromium of its own with the extension in it, paired, until Ctrl-C
  handrail extension path         the folder to "Load unpacked" in your own Chrome
  handrail extension pair         a code to type into the extension, once and within ten minutes
  handrail extension revoke ID    that browser may no longer connect"""


@click.command(epilog=EPILOG)
@click.argument("action", type=OneOf(*get_args(Action)), default="list", help="What to do.  [default: list]")
@click.argument("client_id", default="", metavar="[ID]", help="Which browser, to revoke.")
@click.option("--browser", metavar="PROGRAM", help="The Chromium to launch, if not the one on the PATH.")
@click.option("--headless", is_flag=True, help="Launch it without a window, as where there is no display.")
@state_option
@json_option
def extension(
    action: Action, client_id: str, browser: str | None, headless: bool, state: Path | None, as_json: bool
) -> None:
    """Pair browsers with the running server."""
    from handrail.wiring import ask_server, extension_folder

    tokens = "/api/extension/tokens"
    if action == "path":
        say(str(extension_folder()))
    elif action == "launch":
        _launch(browser, headless, state)
    elif action == "pair":
        made = ask_server(state, "POST", "/api/extension/pair-code")
        print_json(made) if as_json else say(f"{made['code']}  at  {_address(state)}")
    elif action == "revoke":
        if not client_id:
            raise InvalidParams("Which browser?", hint="`handrail extension` lists them.")
        ask_server(state, "DELETE", f"{tokens}/{quote(client_id, safe='')}")
    else:
        _show(ask_server(state, "GET", tokens), as_json)


def _launch(browser: str | None, headless: bool, state: Path | None) -> None:
    """Until Ctrl-C, or until a person closes the browser."""
    from handrail.faces.cli.running import run
    from handrail.wiring import ask_server, has_display, launch_browser

    code = ask_server(state, "POST", "/api/extension/pair-code")["code"]

    def on_ready() -> None:
        say("A browser of its own runs and is paired with handrail (Ctrl-C ends it).")
        sys.stdout.flush()

    shows_window = has_display() and not headless
    run(launch_browser(state, _address(state), code, on_ready, program=browser, shows_window=shows_window))


def _address(state: Path | None) -> str:
    from handrail.wiring import running_server

    server = running_server(state)
    return "" if server is None else server.url


def _show(paired: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(paired)
        return
    rows = [
        (item["clientId"], item["name"] or "–", "connected" if item["socketConnected"] else "away") for item in paired
    ]
    for line in columns(rows) or ["No browser is paired. `handrail extension pair` makes a code for one."]:
        say(line)
