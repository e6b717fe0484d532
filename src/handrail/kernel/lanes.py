"""Calls of one task run in the order in which they came; calls of different tasks run side by side."""

import asyncio
from collections.abc import AsyncIterator, Callable
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
        leave = await self.enter(key)
        try:
            yield
        finally:
            leave()

    async def enter(self, key: str | None) -> Callable[[], None]:
        """The same without a block: who has entered calls what it gets to leave."""
        if key is None:
            return _stay
        lane = self._lanes.setdefault(key, _Lane())
        lane.users += 1
        try:
            await lane.lock.acquire()
        except BaseException:
            self._give_up(key, lane)
            raise

        def leave() -> None:
            lane.lock.release()
            self._give_up(key, lane)

        return leave

    def _give_up(self, key: str, lane: _Lane) -> None:
        lane.users -= 1
        if lane.users == 0:
            del self._lanes[key]


def _stay() -> None:
    """There is nothing to leave."""
