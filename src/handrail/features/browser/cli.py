"""`handrail extension`: shows the extension's folder, and pairs browsers with the running server."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import quote

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, state_option
from handrail.ports.errors import InvalidParams

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

Action = Literal["list", "path", "launch", "pair", "enroll", "revoke"]

EPILOG = """\b
Examples:
  handrail extension              list paired browsers and which are connected
  handrail extension launch       start a paired Chromium with the extension; Ctrl-C closes it
  handrail extension path         print the folder to "Load unpacked" in your own Chrome
  handrail extension pair         print a code to type into the extension (expires in 10 minutes)
  handrail extension enroll ID    let a browser's window confirm far-reaching approvals
  handrail extension revoke ID    revoke a browser's access"""


@click.command(epilog=EPILOG)
@click.argument("action", type=OneOf(*get_args(Action)), default="list", help="What to do.  [default: list]")
@click.argument("client_id", default="", metavar="[ID]", help="Which browser, to enroll or revoke.")
@click.option("--browser", metavar="PROGRAM", help="The Chromium to launch [from the PATH].")
@click.option("--headless", is_flag=True, help="Launch it without a window, for machines without a display.")
@state_option
@json_option
def extension(
    action: Action, client_id: str, browser: str | None, headless: bool, state: Path | None, as_json: bool
) -> None:
    """Pair browsers with the running server."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.features.browser.launching import ask_server, extension_folder

    stores = program().open_stores(state)
    tokens = "/api/extension/tokens"
    if action == "path":
        say(str(extension_folder()))
    elif action == "launch":
        _launch(browser, headless, stores)
    elif action == "pair":
        created = ask_server(stores, "POST", "/api/extension/pair-code")
        print_json(created) if as_json else say(f"{created['code']}  at  {_address(stores)}")
    elif action == "enroll":
        require_person(stores, "Letting a browser confirm approvals")
        ask_server(stores, "POST", "/api/extension/enrolled", {"clientId": _require_id(client_id)})
        say("Enrolled. Its window can now confirm far-reaching approvals.")
    elif action == "revoke":
        client_id = _require_id(client_id)
        ask_server(stores, "DELETE", f"{tokens}/{quote(client_id, safe='')}")
    else:
        _show(ask_server(stores, "GET", tokens), as_json)


def _launch(browser: str | None, headless: bool, stores: "Stores") -> None:
    """Runs until Ctrl-C, or until a person closes the browser."""
    from handrail.faces.cli.program import program, run
    from handrail.features.browser.launching import ask_server, launch_browser

    code = ask_server(stores, "POST", "/api/extension/launch-code")["code"]

    def on_ready() -> None:
        say("Launched a paired Chromium with handrail (Ctrl-C stops it).")
        sys.stdout.flush()

    shows_window = program().machine.has_display() and not headless
    run(launch_browser(stores.path, _address(stores), code, on_ready, program=browser, shows_window=shows_window))


def _require_id(client_id: str) -> str:
    if not client_id:
        raise InvalidParams("Which browser?", hint="`handrail extension` lists them.")
    return client_id


def _address(stores: "Stores") -> str:
    server = stores.running_server()
    return "" if server is None else server.url


def _show(paired: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(paired)
        return
    rows = [
        (
            item["clientId"],
            item["name"] or "–",
            "connected" if item["socketConnected"] else "away",
            "confirms approvals" if item["isEnrolled"] else "",
        )
        for item in paired
    ]
    for line in columns(rows) or ["No browser is paired. Get a code with `handrail extension pair`."]:
        say(line)
