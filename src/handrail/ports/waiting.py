"""Waiting for work in a thread to its end: what is written is written, also where nobody waits for it any more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T], executor: Executor | None = None) -> T:
    """In a thread. Who is cancelled meanwhile still waits for its end: what is written is written."""
    return await finish(asyncio.get_running_loop().run_in_executor(executor, work))


async def finish(future: asyncio.Future[T]) -> T:
    """Its outcome. Who is cancelled meanwhile waits for it nevertheless, and is cancelled then."""
    try:
        await asyncio.wait({future})
    except asyncio.CancelledError:
        await wait_until_done(future)
        if not future.cancelled():
            future.exception()  # looked at, so that nobody complains that it was not
        raise
    return future.result()


async def wait_until_done(future: asyncio.Future[T]) -> None:
    """However often we are cancelled. Without the shield, anyio's scopes would do so without a pause."""
    import anyio  # 20 ms, and most calls are never cancelled

    with anyio.CancelScope(shield=True):
        while not future.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({future})


@asynccontextmanager
async def enter_in_thread(manager: AbstractContextManager[T]) -> AsyncIterator[T]:
    """A context manager that blocks, entered and left in threads. Who is cancelled on the way in has left it again."""
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
