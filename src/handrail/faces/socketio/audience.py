"""The connected pages of people."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack

from handrail.ports.waiting import enter_in_thread

Watching = Callable[[], AbstractContextManager[None]]


class Audience:
    """`watching` is entered with the first and left with the last; it may block."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching
        self._present: set[str] = set()
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()

    async def add(self, sid: str) -> None:
        async with self._lock:
            if not self._present:
                await self._stack.enter_async_context(enter_in_thread(self._watching()))
            self._present.add(sid)

    async def remove(self, sid: str) -> None:
        async with self._lock:
            self._present.discard(sid)
            if not self._present:
                await self._stack.aclose()
