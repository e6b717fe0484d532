"""`handrail up`: the server."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import Choice, answer_option, project_option, state_option
from handrail.faces.cli.values import WholeNumber

if TYPE_CHECKING:
    from handrail.wiring import House

EPILOG = """\b
Examples:
  handrail up
  handrail up --project ~/games/mine --port 7007 --no-open"""


@click.command(epilog=EPILOG)
@project_option
@state_option
@click.option("--host", metavar="ADDRESS", help="Where to listen: 127.0.0.1, or ::1.")
@click.option(
    "--port",
    type=WholeNumber(min=0, max=65535),
    metavar="NUMBER",
    help="6006, or another one; 0 takes any free one.",
)
@click.option("--no-open", is_flag=True, help="Don't open a browser.")
@click.option("--until-unused", type=WholeNumber(min=1), hidden=True)
@answer_option
def up(
    project: Path,
    state: Path | None,
    host: str | None,
    port: int | None,
    no_open: bool,
    until_unused: int | None,
    answer: Choice,
) -> None:
    """Start the server, until Ctrl-C.

    It serves the console, MCP over HTTP and the tools at /api/tools, for this machine alone. `handrail open` opens
    the console again.
    """
    from handrail.faces.cli.person import answers
    from handrail.wiring import has_display, open_house, open_in_browser
    from handrail.wiring.doctor import report

    log_to_stderr()
    flags = {"host": host, "port": port, "open_console": False if no_open else None}
    approver = answers(answer, has_terminal=sys.stdin.isatty())
    house = open_house(project, state, approver, flags=flags, is_server=True)

    def on_ready(address: str, console: str) -> None:
        say(f"handrail {house.project.location} at {address} (Ctrl-C ends it)")
        if house.settings.open_console and has_display():
            open_in_browser(console)
        elif sys.stdout.isatty():  # elsewhere it would end up in a log
            say(f"The console, once and within ten minutes: {console}")
        sys.stdout.flush()

    try:
        _serve(house, on_ready, lambda: report(project, state), until_unused)
    finally:
        house.close()


def _serve(
    house: "House",
    on_ready: Callable[[str, str], None],
    checkup: Callable[[], Mapping[str, Any]],
    until_unused: int | None,
) -> None:
    """SIGINT and SIGTERM end the server in order; one that comes before it listens ends it, too."""
    import asyncio

    import uvloop

    from handrail.wiring import serve_http

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        until = None if until_unused is None else (_end_of_input, float(until_unused))
        runner.run(serve_http(house, on_ready, checkup, until_unused=until))


async def _end_of_input() -> None:
    """Who started us holds the other end of our stdin, and writes nothing."""
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
