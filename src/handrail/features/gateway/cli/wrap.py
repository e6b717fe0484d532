"""`handrail wrap`: one MCP server behind the gate, in place of its command."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr
from handrail.faces.cli.parameters import Choice, answer_option, project_option, state_option
from handrail.ports.errors import InvalidParams

if TYPE_CHECKING:
    from handrail.features.gateway.gateway import Gateway
    from handrail.features.gateway.model import Server
    from handrail.kernel.project import Project

EPILOG = """\b
In a client's configuration, in place of `npx -y @modelcontextprotocol/server-filesystem ~/notes`:
  handrail wrap -- npx -y @modelcontextprotocol/server-filesystem ~/notes"""


@click.command(epilog=EPILOG)
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND…", help="The server's own command.")
@click.option("--name", metavar="NAME", help="Its name in rules and records.")
@click.option("--pass", "inherited", multiple=True, metavar="KEY", help="A variable of this environment to pass on.")
@project_option
@state_option
@answer_option
def wrap(
    command: tuple[str, ...],
    name: str | None,
    inherited: tuple[str, ...],
    project: Path,
    state: Path | None,
    answer: Choice,
) -> None:
    """Run one MCP server behind the gate.

    Takes the place of the server's own command: the client sees the same tools under the same names. Nothing is
    offered until you accept it, the first time and whenever the server changes; you are asked where approvals appear.
    """
    import asyncio

    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program
    from handrail.features.gateway.wrapped_server import wrapped_server

    log_to_stderr()
    missing = [key for key in inherited if key not in os.environ]
    if missing:
        raise InvalidParams(f"{missing[0]} isn't set.", hint="--pass takes variables of this environment.")
    server = wrapped_server(command, name, inherited)
    handrail_project = program().open_project(project, state, answers(answer, has_terminal=False), surfaces=["gateway"])
    try:
        asyncio.run(_serve(handrail_project, server))
    finally:
        handrail_project.close()


async def _serve(project: "Project", server: "Server") -> None:
    """Serves until stdin ends, or a signal arrives."""
    import asyncio

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program
    from handrail.features.gateway.wrapped_server import offer_wrapped_server
    from handrail.kernel.end_signals import end_signals

    gateway: Gateway = project.part("gateway")
    await offer_wrapped_server(gateway, server)
    asking = asyncio.create_task(gateway.ask_to_accept(server.name, caller()))
    serving = asyncio.ensure_future(program().serve_stdio(project))
    for number in end_signals():
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await serving
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
