"""The consoles that are open: while there is one, questions have somebody who watches."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack

from handrail.ports.waiting import entered

Watching = Callable[[], AbstractContextManager[None]]


class Audience:
    """`watching` is entered when the first comes and left when the last goes; it may block."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching
        self._present: set[str] = set()
        self._held = AsyncExitStack()
        self._turn = asyncio.Lock()

    async def come(self, who: str) -> None:
        async with self._turn:
            if not self._present:
                await self._held.enter_async_context(entered(self._watching()))
            self._present.add(who)

    async def go(self, who: str) -> None:
        async with self._turn:
            self._present.discard(who)
            if not self._present:
                await self._held.aclose()
