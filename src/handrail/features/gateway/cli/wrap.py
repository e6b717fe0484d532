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
@click.option("--name", metavar="NAME", help="What rules and records call it.")
@click.option("--pass", "passed", multiple=True, metavar="KEY", help="A variable of this environment that it gets.")
@project_option
@state_option
@answer_option
def wrap(
    command: tuple[str, ...],
    name: str | None,
    passed: tuple[str, ...],
    project: Path,
    state: Path | None,
    answer: Choice,
) -> None:
    """Run one MCP server behind the gate.

    Takes the place of the server's own command: the client sees the same tools under the same names. The first
    time, and when the server changes, nothing is offered until you accept it; the question is where approvals are.
    """
    import asyncio

    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program
    from handrail.features.gateway.wrapped_server import wrapped_server

    log_to_stderr()
    missing = [key for key in passed if key not in os.environ]
    if missing:
        raise InvalidParams(f"{missing[0]} isn't set.", hint="--pass takes variables of this environment.")
    server = wrapped_server(command, name, passed)
    opened = program().open_project(project, state, answers(answer, has_terminal=False), surfaces=["gateway"])
    try:
        asyncio.run(_serve(opened, server))
    finally:
        opened.close()


async def _serve(opened: "Project", server: "Server") -> None:
    """Until stdin ends, or on a signal."""
    import asyncio

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program
    from handrail.features.gateway.wrapped_server import begin
    from handrail.kernel.end_signals import end_signals

    gateway: Gateway = opened.part("gateway")
    await begin(gateway, server)
    asking = asyncio.create_task(gateway.ask_about_new(server.name, caller()))
    serving = asyncio.ensure_future(program().serve_stdio(opened))
    for number in end_signals():
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await serving
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
