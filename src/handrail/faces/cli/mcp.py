"""`handrail mcp`: the tools for an MCP client, over stdin and stdout."""

from typing import Annotated

import typer

from handrail.faces.cli.parameters import HERE, AnswerWith, Project, StateDir

EPILOG = """\b
Example, for Claude Code:
  claude mcp add handrail -- handrail mcp --project /path/to/project"""


def mcp(
    project: Project = HERE,
    state: StateDir = None,
    tools: Annotated[str | None, typer.Option(metavar="SURFACE,…", help="Only the tools of these surfaces.")] = None,
    answer: AnswerWith = "ask",
) -> None:
    """Serve the tools to an MCP client.

    The client starts this command and talks to it over stdin and stdout. It never asks on the
    terminal; messages go to stderr.
    """
    import asyncio
    import logging

    from handrail.app import open_house, serve_stdio
    from handrail.faces.cli.person import approver

    logging.basicConfig(level=logging.WARNING, format="handrail: %(levelname)s %(name)s: %(message)s")
    surfaces = None if tools is None else [name.strip() for name in tools.split(",") if name.strip()]
    house = open_house(project, state, approver(answer, has_terminal=False), surfaces=surfaces)
    try:
        asyncio.run(serve_stdio(house))
    finally:
        house.close()
