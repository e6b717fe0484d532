"""Finds the host for a process: the server's, or one started for this project, which ends when it is unused.

The server's host is asked first whether this project is below its workspace root.
"""

import asyncio
import os
import subprocess
from hashlib import sha256
from pathlib import Path

from handrail.features.desktop.host_client.client import Connection, asked
from handrail.features.desktop.host_client.process import detached, last_words
from handrail.ports.errors import Failure, NotReady, Offline, OutsideRoot, Timeout

SOCKET = "desktop.sock"
UNUSED_SECONDS = 300
_FOLDER = "desktop"
_START_SECONDS = 20.0
_LOOK_EVERY_SECONDS = 0.05
_SESSION = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


async def found_host(
    state: Path, project: str, *, patience: float = 0.0, unused_seconds: int = UNUSED_SECONDS
) -> Connection:
    """`project` has no links in its path. Offline where no host can be started.

    `patience` is for the server, whose own host may just be starting.
    """
    shared = await _within(patience, state / SOCKET)
    if shared is not None:
        is_taken = False
        try:
            is_taken = await _takes(shared, project)
        finally:
            if not is_taken:
                await shared.close()
        if is_taken:
            return shared
    return await _own(state, project, unused_seconds)


async def _own(state: Path, project: str, unused_seconds: int) -> Connection:
    """All processes of this project and desktop session share it, so element references survive a command."""
    socket = state / _FOLDER / f"{_key(project)}.sock"
    if (found := await _opened(socket)) is not None:
        return found
    try:
        socket.parent.mkdir(mode=0o700, exist_ok=True)
        host = await asyncio.to_thread(detached, socket, project, state, "--until-unused", str(unused_seconds))
    except OSError as error:
        raise _unstartable(f"{error.strerror}: {error.filename}") from None
    found = await _within(_START_SECONDS, socket, host)
    if found is None:
        raise _unstartable(last_words(socket))
    return found


def _unstartable(why: str) -> Offline:
    return Offline(
        f"The desktop's host could not be started{': ' + why if why else '.'}",
        hint="`handrail desktop-host` in a terminal tells more.",
    )


async def _takes(connection: Connection, project: str) -> bool:
    try:
        await asked(connection, project, "desktop.health", {}, timeout_ms=5_000)
    except OutsideRoot:
        return False
    except Offline as gone:
        return isinstance(gone, NotReady)
    except Timeout:
        raise
    except Failure:
        return True  # what is wrong with it is told by the call itself
    return True


async def _within(seconds: float, socket: Path, host: "subprocess.Popen[bytes] | None" = None) -> Connection | None:
    """A second host for the same socket ends at once; then the first one answers."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    while (found := await _opened(socket)) is None and clock() < deadline:
        if host is not None and host.poll() is not None:
            return await _opened(socket)
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
    return found


async def _opened(socket: Path) -> Connection | None:
    try:
        return await Connection.open(socket)
    except OSError:
        return None


def _key(project: str) -> str:
    session = [os.environ.get(name, "") for name in _SESSION]
    return sha256("\0".join([project, *session]).encode("utf-8", "surrogateescape")).hexdigest()[:12]
