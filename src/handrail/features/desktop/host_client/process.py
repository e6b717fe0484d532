"""The host's process: how it is started, and kept alive beside the server.

The host reads from a pipe of ours, so it ends even if we are killed.
"""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_LIVED_WELL_SECONDS = 60.0
_ENDS_WITHIN = 5.0
_LARGEST_LOG = 1 << 20

logger = logging.getLogger(__name__)


@asynccontextmanager
async def kept_host(socket: Path, root: str, state: Path) -> AsyncIterator[None]:
    keeping = asyncio.create_task(_keep(socket, root, state))
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


async def _keep(socket: Path, root: str, state: Path) -> None:
    """Runs until cancelled. The pause before the next start grows while the host keeps ending early."""
    clock, pause = asyncio.get_running_loop().time, _FIRST_PAUSE
    while True:
        began = clock()
        try:
            code = await _run(socket, root, state)
        except OSError as error:
            code, words = -1, str(error)
        else:
            words = last_words(socket)
        pause = _FIRST_PAUSE if clock() - began >= _LIVED_WELL_SECONDS else pause
        logger.warning("the desktop's host ended with %s, and starts again in %g s: %s", code, pause, words)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


async def _run(socket: Path, root: str, state: Path) -> int:
    reading, writing = os.pipe()
    try:
        try:
            host = await _started(socket, root, state, "--until-eof", stdin=reading)
        finally:
            os.close(reading)
        try:
            return await host.wait()
        finally:
            await asyncio.shield(_ended(host))
    finally:
        os.close(writing)


async def _ended(host: asyncio.subprocess.Process) -> None:
    if host.returncode is not None:
        return
    with suppress(ProcessLookupError):
        host.terminate()
    try:
        async with asyncio.timeout(_ENDS_WITHIN):
            await host.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            host.kill()
        await host.wait()


async def _started(socket: Path, root: str, state: Path, *more: str, stdin: int) -> asyncio.subprocess.Process:
    """In a session of its own, so that Ctrl-C in a terminal reaches only the server."""
    with _log_of(socket) as log:
        return await asyncio.create_subprocess_exec(
            *_command(socket, root, state, more), stdin=stdin, stdout=log, stderr=log, start_new_session=True
        )


def detached(socket: Path, root: str, state: Path, *more: str) -> "subprocess.Popen[bytes]":
    """For a caller that may end first: asyncio would kill the child when its loop is closed."""
    with _log_of(socket) as log:
        return subprocess.Popen(
            _command(socket, root, state, more),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def last_words(socket: Path) -> str:
    """The last line of its log, to say why it ended."""
    try:
        lines = _log(socket).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:500] if lines else ""


@contextmanager
def _log_of(socket: Path) -> Iterator[int]:
    log = os.open(_log(socket), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        if os.fstat(log).st_size > _LARGEST_LOG:
            os.ftruncate(log, 0)
        yield log
    finally:
        os.close(log)


def _log(socket: Path) -> Path:
    return socket.with_suffix(".log")


def _command(socket: Path, root: str, state: Path, more: Sequence[str]) -> list[str]:
    places = ["--socket", str(socket), "--workspace-root", root, "--state", str(state)]
    return [sys.executable, "-m", "handrail", "desktop-host", *places, *more]
