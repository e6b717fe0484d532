"""Waits for what another process does."""

import asyncio
from collections.abc import Callable
from pathlib import Path

_WITHIN = 20.0
_LOOK_EVERY = 0.01


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(_WITHIN):
        while True:
            if is_so():
                return
            await asyncio.sleep(_LOOK_EVERY)


async def gone(pid: int) -> None:
    await until(lambda: not Path(f"/proc/{pid}").exists())
