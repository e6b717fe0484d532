"""Runs the desktop host: opens its stores and the desktop, and serves contract 1 on a socket."""

from __future__ import annotations

import os
import platform
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import handrail
from handrail.ports.errors import InvalidParams, PermissionMissing
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from handrail.features.desktop.desktop_port import DesktopPort
    from handrail.features.desktop.host.confirmation import Mode
    from handrail.features.desktop.host.host import Host
    from handrail.features.desktop.host.services import OpenDesktop
    from handrail.kernel.program import Program
    from handrail.ports.stores import Stores

SOCKET = "desktop.sock"


async def serve_desktop(
    workspace_root: Path,
    program: Program,
    state: Path | None,
    mode: Mode,
    on_ready: Callable[[Path], None],
    *,
    socket: Path | None = None,
    open_desktop: OpenDesktop | None = None,
    unused_seconds: float | None = None,
) -> None:
    """Runs until it is cancelled, or until no one has used it for `unused_seconds`.

    `on_ready` gets the socket's path as soon as the host listens; the desktop is opened after that.
    """
    stores = await run_in_thread(lambda: _open_stores(workspace_root, program, state))
    host, path, close = _build_host(workspace_root, program, stores, mode, socket, open_desktop or _open_own_desktop)
    try:
        await program.serve_lines(host, path, lambda: on_ready(path), unused_seconds=unused_seconds)
    finally:
        await close()


def _open_stores(workspace_root: Path, program: Program, state: Path | None) -> Stores:
    if not workspace_root.is_dir():
        raise InvalidParams(
            f"The workspace root isn't a folder: {workspace_root}", hint="Name it with --workspace-root."
        )
    return program.open_stores(state)


def _build_host(
    workspace_root: Path,
    program: Program,
    stores: Stores,
    mode: Mode,
    socket: Path | None,
    open_desktop: OpenDesktop,
) -> tuple[Host, Path, Callable[[], Awaitable[None]]]:
    from handrail.features.desktop import dialect
    from handrail.features.desktop.host.confirmation import Confirmation
    from handrail.features.desktop.host.host import Host
    from handrail.features.desktop.host.methods import METHODS
    from handrail.features.desktop.host.services import DesktopSource, Services
    from handrail.kernel.audit import Audit

    audit = Audit(stores.audit)
    workspaces = program.machine.open_below(os.path.abspath(workspace_root))
    services = Services(
        version=handrail.__version__,
        source=DesktopSource(open_desktop, platform.platform()),
        confirmation=Confirmation(mode, stores.tokens),
        prompts=stores.prompts,
        once=stores.once,
        audit=audit,
    )

    async def close() -> None:
        await stores.prompts.close()
        await run_in_thread(audit.close)
        workspaces.close()
        stores.close()

    path = Path(os.path.abspath(socket)) if socket is not None else stores.path / SOCKET
    return Host(services, METHODS, workspaces.open, os.getuid(), dialect.error_object), path, close


async def _open_own_desktop() -> DesktopPort:
    if platform.system() != "Linux":
        raise PermissionMissing(f"There is no desktop backend for {platform.system()} yet.")
    from handrail.features.desktop.backends.linux import LinuxDesktop
    from handrail.features.desktop.backends.threaded_desktop import ThreadedDesktop

    return ThreadedDesktop(LinuxDesktop)
