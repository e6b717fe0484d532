"""Keeps a host alive beside the server: starts it, starts it again when it dies, takes it along at the end.

The host holds the other end of a pipe of ours, so it ends also when we are killed.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from handrail.features.desktop.host_client.program import last_words, started

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_LIVED_WELL_SECONDS = 60.0
_ENDS_WITHIN = 5.0

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
    """Without end. Who dies at once waits longer before the next attempt."""
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
            host = await started(socket, root, state, "--until-eof", stdin=reading)
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
