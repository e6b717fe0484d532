"""Blocking work in a thread, ended cleanly: a cancelled call waits until its thread is through."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from handrail.contract.call import Call

T = TypeVar("T")


async def in_thread(call: Call, work: Callable[[], T]) -> T:
    """When the call is cancelled, `call.checkpoint()` stops the work; what passed its last one is finished.

    So a write is done or not done, and the answer says which.
    """
    future = asyncio.get_running_loop().run_in_executor(None, work)
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError as stop:
            cancelled = stop
            call.is_aborted = True
    if cancelled is not None and future.exception() is not None:
        raise cancelled
    return future.result()
