"""What all transports share: the answering function, when to stop, and how many calls run at once."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

Answer = Callable[[str | bytes], Coroutine[Any, Any, str]]


class CantServe(Exception):
    """The app can't be reached here; the message says why and what to do."""


@asynccontextmanager
async def stop_signals() -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM and SIGINT set, to stop serving in an orderly way."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def first_of(*waits: Awaitable[Any]) -> int:
    """Waits for the first to end and returns its index; the others are cancelled."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(place for place, task in enumerate(tasks) if task.done())
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


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
        """Returns when there was no call for so many seconds after the last answer; never with None."""
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
