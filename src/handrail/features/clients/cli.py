"""`handrail connect` and `handrail disconnect`."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.ports.errors import Declined, InvalidParams, NotFound

if TYPE_CHECKING:
    from handrail.features.clients.client import Client, Edit, Home
    from handrail.features.clients.connection import Connections

EPILOG = """\b
Examples:
  handrail connect                    which clients there are, and which are connected
  handrail connect claude             Claude Code, for every project
  handrail connect cline --project ~/games/mine
  handrail connect codex --dry-run    only show what would be written"""


@click.command(epilog=EPILOG)
@click.argument("name", default="", metavar="[CLIENT]", help="Which client; without one, they are listed.")
@click.option(
    "--project", type=Path, default=Path(), metavar="DIR", help="For clients that can't say which folder is open."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Write it without asking.")
@state_option
@json_option
def connect(name: str, project: Path, dry_run: bool, yes: bool, state: Path | None, as_json: bool) -> None:
    """Connect an AI client, or list them.

    Shows what will be written to which file, asks, writes it, and then starts handrail as the client will and makes one
    read. Everything else in those files stays as it is. `handrail disconnect` takes it out again.
    """
    import asyncio

    from handrail.faces.cli.program import program
    from handrail.features.clients.client import Home, Launch
    from handrail.features.clients.connection import Connections
    from handrail.features.clients.known_clients import CLIENTS
    from handrail.features.clients.trial import try_connection

    home, where = Home.of_user(), program().open_stores(state).path
    connections = Connections(where)
    if not name:
        _list(CLIENTS, home, connections, as_json=as_json)
        return
    client = _find(CLIENTS, name)
    folder = project.resolve()
    if not folder.is_dir():
        raise InvalidParams(f"There is no folder {folder}.", hint="Name the project's folder with --project.")
    launch = Launch(_program(), where, client.project(folder))
    edits = client.edits(home, launch)
    if not as_json:
        _show(client, edits)
    if dry_run:
        if as_json:
            print_json({"client": client.name, "edits": [_as_json(edit) for edit in edits]})
        return
    if not (yes or _agrees()):
        raise Declined("Nothing was written.")
    connections.connect(client, edits)
    trial = asyncio.run(try_connection(client, home, launch, folder))
    if as_json:
        print_json({"client": client.name, "tools": trial.tools, "project": trial.project})
        return
    say(f"{client.title} is connected: {trial.tools} tools, tried by a read in {trial.project}.")
    if client.note:
        say(client.note)
    say(f"Restart {client.title} if it is running. `handrail disconnect {client.name}` undoes this.")


DISCONNECT_EPILOG = """\b
Example:
  handrail disconnect claude"""


@click.command(epilog=DISCONNECT_EPILOG)
@click.argument("name", metavar="CLIENT", help="Which client.")
@state_option
def disconnect(name: str, state: Path | None) -> None:
    """Undo `handrail connect`.

    Takes out what `handrail connect` wrote. What somebody changed since stays, and is named.
    """
    from handrail.faces.cli.program import program
    from handrail.features.clients.connection import Connections
    from handrail.features.clients.known_clients import CLIENTS

    client = _find(CLIENTS, name)
    left = Connections(program().open_stores(state).path).disconnect(client)
    for each in left:
        say(f"Left as it is, because it was changed since: {each}")
    say(f"{client.title} is disconnected. Restart it if it is running.")


def _find(clients: "Sequence[Client]", name: str) -> "Client":
    for client in clients:
        if client.name == name:
            return client
    known = ", ".join(client.name for client in clients)
    raise NotFound(
        f"handrail doesn't know the client {name!r}.",
        hint=f"It knows {known}. For any other: let it start `handrail mcp --project DIR`.",
    )


def _list(clients: "Sequence[Client]", home: "Home", connections: "Connections", *, as_json: bool) -> None:
    rows = [(client, client.is_found(home), connections.is_connected(client)) for client in clients]
    if as_json:
        fields = ("name", "title", "found", "connected", "tried")
        values = [(each.name, each.title, found, connected, each.was_run) for each, found, connected in rows]
        print_json({"clients": [dict(zip(fields, value, strict=True)) for value in values]})
        return
    words = [
        (each.name, each.title, "connected" if connected else "found" if found else "not found")
        for each, found, connected in rows
    ]
    for line in columns(words):
        say(line)
    say("\n`handrail connect NAME` connects one.")


def _show(client: "Client", edits: "Sequence[Edit]") -> None:
    say(f"For {client.title}, handrail writes:")
    for edit in edits:
        say(f"\n  {one_line(edit.file)}")
        name = one_line(".".join(edit.keys))
        say(f"    {name} {'+=' if edit.is_item else '='} {json.dumps(edit.value, ensure_ascii=False)}")
    say()


def _as_json(edit: "Edit") -> dict[str, object]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _agrees() -> bool:
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask on.", hint="Look at --dry-run, then repeat with --yes.")
    print("Write it? [y]es / [n]o: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _program() -> str:
    """This very program, by a path that does not depend on the client's PATH."""
    beside = Path(sys.executable).with_name("handrail")
    return str(beside) if beside.exists() else shutil.which("handrail") or "handrail"
