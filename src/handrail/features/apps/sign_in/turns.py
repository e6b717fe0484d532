"""One at a time for an app's sign-in, in all processes: to renew it, to replace it, to end it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

from handrail.ports.waiting import entered

Turn = Callable[[str], AbstractContextManager[None]]
"""A lock by an app's id that all processes share; who waits for it blocks."""


@asynccontextmanager
async def alone(turn: Turn, app: str) -> AsyncIterator[None]:
    async with entered(turn(app)):
        yield
