"""Listens to PostgreSQL's notifications on one connection, which is reopened when it is lost."""

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

_RETRY_SECONDS = 0.5
_LOOK_EVERY = 5.0
"""How often to check, so that notifications that were lost with a broken connection are noticed."""

logger = logging.getLogger(__name__)


class Listener:
    """Connects with the first subscriber. Topics are `prompts`, `access`, `nodes` and `audit`."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._callbacks: dict[str, set[Callable[[], None]]] = {}
        self._task: Future[None] | None = None

    def subscribe(self, topic: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` from another thread after each change and each reconnection.

        Returns a function that ends the subscription.
        """
        with self._lock:
            self._callbacks.setdefault(topic, set()).add(wake)
            if self._task is None:
                self._task = self._database.engine.submit(self._follow())

        def end() -> None:
            with self._lock:
                self._callbacks[topic].discard(wake)

        return end

    @asynccontextmanager
    async def watching(self, *topics: str, look_every: float = _LOOK_EVERY) -> AsyncIterator[ChangeWatch]:
        """Yields a watch. `look_every` limits how long a change without notification stays unnoticed."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        event.set()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(event.set)

        ends = [self.subscribe(topic, wake) for topic in topics]
        try:
            yield ChangeWatch(event, look_every)
        finally:
            for end in ends:
                end()

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _follow(self) -> None:
        while True:
            try:
                await self._listen()
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as lost:
                logger.warning(
                    "notifications from %s are interrupted: %s",
                    self._database.location,
                    str(lost) or "no answer in time",
                )
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(self._database.url, timeout=5, server_settings=SETTINGS)
        closed = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: closed.set())
            channel = await connection.fetchval("SELECT channel()")
            await connection.add_listener(channel, self._on_notification)
            self._wake(None)
            while not closed.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(closed.wait(), _LOOK_EVERY)
                    return
                await asyncio.wait_for(connection.fetchval("SELECT 1"), _LOOK_EVERY)
        finally:
            connection.terminate()

    def _on_notification(self, connection: Any, pid: int, channel: str, topic: object) -> None:
        self._wake(str(topic))

    def _wake(self, topic: str | None) -> None:
        with self._lock:
            wakes = [wake for name, callbacks in self._callbacks.items() if topic in (None, name) for wake in callbacks]
        for wake in wakes:
            wake()


class ChangeWatch:
    def __init__(self, event: asyncio.Event, look_every: float) -> None:
        self._event = event
        self._look_every = look_every

    async def change(self) -> None:
        """Returns after a change, at once the first time, and sometimes without a change."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._look_every):
                await self._event.wait()
        self._event.clear()
