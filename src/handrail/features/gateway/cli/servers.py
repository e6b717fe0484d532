"""`handrail servers`: which MCP servers are behind the gate, and what of them is accepted."""

from pathlib import Path

import click

from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import WholeNumber, json_option, state_option
from handrail.features.gateway.cli.servers_add import COMMANDS, load_servers

EPILOG = """\b
Examples:
  handrail servers add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  handrail servers add github --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github
  handrail servers add linear --url https://mcp.linear.app/mcp
  handrail servers import ~/.cursor/mcp.json
  handrail servers accept github              review what it has changed"""


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def servers(ctx: click.Context, state: Path | None) -> None:
    """Put MCP servers behind the gate.

    Agents use their tools through handrail, with your rules, approvals and records. You accept what a server
    offers once; when it changes, you are asked again.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_servers, state=state, as_json=False)


@servers.command("list")
@state_option
@json_option
@click.pass_context
def list_servers(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List the servers."""
    entries = load_servers(state or ctx.obj).list()
    if as_json:
        print_json({"servers": entries})
        return
    rows = [(each["name"], _count(each["tools"], each["reads"]), each["place"]) for each in entries]
    for line in columns(rows):
        say(line)
    if not rows:
        say("No servers yet. Add one: handrail servers add NAME -- COMMAND…")


def _count(tools: int, reads: int) -> str:
    return f"{tools} tool{'' if tools == 1 else 's'}, {reads} without asking"


@servers.command("show")
@click.argument("name", help="The server.")
@state_option
@json_option
@click.pass_context
def show(ctx: click.Context, name: str, state: Path | None, as_json: bool) -> None:
    """Show what you have accepted from a server."""
    server = load_servers(state or ctx.obj).show(name)
    if as_json:
        print_json(server)
        return
    say(f"{server['name']}: {one_line(server['place'])}")
    if server["keys"]:
        say(f"Keys: {', '.join(map(one_line, server['keys']))}")
    rows = [
        ("", each["name"] or each["kind"], "without asking" if each["reads"] else "asks", each.get("description", ""))
        for each in server["accepted"]
    ]
    for line in columns(rows):
        say(line[:200])
    if not rows:
        say(f"Nothing is accepted. Review it with `handrail servers accept {server['name']}`.")


@servers.command("remove")
@click.argument("name", help="The server.")
@state_option
@click.pass_context
def remove(ctx: click.Context, name: str, state: Path | None) -> None:
    """Remove a server, with its keys and its log."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import run

    run(load_servers(state or ctx.obj).remove(name, caller()))
    say(f"Removed {one_line(name)}.")


@servers.command("logs")
@click.argument("name", help="The server.")
@click.option("--lines", type=WholeNumber(min=1), default=100, show_default=True, metavar="N", help="How many at most.")
@state_option
@click.pass_context
def logs(ctx: click.Context, name: str, lines: int, state: Path | None) -> None:
    """Show a server's stderr, log messages and errors."""
    from handrail.faces.cli.program import run

    for line in run(load_servers(state or ctx.obj).log(name, lines)):
        say(one_line(line))


for command in COMMANDS:
    servers.add_command(command)
