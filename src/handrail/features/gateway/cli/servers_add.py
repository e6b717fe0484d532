"""`handrail servers add`, `import`, `accept` and `login`: a person puts a server behind the gate."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import behind_gutter, columns, one_line, say, width_of
from handrail.faces.cli.parameters import WholeNumber, state_option
from handrail.ports.errors import AuthRequired, Conflict, Declined, Failure, InvalidParams, NotFound, Offline

if TYPE_CHECKING:
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.review import Difference
    from handrail.features.gateway.servers import Servers
    from handrail.ports.identity import Caller
    from handrail.ports.secrets import Secret

_LONGEST_SECRET = 64 * 1024
_yes_option = click.option("--yes", is_flag=True, help="Accept what it offers without asking.")
_ask_always_option = click.option(
    "--ask-always", is_flag=True, help="Ask about every call, also of tools marked read-only."
)


ADD_EPILOG = """\b
Examples:
  handrail servers add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  handrail servers add github --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github
  handrail servers add linear --url https://mcp.linear.app/mcp"""

IMPORT_EPILOG = """\b
Examples:
  handrail servers import ~/.cursor/mcp.json           all of its servers
  handrail servers import ~/.cursor/mcp.json github    only this one"""

ACCEPT_EPILOG = """\b
Examples:
  handrail servers accept github                  everything that it offers
  handrail servers accept github list_issues      only this tool"""


@click.command(epilog=ADD_EPILOG)
@click.argument("name", help="What to call it.")
@click.argument("command", nargs=-1, metavar="[-- COMMAND…]", help="How to start it.")
@click.option("--url", metavar="URL", help="Its address, in place of a command.")
@click.option("--env", "keys", multiple=True, metavar="KEY", help="A secret variable; prompts for its value.")
@click.option("--set", "values", multiple=True, metavar="KEY=VALUE", help="A variable that isn't a secret.")
@click.option("--header", "headers", multiple=True, metavar="NAME", help="A secret header; prompts for its value.")
@click.option("--no-browser", is_flag=True, help="Print the sign-in address instead of opening a browser.")
@_yes_option
@_ask_always_option
@state_option
@click.pass_context
def add(
    ctx: click.Context,
    name: str,
    command: tuple[str, ...],
    url: str | None,
    keys: tuple[str, ...],
    values: tuple[str, ...],
    headers: tuple[str, ...],
    no_browser: bool,
    yes: bool,
    ask_always: bool,
    state: Path | None,
) -> None:
    """Add a server.

    Starts it, shows what it offers and asks you to accept it. Keys are kept in your keyring or, without
    one, in a file that only you can read. Without a terminal, they are read from stdin, one per line.
    """
    from handrail.faces.cli.person import caller
    from handrail.features.gateway.model import Server, validate_server
    from handrail.ports.secrets import Secret

    pairs = [value.partition("=") for value in values]
    if any(not separator for _, separator, _ in pairs):
        raise InvalidParams("--set takes KEY=VALUE.", hint="For a secret, use --env KEY, which prompts for its value.")
    server = validate_server(
        Server(
            name=name,
            command=command,
            url=url,
            env={key: value for key, _, value in pairs},
            secret_env=keys,
            secret_headers=headers,
        )
    )
    secrets = {each: Secret(prompt_secret(f"{one_line(each)} for {name}")) for each in (*keys, *headers)}
    servers = load_servers(state or ctx.obj)
    _add_and_accept(servers, server, secrets, caller(), yes, ask_always, has_browser=not no_browser)


@click.command("import", epilog=IMPORT_EPILOG)
@click.argument("file", type=Path, metavar="FILE", help="A client's configuration, JSON or TOML.")
@click.argument("names", nargs=-1, metavar="[NAME…]", help="Which of its servers; all if left out.")
@_yes_option
@_ask_always_option
@state_option
@click.pass_context
def import_servers(
    ctx: click.Context,
    file: Path,
    names: tuple[str, ...],
    yes: bool,
    ask_always: bool,
    state: Path | None,
) -> None:
    """Add the servers from a client's configuration.

    Reads the file and changes nothing in it: remove the entries there yourself, or let `handrail connect` do both.
    """
    from handrail.faces.cli.person import caller
    from handrail.features.gateway.client_files import read_server_entries
    from handrail.features.gateway.servers import server_from_entry
    from handrail.ports.secrets import Secret

    entries = read_server_entries(file)
    for name in names:
        if name not in entries:
            raise NotFound(f"{file} has no server {name!r}.", hint=f"It has: {', '.join(entries)}.")
    servers = load_servers(state or ctx.obj)
    failed = 0
    for name in names or entries:
        try:
            server, values = server_from_entry(name, entries[name], str(file))
            keys = {key: Secret(value) for key, value in values.items()}
            _add_and_accept(servers, server, keys, caller(), yes, ask_always, has_browser=True)
        except (Conflict, InvalidParams, Declined) as failure:
            failed += 1
            say(f"{one_line(name)} was not added: {failure.message}")
    if failed == len(names or entries):
        raise Declined("No server was added.")


@click.command(epilog=ACCEPT_EPILOG)
@click.argument("name", help="The server.")
@click.argument("tools", nargs=-1, metavar="[TOOL…]", help="Only these; everything if left out.")
@_yes_option
@_ask_always_option
@state_option
@click.pass_context
def accept(
    ctx: click.Context,
    name: str,
    tools: tuple[str, ...],
    yes: bool,
    ask_always: bool,
    state: Path | None,
) -> None:
    """Review what a server offers or has changed, and accept it."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import run

    servers = load_servers(state or ctx.obj)
    difference = run(servers.inspect(name))
    if ask_always and difference.is_empty:
        run(servers.ask_always(name, set(tools), caller()))
        say(f"From now on, every call of {name} asks.")
        return
    if tools:
        for tool in tools:
            if tool not in difference.unaccepted:
                raise NotFound(f"There is nothing to accept about {tool!r}.", hint=_unaccepted_hint(difference))
        difference = difference.only(set(tools))
    if difference.is_empty and not difference.gone:
        say(f"{name} offers what you have accepted.")
        return
    _accept(servers, difference, caller(), yes=yes, trusts_hints=not ask_always)


@click.command()
@click.argument("name", help="The server.")
@click.option("--client-id", metavar="ID", help="The OAuth client to sign in with, if the server can't register one.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@click.option(
    "--timeout", type=WholeNumber(min=1), default=300, show_default=True, metavar="S", help="How long to wait for you."
)
@state_option
@click.pass_context
def login(
    ctx: click.Context, name: str, client_id: str | None, no_browser: bool, timeout: int, state: Path | None
) -> None:
    """Sign in to a server, or enter its keys again."""
    from handrail.faces.cli.program import run
    from handrail.ports.secrets import Secret

    servers = load_servers(state or ctx.obj)
    server = servers.file.find(name).server
    names = (*server.secret_env, *server.secret_headers)
    if server.url is None or names:
        if not names:
            say(f"{name} needs no key.")
            return
        run(servers.store_keys(server, {each: Secret(prompt_secret(f"{one_line(each)} for {name}")) for each in names}))
        say("Saved.")
        return
    _sign_in(servers, server, client_id, has_browser=not no_browser, timeout_seconds=timeout)


def _add_and_accept(
    servers: "Servers",
    server: "Server",
    keys: "dict[str, Secret]",
    by: "Caller",
    yes: bool,
    ask_always: bool,
    *,
    has_browser: bool,
) -> None:
    """Removes the server again if it can't be accepted."""
    from handrail.faces.cli.program import run

    run(servers.add(server, keys, by))
    try:
        try:
            difference = run(servers.inspect(server.name))
        except AuthRequired:
            if server.url is None:
                raise
            _sign_in(servers, server, None, has_browser=has_browser, timeout_seconds=300)
            difference = run(servers.inspect(server.name))
        _accept(servers, difference, by, yes=yes, trusts_hints=not ask_always)
    except BaseException as failure:
        log = run(servers.log(server.name, 10)) if isinstance(failure, Failure) else ()
        run(servers.remove(server.name, by))
        for line in log:
            print(f"  │ {one_line(line)}", file=sys.stderr)
        if isinstance(failure, Offline):
            failure.hint = "Nothing was added. Check how it is started, and add it again."  # its log is gone
        raise


def _accept(servers: "Servers", difference: "Difference", by: "Caller", *, yes: bool, trusts_hints: bool) -> None:
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import run

    name = difference.server.name
    _show(difference, trusts_hints)
    _show_definitions(difference)
    if difference.unaccepted and not (yes or _confirm(difference, trusts_hints=trusts_hints)):
        raise Declined(f"Nothing from {name} was accepted.")
    require_person(servers.stores, "Accepting what a server offers")
    run(servers.accept(difference, by, trusts_hints=trusts_hints))
    say(f"Accepted: {len(difference.unaccepted)} from {name}. Agents can use it from now on.")


def _show(difference: "Difference", trusts_hints: bool) -> None:
    """What there is to accept, and what runs without asking."""
    say(f"{difference.server.name} ({one_line(difference.server.place)}) offers:\n")
    rows = [
        (
            "  changed" if key in difference.changed else "  new",
            each.label,
            "without asking" if trusts_hints and each.has_read_only_hint else "asks",
        )
        for key, each in difference.unaccepted.items()
    ]
    for line in columns([*rows, *(("  gone", each.label, "") for each in difference.gone.values())]):
        say(line)
    say()


def _show_definitions(difference: "Difference") -> None:
    if not difference.unaccepted:
        return
    say("In the server's own words:\n")
    for line in behind_gutter(difference.diff(), width_of(sys.stdout)):
        say(line)
    say()


def _unaccepted_hint(difference: "Difference") -> str:
    return f"There are: {', '.join(difference.unaccepted)}." if difference.unaccepted else "Everything is accepted."


def _confirm(difference: "Difference", *, trusts_hints: bool) -> bool:
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask in.", hint="Review what it offers, then repeat with --yes.")
    reads = [each.label for each in difference.unaccepted.values() if trusts_hints and each.has_read_only_hint]
    say(f"Without asking: {one_line(', '.join(reads))}" if reads else "Every call asks.")
    print(f"Accept what {difference.server.name} offers? [y]es / [n]o: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _sign_in(
    servers: "Servers", server: "Server", client_id: str | None, *, has_browser: bool, timeout_seconds: float
) -> None:
    from handrail.faces.cli.program import program, run
    from handrail.features.gateway.sign_in import sign_in

    def show(address: str) -> None:
        machine: Any = program().machine
        if has_browser and machine.has_display():
            machine.open_in_browser(address)
        print(f"Sign in to {server.name} at:\n{one_line(address)}", file=sys.stderr, flush=True)

    def tell(message: str) -> None:
        print(one_line(message), file=sys.stderr, flush=True)

    run(sign_in(server, servers.stores, show, client_id=client_id, timeout_seconds=timeout_seconds, tell=tell))
    say(f"Signed in to {server.name}.")


def prompt_secret(label: str) -> str:
    """Reads a value without echo, or the next line of stdin if there is no terminal. InvalidParams."""
    if sys.stdin.isatty():
        value = str(click.prompt(label, hide_input=True, err=True))
    else:
        value = sys.stdin.readline(_LONGEST_SECRET).strip()
    if not value:
        raise InvalidParams(f"There is no value: {label}.", hint="Type it, or write it to stdin, one per line.")
    return value


def load_servers(state: Path | None) -> "Servers":
    from handrail.faces.cli.program import program
    from handrail.features.gateway.servers import open_servers

    return open_servers(program().open_stores(state), str(Path.cwd()))


COMMANDS: Sequence[click.Command] = (add, accept, login, import_servers)
