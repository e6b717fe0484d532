"""Calls of one task run in the order in which they came; calls of different tasks run side by side."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class _Lane:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()  # FIFO: waiters are served in the order of arrival
        self.users = 0


class Lanes:
    def __init__(self) -> None:
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def turn(self, key: str | None) -> AsyncIterator[None]:
        """Waits for the task's earlier calls; without a key there is nothing to wait for."""
        if key is None:
            yield
            return
        lane = self._lanes.setdefault(key, _Lane())
        lane.users += 1
        try:
            async with lane.lock:
                yield
        finally:
            lane.users -= 1
            if lane.users == 0:
                del self._lanes[key]
