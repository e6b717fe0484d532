"""`handrail up`: the server."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import Choice, answer_option, project_option, state_option
from handrail.faces.cli.values import WholeNumber

if TYPE_CHECKING:
    from handrail.app import House

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
@answer_option
def up(project: Path, state: Path | None, host: str | None, port: int | None, no_open: bool, answer: Choice) -> None:
    """Start the server, until Ctrl-C.

    It serves MCP over HTTP, the tools at /api/tools and a first page that lists them, for this machine alone.
    """
    from handrail.app import open_house
    from handrail.faces.cli.person import approver

    log_to_stderr()
    flags = {"host": host, "port": port, "open_console": False if no_open else None}
    house = open_house(project, state, approver(answer, has_terminal=sys.stdin.isatty()), flags=flags)

    def on_ready(address: str) -> None:
        say(f"handrail {house.project.location} at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if house.settings.open_console and _has_display():
            _open_in_browser(address)

    try:
        _serve(house, on_ready)
    finally:
        house.close()


def _serve(house: "House", on_ready: Callable[[str], None]) -> None:
    """SIGINT and SIGTERM end the server in order; one that comes before it listens ends it, too."""
    import asyncio

    import uvloop

    from handrail.app import serve_http

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve_http(house, on_ready))


def _has_display() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_in_browser(address: str) -> None:
    """In a thread of its own: some browsers keep the one who starts them waiting."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
