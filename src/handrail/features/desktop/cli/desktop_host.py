"""`handrail desktop-host`: starts the process that reads and controls windows, screen, pointer and keyboard."""

import os
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import OneOf, WholeNumber, state_option

if TYPE_CHECKING:
    from handrail.features.desktop.host.confirmation import Mode

EPILOG = """\b
Example:
  handrail desktop-host --workspace-root ~/work"""


@click.command("desktop-host", epilog=EPILOG)
@click.option("--socket", type=Path, metavar="PATH", help="Socket to listen on [desktop.sock in the state directory].")
@click.option(
    "--workspace-root",
    type=Path,
    envvar="WORKSPACE_ROOT",
    required=True,
    metavar="DIR",
    help="Parent folder of all workspaces; or $WORKSPACE_ROOT.",
)
@click.option(
    "--confirm",
    type=OneOf("human", "token", "contract"),
    default="human",
    show_default=True,
    metavar="<human|token|contract>",
    help="What confirms an action: a token that a person approved, any token, or also the contract's phrases.",
)
@state_option
@click.option("--until-unused", type=WholeNumber(min=1), hidden=True)
@click.option("--until-eof", is_flag=True, hidden=True)
def desktop_host(
    socket: Path | None,
    workspace_root: Path,
    confirm: "Mode",
    state: Path | None,
    until_unused: int | None,
    until_eof: bool,
) -> None:
    """Serve the desktop on a Unix socket.

    Programs use it to read windows, elements and the screen. Clicking and typing need a confirmation and leave evidence
    in the workspace.
    """
    import asyncio

    from handrail.faces.cli.program import program
    from handrail.features.desktop.host_program import serve_desktop

    def on_ready(path: Path) -> None:
        say(f"handrail desktop-host at {path}, below {workspace_root}, confirm {confirm} (Ctrl-C stops it)")
        sys.stdout.flush()

    log_to_stderr()
    asyncio.run(
        _until_stopped(
            serve_desktop(
                workspace_root, program(), state, confirm, on_ready, socket=socket, unused_seconds=until_unused
            ),
            ends_with_input=until_eof,
        )
    )


async def _until_stopped(serving: Coroutine[Any, Any, None], *, ends_with_input: bool) -> None:
    """Shuts down cleanly on SIGINT, SIGTERM and SIGHUP: answers running calls, then removes the socket."""
    import asyncio

    from handrail.kernel.end_signals import end_signals

    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(serving)
    for number in end_signals():
        loop.add_signal_handler(number, task.cancel)

    def on_input() -> None:
        if not os.read(0, 4096):  # the parent keeps the pipe open and writes nothing
            loop.remove_reader(0)
            task.cancel()

    if ends_with_input:
        loop.add_reader(0, on_input)
    with suppress(asyncio.CancelledError):
        await task
