"""Starts the host's process, and keeps one running beside the server.

The server's host reads from a pipe that the server holds open, so it ends even if the server is killed.
"""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

_FIRST_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 60.0
_STABLE_SECONDS = 60.0
_TERMINATION_SECONDS = 5.0
_MAX_LOG_BYTES = 1 << 20

logger = logging.getLogger(__name__)


@asynccontextmanager
async def keep_host_running(socket: Path, root: str, state: Path) -> AsyncIterator[None]:
    task = asyncio.create_task(_restart_forever(socket, root, state))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _restart_forever(socket: Path, root: str, state: Path) -> None:
    """Restarts the host until cancelled, with longer pauses while it keeps ending early."""
    clock, pause = asyncio.get_running_loop().time, _FIRST_PAUSE_SECONDS
    while True:
        began = clock()
        try:
            code = await _run(socket, root, state)
        except OSError as error:
            code, reason = -1, str(error)
        else:
            reason = last_log_line(socket)
        pause = _FIRST_PAUSE_SECONDS if clock() - began >= _STABLE_SECONDS else pause
        logger.warning("the desktop host ended with %s and restarts in %g s: %s", code, pause, reason)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _MAX_PAUSE_SECONDS)


async def _run(socket: Path, root: str, state: Path) -> int:
    reading, writing = os.pipe()
    try:
        try:
            host = await _start(socket, root, state, "--until-eof", stdin=reading)
        finally:
            os.close(reading)
        try:
            return await host.wait()
        finally:
            await asyncio.shield(_terminate(host))
    finally:
        os.close(writing)


async def _terminate(host: asyncio.subprocess.Process) -> None:
    if host.returncode is not None:
        return
    with suppress(ProcessLookupError):
        host.terminate()
    try:
        async with asyncio.timeout(_TERMINATION_SECONDS):
            await host.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            host.kill()
        await host.wait()


async def _start(socket: Path, root: str, state: Path, *options: str, stdin: int) -> asyncio.subprocess.Process:
    """Starts the host in its own session, so that Ctrl-C in a terminal only reaches the server."""
    with _open_log(socket) as log:
        return await asyncio.create_subprocess_exec(
            *_command(socket, root, state, options), stdin=stdin, stdout=log, stderr=log, start_new_session=True
        )


def start_detached(socket: Path, root: str, state: Path, *options: str) -> "subprocess.Popen[bytes]":
    """Starts a host that may outlive this process: asyncio would kill the child when its loop is closed."""
    with _open_log(socket) as log:
        return subprocess.Popen(
            _command(socket, root, state, options),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def last_log_line(socket: Path) -> str:
    """Returns the last line of its log, which says why it ended."""
    try:
        lines = _log_path(socket).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:500] if lines else ""


@contextmanager
def _open_log(socket: Path) -> Iterator[int]:
    log = os.open(_log_path(socket), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        if os.fstat(log).st_size > _MAX_LOG_BYTES:
            os.ftruncate(log, 0)
        yield log
    finally:
        os.close(log)


def _log_path(socket: Path) -> Path:
    return socket.with_suffix(".log")


def _command(socket: Path, root: str, state: Path, options: Sequence[str]) -> list[str]:
    arguments = ["--socket", str(socket), "--workspace-root", root, "--state", str(state)]
    return [sys.executable, "-m", "handrail", "desktop-host", *arguments, *options]
