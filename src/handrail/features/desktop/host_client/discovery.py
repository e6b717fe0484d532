"""Finds the host for a process: the server's, or one started for this project, which ends when it is unused.

The server's host comes first, if it serves this project, which must be below its workspace root.
"""

import asyncio
import os
import subprocess
from hashlib import sha256
from pathlib import Path

from handrail.features.desktop.host_client.client import Connection, call_host
from handrail.features.desktop.host_client.process import last_log_line, start_detached
from handrail.ports.errors import Failure, NotReady, Offline, OutsideRoot, Timeout

SOCKET = "desktop.sock"
UNUSED_SECONDS = 300
_SOCKET_FOLDER = "desktop"
_START_SECONDS = 20.0
_RETRY_SECONDS = 0.05
_SESSION_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


async def find_host(
    state: Path, project: str, *, patience: float = 0.0, unused_seconds: int = UNUSED_SECONDS
) -> Connection:
    """Returns a connection to a host. `project` is a path with links resolved. Offline if no host can be started.

    The server sets `patience`, because its own host may still be starting.
    """
    shared = await _connect_within(patience, state / SOCKET)
    if shared is not None:
        is_usable = False
        try:
            is_usable = await _serves(shared, project)
        finally:
            if not is_usable:
                await shared.close()
        if is_usable:
            return shared
    return await _start_or_join(state, project, unused_seconds)


async def _start_or_join(state: Path, project: str, unused_seconds: int) -> Connection:
    """All processes of a project and desktop session share this host, so element references outlive a command."""
    socket = state / _SOCKET_FOLDER / f"{_socket_key(project)}.sock"
    if (connection := await _try_connect(socket)) is not None:
        return connection
    try:
        socket.parent.mkdir(mode=0o700, exist_ok=True)
        host = await asyncio.to_thread(start_detached, socket, project, state, "--until-unused", str(unused_seconds))
    except OSError as error:
        raise _start_failure(f"{error.strerror}: {error.filename}") from None
    connection = await _connect_within(_START_SECONDS, socket, host)
    if connection is None:
        raise _start_failure(last_log_line(socket))
    return connection


def _start_failure(reason: str) -> Offline:
    return Offline(
        f"The desktop host could not be started{': ' + reason if reason else '.'}",
        hint="Run `handrail desktop-host` in a terminal to see why.",
    )


async def _serves(connection: Connection, project: str) -> bool:
    try:
        await call_host(connection, project, "desktop.health", {}, timeout_ms=5_000)
    except OutsideRoot:
        return False
    except Offline as failure:
        return isinstance(failure, NotReady)
    except Timeout:
        raise
    except Failure:
        return True  # the call itself will report what is wrong
    return True


async def _connect_within(
    seconds: float, socket: Path, host: "subprocess.Popen[bytes] | None" = None
) -> Connection | None:
    """Retries until a host answers. If ours ends at once, another host has the socket and answers."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    while (connection := await _try_connect(socket)) is None and clock() < deadline:
        if host is not None and host.poll() is not None:
            return await _try_connect(socket)
        await asyncio.sleep(_RETRY_SECONDS)
    return connection


async def _try_connect(socket: Path) -> Connection | None:
    try:
        return await Connection.open(socket)
    except OSError:
        return None


def _socket_key(project: str) -> str:
    values = [os.environ.get(name, "") for name in _SESSION_VARIABLES]
    return sha256("\0".join([project, *values]).encode("utf-8", "surrogateescape")).hexdigest()[:12]
