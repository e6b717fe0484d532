"""Blocking work beside the loop that nothing leaves half done."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def settled(work: Callable[[], T]) -> T:
    """In a thread. Who is cancelled meanwhile still waits for its end: what is written is written."""
    future = asyncio.get_running_loop().run_in_executor(None, work)
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError as stop:
            cancelled = stop
    if cancelled is not None:
        if not future.cancelled():
            future.exception()  # looked at, so that nobody complains that it was not
        raise cancelled
    return future.result()
