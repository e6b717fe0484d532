"""Blocking work in a thread, ended cleanly: who is cancelled waits until the thread is through."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from handrail.kernel.call import Call

T = TypeVar("T")


async def in_thread(call: Call, work: Callable[[], T], *, is_final: bool = False) -> T:
    """When the call is cancelled, `call.checkpoint()` stops the work; what passed its last one is finished.

    Final work is what the call is for: if it was finished, its result counts and the cancellation came too late.
    So a write is done or not done, and the answer says which.
    """
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        await asyncio.wait({future})
    except asyncio.CancelledError:
        call.is_aborted = True
        await _ended(future)
        has_failed = future.exception() is not None
        if has_failed or not is_final:
            raise
    return future.result()


async def settled(work: Callable[[], T]) -> T:
    """In a thread. Who is cancelled meanwhile still waits for its end: what is written is written."""
    return await finished(asyncio.get_running_loop().run_in_executor(None, work))


async def finished(future: asyncio.Future[T]) -> T:
    """The same for work that another thread has begun."""
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


async def _ended(future: asyncio.Future[T]) -> None:
    """However often we are cancelled. Without the shield, anyio's scopes would do so without a pause."""
    import anyio  # 20 ms, and most calls are never cancelled

    with anyio.CancelScope(shield=True):
        while not future.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({future})
