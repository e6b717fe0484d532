"""`handrail desktop-host`: the one process that touches windows, screen, pointer and keyboard."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import state_option
from handrail.faces.cli.values import OneOf

if TYPE_CHECKING:
    from handrail.core.desktop.confirmation import Mode

EPILOG = """\b
Example:
  handrail desktop-host --workspace-root ~/work"""


@click.command("desktop-host", epilog=EPILOG)
@click.option("--socket", type=Path, metavar="PATH", help="Where to listen, if not at desktop.sock in the state.")
@click.option(
    "--workspace-root",
    type=Path,
    envvar="WORKSPACE_ROOT",
    required=True,
    metavar="DIR",
    help="Callers work in folders below this one; or $WORKSPACE_ROOT.",
)
@click.option(
    "--confirm",
    type=OneOf("human", "token", "contract"),
    default="human",
    show_default=True,
    metavar="<human|token|contract>",
    help="What confirms a click: a token that a person allowed, any token, or also the contract's phrases.",
)
@state_option
def desktop_host(socket: Path | None, workspace_root: Path, confirm: "Mode", state: Path | None) -> None:
    """Serve the desktop on a Unix socket, until Ctrl-C.

    Programs see windows, elements and the screen through it; what clicks or types needs a confirmation, and leaves
    evidence in the workspace.
    """
    import asyncio

    log_to_stderr()
    asyncio.run(_serve(socket, workspace_root, confirm, state))


async def _serve(socket: Path | None, workspace_root: Path, confirm: "Mode", state: Path | None) -> None:
    """SIGINT and SIGTERM end it in order: running calls are answered, the socket goes."""
    import asyncio
    import signal

    from handrail.app.desktop_host import serve_desktop

    def on_ready(path: Path) -> None:
        say(f"handrail desktop-host at {path}, below {workspace_root}, confirm {confirm} (Ctrl-C ends it)")
        sys.stdout.flush()

    serving = asyncio.ensure_future(serve_desktop(workspace_root, state, confirm, on_ready, socket=socket))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving
