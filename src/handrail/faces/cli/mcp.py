"""`handrail mcp`: serves the tools to an MCP client over stdin and stdout."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr
from handrail.faces.cli.parameters import Choice, answer_option, project_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.project import Project

EVERY_TOOL = "all"
EPILOG = """\b
`handrail connect` lets a client start it. By hand:
  handrail mcp --project /path/to/project"""


@click.command(epilog=EPILOG)
@project_option
@state_option
@click.option("--tools", metavar="SURFACE,…", help="Only the tools of these surfaces; `all` lists every tool.")
@click.option("--servers", metavar="NAME,…", help="Only the tools of these MCP servers; `none` for none.")
@click.option("--compact", is_flag=True, help="List three tools that find and call all others.")
@click.option("--alone", is_flag=True, help="Serve from this process, and start no server.")
@answer_option
def mcp(
    project: Path,
    state: Path | None,
    tools: str | None,
    servers: str | None,
    compact: bool,
    alone: bool,
    answer: Choice,
) -> None:
    """Serve tools to an MCP client.

    The client starts this command and talks to it over stdin and stdout. Approvals appear in the
    console and in `handrail prompts`, never on this terminal; messages go to stderr.

    A client sees the tools for the project's files and for questions to people, and three that find and call all
    others: browser, desktop, apps and MCP servers behind handrail.

    It forwards everything to the running server. If none is running, it starts one that stops when unused. With
    --alone, --answer, --servers or settings in the environment it serves from its own process.
    """
    import asyncio

    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program

    log_to_stderr()
    lists_all = tools == EVERY_TOOL
    flags = {"servers": _names(servers), "compact_tools": compact or None, "all_tools": lists_all or None}
    approver = answers(answer, has_terminal=False)
    opened_project = program().open_project(
        project, state, approver, surfaces=None if lists_all else _names(tools), flags=flags
    )
    try:
        asyncio.run(_serve(opened_project))
    finally:
        opened_project.close()


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


async def _serve(project: "Project") -> None:
    """Returns when stdin ends, or after a signal when every running call has ended."""
    import asyncio

    from handrail.faces.cli.program import program
    from handrail.kernel.end_signals import end_signals

    serving = asyncio.ensure_future(program().serve_stdio(project))
    for number in end_signals():
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving
