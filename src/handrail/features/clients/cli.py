"""`handrail connect` and `handrail disconnect`."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import behind_gutter, columns, one_line, print_json, say, width_of
from handrail.faces.cli.parameters import json_option, state_option
from handrail.ports.errors import Declined, Failure, NotFound

if TYPE_CHECKING:
    from handrail.features.clients.client import Client, Edit
    from handrail.features.clients.connection_check import ConnectionTest
    from handrail.features.clients.setup import ClientSetup, ClientState
    from handrail.features.gateway.offers import MovedServer
    from handrail.ports.stores import Stores

EPILOG = """\b
Examples:
  handrail connect                    list clients, with what is connected
  handrail connect claude             Claude Code, for every project
  handrail connect cline --project ~/games/mine
  handrail connect codex --dry-run    show what would be written
  handrail connect claude --move github    also put its server github behind handrail"""


@click.command(epilog=EPILOG)
@click.argument("name", default="", metavar="[CLIENT]", help="Client to connect; without one, lists all.")
@click.option(
    "--project", type=Path, default=Path(), metavar="DIR", help="Project folder, for clients that don't pass it."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, without writing it.")
@click.option("--yes", is_flag=True, help="Don't ask before writing.")
@click.option(
    "--move", "moves", multiple=True, metavar="SERVER", help="Put another MCP server of the client behind handrail."
)
@state_option
@json_option
def connect(
    name: str, project: Path, dry_run: bool, yes: bool, moves: Sequence[str], state: Path | None, as_json: bool
) -> None:
    """Connect an AI client, or list them.

    Shows what will be written to which file, asks, writes it, and then starts handrail as the client will and makes one
    read. Everything else in those files stays as it is. `handrail disconnect` removes it again.
    """
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.clients.server_move import ServerMover
    from handrail.features.clients.setup import ClientSetup, find_client

    stores = program().open_stores(state)
    setup = ClientSetup.of(stores)
    if not name:
        servers, states = ServerMover(setup, stores, Path.cwd(), caller()), setup.states()
        places = {each.client.name: run(servers.places(each.client)) if each.moved else {} for each in states}
        _list(states, places, as_json=as_json)
        return
    client, folder = find_client(name), project.resolve()
    edits, moves = setup.edits(client, folder), _servers_to_move(setup, client, moves)
    if not as_json:
        _show(client, edits)
    if dry_run:
        if as_json:
            print_json({"client": client.name, "edits": [_as_json(edit) for edit in edits]})
        return
    _refuse_agents(stores, "Connecting a client")
    if not (yes or _confirm_writing()):
        raise Declined("Nothing was written.")
    setup.connect(client, folder)
    test = run(setup.check_connection(client, folder))
    moved_names = _move(
        setup, client, stores, folder, moves, may_ask=not (yes or as_json), report=_ignore if as_json else say
    )
    if as_json:
        after = {
            "tools": test.tools,
            "project": test.project,
            "hooks": setup.state_of(client).hooks,
            "moved": moved_names,
        }
        print_json({"client": client.name, **after})
    else:
        for line in _next_steps(client, test, setup.state_of(client), is_running=_is_running(stores)):
            say(line)
    if remaining := [one_line(each) for each in moves if each not in moved_names]:
        raise Declined(f"{client.title} is connected, but still starts {', '.join(remaining)} itself.")


def _is_running(stores: "Stores") -> bool:
    server = stores.running_server()
    return server is not None and server.is_running


def _next_steps(client: "Client", test: "ConnectionTest", state: "ClientState", *, is_running: bool) -> Iterator[str]:
    """Tells the person what works now, and what to do next."""
    yield f"{client.title} is connected: {test.tools} tools. A test read in {test.project} worked."
    if test.runs_hooks is False:
        yield f"Its hooks don't run yet: {UNTRUSTED}"
    elif state.hooks == "on":
        yield "Its own shell and file tools ask here, too."
    if client.note:
        yield client.note
    yield f"\nRestart {client.title} if it is running."
    if is_running:
        yield "Approvals appear in the console (`handrail open`) and in `handrail prompts`."
    else:
        yield "Start handrail with `handrail up`: approvals appear in its console, and hooks answer at once."
    yield f"Undo this with `handrail disconnect {client.name}`."


DISCONNECT_EPILOG = """\b
Example:
  handrail disconnect claude"""


@click.command(epilog=DISCONNECT_EPILOG)
@click.argument("name", metavar="CLIENT", help="Client to disconnect.")
@state_option
def disconnect(name: str, state: Path | None) -> None:
    """Undo `handrail connect`.

    Removes what `handrail connect` wrote. Anything changed since stays, and is listed.
    """
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.clients.server_move import ServerMover
    from handrail.features.clients.setup import ClientSetup, find_client

    client, stores = find_client(name), program().open_stores(state)
    _refuse_agents(stores, "Disconnecting a client")
    setup = ClientSetup.of(stores)
    moved = setup.moved_servers(client)
    for each in run(ServerMover(setup, stores, Path.cwd(), caller()).disconnect(client)):
        say(f"Not removed, because it was changed in the meantime: {each}")
    others = setup.other_servers(client)
    for name in map(one_line, moved):
        if name in others:
            say(f"{client.title} starts its server {name} itself again: nothing asks here about its tools.")
        else:
            say(f"Its server {name} couldn't be put back, because its entry is no longer kept. Add it there yourself.")
    say(f"{client.title} is disconnected. Restart it if it is running.")


def _servers_to_move(setup: "ClientSetup", client: "Client", names: Sequence[str]) -> list[str]:
    """Those that aren't behind handrail yet. NotFound before anything is written."""
    servers, moved = setup.other_servers(client), setup.moved_servers(client)
    for name in names:
        if name not in servers and name not in moved:
            raise NotFound(f"{client.title} has no server {name!r}.", hint=f"It has: {', '.join(servers) or 'none'}.")
    return [name for name in dict.fromkeys(names) if name in servers]


def _move(
    setup: "ClientSetup",
    client: "Client",
    stores: "Stores",
    folder: Path,
    names: Sequence[str],
    *,
    may_ask: bool,
    report: Callable[[str], None],
) -> list[str]:
    """Moves the named servers, or those that a person chooses if one can be asked, each after checking its tools."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import run
    from handrail.features.clients.server_move import ServerMover

    others = list(setup.other_servers(client))
    if not names and not (may_ask and others and sys.stdin.isatty()):
        return []
    moves, moved = ServerMover(setup, stores, folder, caller()), list[str]()
    for name in names or others:
        if not names and not _confirm(f"Put {client.title}'s server {one_line(name)} behind handrail, too?"):
            continue
        try:
            offer = run(moves.look(client, name, _open_sign_in(name)))
        except Failure as failure:
            report(f"{one_line(name)} was not moved: {failure.message}")
            continue
        if may_ask:
            _show_offer(name, offer)
        try:
            if may_ask and not _confirm(f"Accept what {one_line(name)} offers?"):
                raise Declined(f"Nothing from {name} was accepted.")
            require_person(stores, "Accepting what a server offers")
        except Declined as declined:
            run(moves.refuse(offer))
            report(f"{one_line(name)} was not moved: {declined.message}")
            continue
        location = run(moves.accept(client, name, offer))
        moved.append(name)
        report(f"{one_line(name)} is behind handrail: {len(offer.tools)} tools. Its entry is kept {_PLACES[location]}.")
    return moved


def _show_offer(name: str, offer: "MovedServer") -> None:
    """Everything in the server's own words, then once more what would run without asking, next to the question."""
    say(f"{one_line(name)} ({one_line(offer.place)}) offers, in its own words:\n")
    for line in behind_gutter(offer.diff, width_of(sys.stdout)):
        say(line)
    say()
    rows = [(f"  {key}", "without asking" if key in offer.without_asking else "asks") for key in offer.accepted]
    for line in columns(rows):
        say(line)
    say()


def _open_sign_in(name: str) -> Callable[[str], None]:
    from handrail.faces.cli.program import program

    def open_page(address: str) -> None:
        machine = program().machine
        if machine.has_display():
            machine.open_in_browser(address)
        print(f"Sign in to {one_line(name)} at:\n{one_line(address)}", file=sys.stderr, flush=True)

    return open_page


def _ignore(text: str) -> None:
    """With JSON output, the moved servers are in the result."""


def _confirm(question: str) -> bool:
    print(f"{question} [y]es / [n]o: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refuse_agents(stores: "Stores", what: str) -> None:
    """This changes which calls need approval: no agent may do it for itself or for another one."""
    from handrail.features.clients.known_clients import AGENT_PROGRAMS

    stores.presence.refuse_agents(what, AGENT_PROGRAMS)


def _list(states: "Sequence[ClientState]", places: Mapping[str, Mapping[str, str]], *, as_json: bool) -> None:
    if as_json:
        print_json({"clients": [_state_as_json(each, places[each.client.name]) for each in states]})
        return
    relevant = [each for each in states if each.is_installed or each.has_tools or each.trouble]
    rows = [(each.client.name, each.client.title, *_coverage(each)) for each in relevant]
    for line in columns([("NAME", "CLIENT", "TOOLS", "HOOKS", "CAGE"), *rows] if rows else []):
        say(line)
    if missing := [each.client.name for each in states if each not in relevant]:
        say(f"{'Not found here' if relevant else 'No AI client found here. handrail knows'}: {', '.join(missing)}")
    for each in relevant:
        for line in _remarks(each, places[each.client.name]):
            say(line)
    say(_LEGEND)


_LEGEND = """
Tools: it can use handrail's tools. Hooks: its own shell and file tools ask here.
Cage: `handrail run -- NAME` confines everything it does, if you start it that way.
Connect one with `handrail connect NAME`."""
_CAGE = {"full": "full", "narrow": "narrow", "none": "not on this machine", "unsupported": "-"}
_HOOKS = {"on": "yes", "untrusted": "not trusted yet", "off": "no", "unsupported": "-"}
_PLACES = {"keyring": "in the keyring", "file": "in a file that only you can read, because there is no keyring"}


def _coverage(state: "ClientState") -> tuple[str, str, str]:
    """How far the client is covered: what goes through handrail."""
    if state.trouble:
        return "can't be read", "", ""
    return "yes" if state.has_tools else "no", _HOOKS[state.hooks], _CAGE[state.cage]


def _remarks(state: "ClientState", places: Mapping[str, str]) -> Iterator[str]:
    title = state.client.title
    if state.trouble:
        yield f"\n{title}: {state.trouble}"
    if state.hooks == "untrusted":
        again = f"Or run `handrail connect {state.client.name}` again."
        yield f"\n{title} skips hooks that it doesn't trust: {UNTRUSTED} {again}"
    if state.has_tools and state.hooks == "off":
        yield f"\n{title}: its hooks are missing. Run `handrail connect {state.client.name}` again."
    if state.has_tools and state.others:
        names = ", ".join(map(one_line, state.others))
        move = f"handrail connect {state.client.name} --move {one_line(state.others[0])}"
        yield f"\n{title} also uses {names}, which handrail doesn't see. Move one: `{move}`"
    for name, place in places.items():
        yield f"\n{title}'s server {one_line(name)} is behind handrail. Its entry is kept {_PLACES[place]}."


UNTRUSTED = "run `codex`, open `/hooks` and trust both."


def _state_as_json(state: "ClientState", places: Mapping[str, str]) -> dict[str, object]:
    return {
        "name": state.client.name,
        "title": state.client.title,
        "found": state.is_installed,
        "connected": state.has_tools,
        "hooks": state.hooks,
        "cage": state.cage,
        "otherServers": list(state.others),
        "moved": [{"name": name, "keptIn": place} for name, place in places.items()],
        "tried": state.client.is_tested,
        **({"trouble": state.trouble} if state.trouble else {}),
    }


def _show(client: "Client", edits: "Sequence[Edit]") -> None:
    say(f"handrail will write this for {client.title}:")
    for file in dict.fromkeys(edit.file for edit in edits):
        say(f"\n  {one_line(file)}")
        for edit in edits:
            if edit.file == file:
                say("\n".join(f"    {one_line(line)}" for line in _lines(edit)))
    say()


def _lines(edit: "Edit") -> list[str]:
    if not edit.keys:
        return str(edit.value).splitlines()
    value = json.dumps(edit.value, ensure_ascii=False, indent=2)
    return f"{'.'.join(edit.keys)} {'+=' if edit.is_item else '='} {value}".split("\n")


def _as_json(edit: "Edit") -> dict[str, object]:
    return {"file": str(edit.file), "keys": list(edit.keys), "value": edit.value, "isItem": edit.is_item}


def _confirm_writing() -> bool:
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask in.", hint="Check with --dry-run, then repeat with --yes.")
    return _confirm("Write it?")
