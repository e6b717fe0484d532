"""What PostgreSQL announces: one connection that listens for all who want to know, and comes back when it is lost."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from handrail.stores.team.database import SETTINGS, TeamDatabase

_AGAIN_AFTER = 0.5
_LOOK_EVERY = 5.0
"""What was announced while a connection was half dead is noticed then."""

logger = logging.getLogger(__name__)


class Listener:
    """Starts with the first who wants to know something. `topic` is what is announced: `prompts`, `access`, `nodes`."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database
        self._turn = threading.Lock()
        self._told: dict[str, set[Callable[[], None]]] = {}
        self._following: Future[None] | None = None

    def tell(self, topic: str, wake: Callable[[], None]) -> Callable[[], None]:
        """`wake` is called from another thread after each change, and after each loss of the connection.

        Returns what ends it.
        """
        with self._turn:
            self._told.setdefault(topic, set()).add(wake)
            if self._following is None:
                self._following = self._database.engine.submit(self._follow())

        def end() -> None:
            with self._turn:
                self._told[topic].discard(wake)

        return end

    @asynccontextmanager
    async def watching(self, *topics: str, look_every: float = _LOOK_EVERY) -> AsyncIterator[ChangeWatch]:
        """`look_every`: how often there may be a change that is not announced."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        event.set()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(event.set)

        ends = [self.tell(topic, wake) for topic in topics]
        try:
            yield ChangeWatch(event, look_every)
        finally:
            for end in ends:
                end()

    def close(self) -> None:
        if self._following is not None:
            self._following.cancel()

    async def _follow(self) -> None:
        while True:
            try:
                await self._listen()
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as lost:
                logger.warning(
                    "%s announces nothing now: %s", self._database.location, str(lost) or "no answer in time"
                )
            await asyncio.sleep(_AGAIN_AFTER)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(self._database.url, timeout=5, server_settings=SETTINGS)
        lost = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: lost.set())
            channel = await connection.fetchval("SELECT channel()")
            await connection.add_listener(channel, self._heard)
            self._wake(None)
            while not lost.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(lost.wait(), _LOOK_EVERY)
                    return
                await asyncio.wait_for(connection.fetchval("SELECT 1"), _LOOK_EVERY)
        finally:
            connection.terminate()

    def _heard(self, connection: Any, pid: int, channel: str, topic: object) -> None:
        self._wake(str(topic))

    def _wake(self, topic: str | None) -> None:
        with self._turn:
            wakes = [wake for name, known in self._told.items() if topic in (None, name) for wake in known]
        for wake in wakes:
            wake()


class ChangeWatch:
    def __init__(self, event: asyncio.Event, look_every: float) -> None:
        self._event = event
        self._look_every = look_every

    async def change(self) -> None:
        """Returns after a change, at once the first time, and now and then without one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._look_every):
                await self._event.wait()
        self._event.clear()
