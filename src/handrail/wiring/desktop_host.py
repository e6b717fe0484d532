"""`handrail desktop-host`: the host of contract 1 put together."""

from __future__ import annotations

import os
import platform
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import handrail
from handrail.ports.errors import InvalidParams, PermissionMissing
from handrail.ports.waiting import settled
from handrail.stores.local.state import open_state, state_path

if TYPE_CHECKING:
    from handrail.features.desktop.host.confirmation import Mode
    from handrail.features.desktop.host.host import Host
    from handrail.features.desktop.host.source import OpenDesktop
    from handrail.features.desktop.platform import Desktop
    from handrail.stores.local.state import State

SOCKET = "desktop.sock"


def desktop_socket(state_dir: Path | None) -> Path:
    """Where the host of a state directory listens, unless it is told otherwise."""
    return state_path(state_dir) / SOCKET


async def serve_desktop(
    workspace_root: Path,
    state_dir: Path | None,
    mode: Mode,
    on_ready: Callable[[Path], None],
    *,
    socket: Path | None = None,
    open_desktop: OpenDesktop | None = None,
    unused_seconds: float | None = None,
) -> None:
    """Until it is cancelled, or has been unused for so long.

    `on_ready` gets the socket once it listens; the desktop is opened after that.
    """
    from handrail.faces.jsonrpc.server import serve
    from handrail.stores.local.peers import identify

    state = await settled(lambda: _opened_state(workspace_root, state_dir))
    host, path, close = _put_together(workspace_root, state, mode, socket, open_desktop or _own_desktop)
    try:
        await serve(host, path, identify, lambda: on_ready(path), unused_seconds=unused_seconds)
    finally:
        await close()


def _opened_state(workspace_root: Path, state_dir: Path | None) -> State:
    if not workspace_root.is_dir():
        raise InvalidParams(f"The workspace root is no folder: {workspace_root}", hint="Name it with --workspace-root.")
    return open_state(state_dir)


def _put_together(
    workspace_root: Path, state: State, mode: Mode, socket: Path | None, open_desktop: OpenDesktop
) -> tuple[Host, Path, Callable[[], Awaitable[None]]]:
    from handrail.features.desktop import dialect
    from handrail.features.desktop.host.confirmation import Confirmation
    from handrail.features.desktop.host.host import Host
    from handrail.features.desktop.host.methods import METHODS
    from handrail.features.desktop.host.services import Services
    from handrail.features.desktop.host.source import DesktopSource
    from handrail.stores.local.files.workspaces import Workspaces
    from handrail.stores.local.once import SqliteOnce
    from handrail.stores.local.prompt_queue import LoggedPrompts
    from handrail.stores.local.tokens import SqliteTokens

    workspaces = Workspaces(os.path.abspath(workspace_root))
    prompts = LoggedPrompts(state.path)
    services = Services(
        version=handrail.__version__,
        source=DesktopSource(open_desktop, platform.platform()),
        confirmation=Confirmation(mode, SqliteTokens(state.database)),
        prompts=prompts,
        once=SqliteOnce(state.database),
    )

    async def close() -> None:
        await prompts.close()
        workspaces.close()
        state.close()

    path = Path(os.path.abspath(socket)) if socket is not None else state.path / SOCKET
    return Host(services, METHODS, workspaces.open, os.getuid(), dialect.code), path, close


async def _own_desktop() -> Desktop:
    if platform.system() != "Linux":
        raise PermissionMissing(f"There is no desktop backend for {platform.system()} yet.")
    from handrail.features.desktop.backends.linux import LinuxDesktop

    return LinuxDesktop()
