"""`handrail connect` and `handrail disconnect`."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.ports.errors import Declined, Failure

if TYPE_CHECKING:
    from handrail.features.clients.client import Client, Edit
    from handrail.features.clients.setup import ClientSetup, ClientState
    from handrail.ports.stores import Stores

EPILOG = """\b
Examples:
  handrail connect                    which clients there are, and which are connected
  handrail connect claude             Claude Code, for every project
  handrail connect cline --project ~/games/mine
  handrail connect codex --dry-run    only show what would be written
  handrail connect claude --move github    its server github asks here, too"""


@click.command(epilog=EPILOG)
@click.argument("name", default="", metavar="[CLIENT]", help="Which client; without one, they are listed.")
@click.option(
    "--project", type=Path, default=Path(), metavar="DIR", help="For clients that can't say which folder is open."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Write it without asking.")
@click.option(
    "--move", "moves", multiple=True, metavar="SERVER", help="Put this other MCP server of the client behind handrail."
)
@state_option
@json_option
def connect(
    name: str, project: Path, dry_run: bool, yes: bool, moves: tuple[str, ...], state: Path | None, as_json: bool
) -> None:
    """Connect an AI client, or list them.

    Shows what will be written to which file, asks, writes it, and then starts handrail as the client will and makes one
    read. Everything else in those files stays as it is. `handrail disconnect` takes it out again.
    """
    from handrail.faces.cli.program import program, run
    from handrail.features.clients.setup import ClientSetup, find

    stores = program().open_stores(state)
    setup = ClientSetup(stores.path)
    if not name:
        _list(setup.states(), as_json=as_json)
        return
    client, folder = find(name), project.resolve()
    edits = setup.edits(client, folder)
    if not as_json:
        _show(client, edits)
    if dry_run:
        if as_json:
            print_json({"client": client.name, "edits": [_as_json(edit) for edit in edits]})
        return
    _refuse_agents(stores, "Connecting a client")
    if not (yes or _agrees()):
        raise Declined("Nothing was written.")
    setup.connect(client, folder)
    trial = run(setup.try_out(client, folder))
    moved = _move(setup, client, stores, folder, moves, may_ask=not (yes or as_json), said=_silent if as_json else say)
    if as_json:
        print_json({"client": client.name, "tools": trial.tools, "project": trial.project, "moved": moved})
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
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.clients.moving import ServerMoves
    from handrail.features.clients.setup import ClientSetup, find

    client, stores = find(name), program().open_stores(state)
    _refuse_agents(stores, "Disconnecting a client")
    moves = ServerMoves(ClientSetup(stores.path), stores, Path.cwd(), caller())
    for each in run(moves.disconnect(client)):
        say(f"Left as it is, because it was changed since: {each}")
    say(f"{client.title} is disconnected. Restart it if it is running.")


def _move(
    setup: "ClientSetup",
    client: "Client",
    stores: "Stores",
    folder: Path,
    names: Sequence[str],
    *,
    may_ask: bool,
    said: Callable[[str], None],
) -> list[str]:
    """Those that were named, or where a person can be asked, those that they choose; each after a look at its tools."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.presence import need_person
    from handrail.faces.cli.program import run
    from handrail.features.clients.moving import ServerMoves

    others = list(setup.other_servers(client))
    if not names and not (may_ask and others and sys.stdin.isatty()):
        return []
    moves, moved = ServerMoves(setup, stores, folder, caller()), list[str]()
    for name in names or others:
        if not names and not _says_yes(f"Put {client.title}'s server {one_line(name)} behind handrail, too?"):
            continue
        try:
            found = run(moves.look(client, name))
        except Failure as failure:
            said(f"{one_line(name)} was not moved: {failure.message}")
            continue
        if may_ask:
            say(found.diff)
        try:
            if may_ask and not _says_yes(f"Accept these {len(found.tools)} tools?"):
                raise Declined(f"Nothing of {name} was accepted.")
            need_person(stores, "Accepting what a server offers")
        except Declined as declined:
            run(moves.refuse(found))
            said(f"{one_line(name)} was not moved: {declined.message}")
            continue
        run(moves.accept(client, found))
        moved.append(name)
        said(f"{one_line(name)} is behind handrail: {len(found.tools)} tools.")
    return moved


def _silent(text: str) -> None:
    """Programs read what was moved in the JSON."""


def _says_yes(question: str) -> bool:
    print(f"{question} [y]es / [n]o: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refuse_agents(stores: "Stores", what: str) -> None:
    """It changes what an agent is asked about: none may do it for itself or for another."""
    from handrail.features.clients.known_clients import AGENT_PROGRAMS

    stores.presence.refuse_agents(what, AGENT_PROGRAMS)


def _list(states: "Sequence[ClientState]", *, as_json: bool) -> None:
    if as_json:
        print_json({"clients": [_state_as_json(each) for each in states]})
        return
    rows = [(each.client.name, each.client.title, _status(each), _coverage(each)) for each in states]
    for line in columns(rows):
        say(line)
    for each in states:
        if each.trouble:
            say(f"\n{each.client.title}: {each.trouble}")
    say("\n`handrail connect NAME` connects one.")


def _status(state: "ClientState") -> str:
    if state.trouble:
        return "can't be read"
    return "connected" if state.has_tools else "found" if state.is_found else "not found"


def _coverage(state: "ClientState") -> str:
    """How far it is covered: what goes through handrail."""
    if not state.has_tools:
        return ""
    return "tools + hooks" if state.hooks == "on" else "tools only: its own shell and file tools don't ask"


def _state_as_json(state: "ClientState") -> dict[str, object]:
    return {
        "name": state.client.name,
        "title": state.client.title,
        "found": state.is_found,
        "connected": state.has_tools,
        "hooks": state.hooks,
        "otherServers": list(state.others),
        "tried": state.client.was_run,
        **({"trouble": state.trouble} if state.trouble else {}),
    }


def _show(client: "Client", edits: "Sequence[Edit]") -> None:
    say(f"For {client.title}, handrail writes:")
    for edit in edits:
        say(f"\n  {one_line(edit.file)}")
        if not edit.keys:
            say("\n".join(f"    {one_line(line)}" for line in edit.value.splitlines()))
            continue
        name = one_line(".".join(edit.keys))
        say(f"    {name} {'+=' if edit.is_item else '='} {json.dumps(edit.value, ensure_ascii=False)}")
    say()


def _as_json(edit: "Edit") -> dict[str, object]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _agrees() -> bool:
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask on.", hint="Look at --dry-run, then repeat with --yes.")
    return _says_yes("Write it?")
