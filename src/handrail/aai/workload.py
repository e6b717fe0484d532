"""The requests that are being answered, and whether there are none: each in a task of its own, none lost."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Workload:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_empty = asyncio.Event()
        self._is_empty.set()
        self._came = asyncio.Event()

    def add(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        self._is_empty.clear()
        self._came.set()
        task.add_done_callback(self._done)

    async def until_empty(self) -> None:
        await self._is_empty.wait()

    async def until_idle(self, seconds: float | None) -> None:
        """Returns when nothing was asked for that long since the last answer; None waits for ever."""
        while True:
            await self._is_empty.wait()
            self._came.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._came.wait()
            except TimeoutError:
                if not self._came.is_set():
                    return

    async def cancel(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self._is_empty.set()
