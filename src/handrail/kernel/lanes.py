"""Lanes: calls of one task run in order of arrival, calls of different tasks at the same time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager


class Lanes:
    def __init__(self) -> None:
        self._lanes: dict[str, list[Turn]] = {}

    @asynccontextmanager
    async def turn(self, key: str | None) -> AsyncIterator[None]:
        """Waits for the lane's earlier calls; without a key it doesn't wait."""
        turn = self.take(key)
        try:
            await turn.wait()
            yield
        finally:
            turn.leave()

    def take(self, key: str | None) -> "Turn":
        """A turn at the end of the lane. Its owner must call `leave`, whatever happens."""
        turn = Turn(self._lanes, key)
        if key is not None:
            self._lanes.setdefault(key, []).append(turn)
        return turn


class Turn:
    """A call's place in a lane, from its arrival until `leave`."""

    subject: str | None = None
    """What the call changes, for the calls after it."""

    def __init__(self, lanes: dict[str, list["Turn"]], key: str | None) -> None:
        self._lanes = lanes
        self._key = key
        self._waiting: asyncio.Future[None] | None = None

    @property
    def is_first(self) -> bool:
        return self._key is None or self._lanes[self._key][0] is self

    @property
    def earlier_subjects(self) -> Iterator[str | None]:
        """The subjects of earlier calls that are still in the lane."""
        for earlier in self._lanes[self._key] if self._key is not None else ():
            if earlier is self:
                return
            yield earlier.subject

    async def wait(self) -> None:
        """Waits for all earlier calls."""
        if not self.is_first:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting

    def leave(self) -> None:
        """May be called before or after the turn begins; calling it again has no effect."""
        if self._key is None:
            return
        key, self._key = self._key, None
        lane = self._lanes[key]
        is_passed_on = lane[0] is self
        lane.remove(self)
        if not lane:
            del self._lanes[key]
        elif is_passed_on and (next_one := lane[0]._waiting) is not None and not next_one.done():
            next_one.set_result(None)
