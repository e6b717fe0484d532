"""One at a time for an app's sign-in, in all processes: to renew it, to replace it, to end it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

Turn = Callable[[str], AbstractContextManager[None]]
"""A lock by an app's id that all processes share; who waits for it blocks."""


@asynccontextmanager
async def alone(turn: Turn, app: str) -> AsyncIterator[None]:
    own = turn(app)
    await asyncio.to_thread(own.__enter__)
    try:
        yield
    finally:
        own.__exit__(None, None, None)
