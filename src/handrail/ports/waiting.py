"""Waits for work in threads to the end even when cancelled, so that it is always clear whether a write happened."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T], executor: Executor | None = None) -> T:
    """Runs work in a thread. A cancelled caller still waits for its end."""
    return await finish(asyncio.get_running_loop().run_in_executor(executor, work))


async def finish(future: asyncio.Future[T]) -> T:
    """The result of a future. A cancelled caller still waits for it and is cancelled then."""
    try:
        await asyncio.wait({future})
    except asyncio.CancelledError:
        await wait_until_done(future)
        if not future.cancelled():
            future.exception()  # marks it as retrieved, so that asyncio doesn't log it
        raise
    return future.result()


async def wait_until_done(future: asyncio.Future[T]) -> None:
    """Waits however often we are cancelled. Without the shield, anyio would cancel us again and again."""
    import anyio  # takes 20 ms, and most calls are never cancelled

    with anyio.CancelScope(shield=True):
        while not future.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({future})


@asynccontextmanager
async def enter_in_thread(manager: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enters and leaves a blocking context manager in threads. If entering is cancelled, it is left again."""
    entering = asyncio.get_running_loop().run_in_executor(None, manager.__enter__)
    try:
        value = await finish(entering)
    except asyncio.CancelledError:
        if entering.exception() is None:
            await finish(asyncio.ensure_future(asyncio.to_thread(manager.__exit__, None, None, None)))
        raise
    try:
        yield value
    finally:
        await finish(asyncio.ensure_future(asyncio.to_thread(manager.__exit__, None, None, None)))
