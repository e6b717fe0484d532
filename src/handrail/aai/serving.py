"""What every way to serve has in common: who answers, and until when."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

Answer = Callable[[str | bytes], Coroutine[Any, Any, str]]


class CantServe(Exception):
    """There is no way to be reached here; the message says why and what to do."""


@asynccontextmanager
async def stop_signals() -> AsyncIterator[asyncio.Event]:
    """Set by SIGTERM and SIGINT: whoever serves ends in order."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def first_of(*waits: Awaitable[Any]) -> int:
    """Which of them ended first, by its place; the others are cancelled."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(place for place, task in enumerate(tasks) if task.done())
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
