"""Batches small writes from an event loop: they are queued in order, and all pending ones share one commit.

SQLite runs in its own thread, never in the loop's. A write that fails doesn't affect the others. Committed writes
survive a crash, but not always a power cut.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from handrail.ports.errors import Failure
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")
Work = Callable[["sqlite3.Connection"], Any]
_Pending = tuple[Work, "asyncio.Future[Any]"]

_LOG_LENGTH = 100
"""Commits after which the log is written back to the database."""


class Batches:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: list[_Pending] = []
        self._flushing: asyncio.Task[None] | None = None
        self._last: asyncio.Future[Any] | None = None
        self._thread = ThreadPoolExecutor(1, "batches")  # more threads would only wait for each other
        self._commits = 0

    def write(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Done once the work is committed. Cancelling the wait doesn't cancel the write."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_mark_retrieved)
        self._pending.append((work, done))
        self._last = done
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        result = asyncio.shield(done)  # cancelling the wait doesn't cancel the write
        result.add_done_callback(_mark_retrieved)
        return result

    def execute(self, query: str, *values: Any) -> asyncio.Future[None]:
        """`write` for a single statement."""

        def work(rows: sqlite3.Connection) -> None:
            rows.execute(query, values)

        return self.write(work)

    def write_permissions(self, work: Callable[[sqlite3.Connection], Any]) -> asyncio.Future[None]:
        """A durable write in its own transaction, for rows that grant permissions."""

        def write() -> None:
            with self._database.writing_permissions() as connection:
                work(connection)

        done = asyncio.ensure_future(self._in_thread(write))
        done.add_done_callback(_mark_retrieved)
        return asyncio.shield(done)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Reads after all writes that were queued before; doesn't wait for later ones."""
        if self._last is not None and not self._last.done():
            await asyncio.wait({self._last})
        return await self._in_thread(self._read, work)

    async def row(self, query: str, *values: Any) -> Any:
        """`read` for the first row, or None."""
        return await self.read(lambda rows: rows.execute(query, values).fetchone())

    async def rows(self, query: str, *values: Any) -> list[Any]:
        return await self.read(lambda rows: rows.execute(query, values).fetchall())

    async def close(self) -> None:
        while self._flushing is not None:
            await asyncio.shield(self._flushing)
        await self._in_thread(self._database.close)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._database.reading() as connection:
            return work(connection)

    async def _flush(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                for (_, done), outcome in zip(batch, await self._in_thread(self._commit, batch), strict=True):
                    if isinstance(outcome, Failure):
                        done.set_exception(outcome)
                    else:
                        done.set_result(outcome)
        finally:
            self._flushing = None

    def _commit(self, batch: list[_Pending]) -> list[Any]:
        """The result of each write; a Failure if it failed."""
        try:
            with self._database.writing(is_durable=False) as connection:
                outcomes = [work(connection) for work, _ in batch]
            self._commits += 1
            if self._commits % _LOG_LENGTH == 0:
                with suppress(Failure):  # the next one may do it
                    self._database.checkpoint()
            return outcomes
        except Failure as failure:
            if len(batch) == 1:
                return [failure]
        return [outcome for pending in batch for outcome in self._commit([pending])]


def _mark_retrieved(done: asyncio.Future[Any]) -> None:
    """Keeps asyncio from logging an exception that no one awaits."""
    if not done.cancelled():
        done.exception()
