"""`handrail up`: starts the server."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import Choice, WholeNumber, answer_option, project_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.project import Project

EPILOG = """\b
Examples:
  handrail up
  handrail up --project ~/games/mine --port 7007 --no-open
  handrail up --team https://handrail.example.com --team-token token.txt"""


@click.command(epilog=EPILOG)
@project_option
@state_option
@click.option("--host", metavar="ADDRESS", help="Address to listen on: 127.0.0.1 or ::1.")
@click.option(
    "--port",
    type=WholeNumber(min=0, max=65535),
    metavar="NUMBER",
    help="Port; 0 picks a free one [6006].",
)
@click.option("--no-open", is_flag=True, help="Don't open a browser.")
@click.option("--team", metavar="URL", help="Join this team as a node, or reconnect to it.")
@click.option(
    "--team-token",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with the token to join with.",
)
@click.option("--until-unused", type=WholeNumber(min=1), hidden=True)
@answer_option
def up(
    project: Path,
    state: Path | None,
    host: str | None,
    port: int | None,
    no_open: bool,
    team: str | None,
    team_token: Path | None,
    until_unused: int | None,
    answer: Choice,
) -> None:
    """Start the server.

    It serves the console, MCP over HTTP and the tools at /api/tools, for this machine only. `handrail open` opens
    the console again.
    """
    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program

    log_to_stderr()
    flags = {"host": host, "port": port, "open_console": False if no_open else None}
    approver = answers(answer, has_terminal=sys.stdin.isatty())
    machine = program().machine
    opened_project = program().open_project(project, state, approver, flags=flags, is_server=True)

    if team is not None:
        _join(opened_project, team, team_token)

    def on_ready(address: str, console: str) -> None:
        say(f"handrail {opened_project.location} at {address} (Ctrl-C stops it)")
        if opened_project.settings.open_console and machine.has_display():
            machine.open_in_browser(console)
        elif sys.stdout.isatty():  # otherwise it would end up in a log
            say(f"Open (one-time link, expires in 10 min): {console}")
        sys.stdout.flush()

    try:
        _serve(opened_project, on_ready, until_unused)
    finally:
        opened_project.close()


def _join(project: "Project", url: str, token_file: Path | None) -> None:
    from handrail.faces.cli.presence import require_person

    token = ""
    if token_file is not None:
        try:
            token = token_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"{token_file}: {error}.") from None
    try:
        membership = project.offered("join")(url, token, lambda what: require_person(project.stores, what))
    except BaseException:
        project.close()
        raise
    say(f"Joined the team {membership.tenant} at {membership.url} as {membership.name}")


def _serve(
    project: "Project",
    on_ready: Callable[[str, str], None],
    until_unused: int | None,
) -> None:
    """Serves until SIGINT, SIGTERM or SIGHUP, also one that comes before the server listens."""
    import asyncio

    import uvloop

    from handrail.faces.cli.program import program

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        until = None if until_unused is None else (_end_of_input, float(until_unused))
        runner.run(program().serve_http(project, on_ready, until_unused=until))


async def _end_of_input() -> None:
    """Returns when the process that started us has ended: it holds our stdin open and writes nothing."""
    import asyncio

    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def on_input() -> None:
        if not os.read(0, 4096):
            ended.set()

    loop.add_reader(0, on_input)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(0)
