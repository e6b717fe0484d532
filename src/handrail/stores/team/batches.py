"""Batches small writes from an event loop: they are queued in order, and all pending ones share one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handrail.ports.errors import Failure
from handrail.stores.team.database import Connection, Row, TeamDatabase, count_of


@dataclass(frozen=True, slots=True)
class Statement:
    """`refusal` is raised if no row is found or changed; the whole write is then rolled back."""

    query: str
    values: Sequence[Any]
    refusal: Failure | None = None


_Pending = tuple[tuple[Statement, ...], "asyncio.Future[None]"]


class TeamBatches:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = TeamDatabase(database.url, database.engine, is_durable=False)
        self._pending: list[_Pending] = []
        self._flushing: asyncio.Task[None] | None = None
        self._last: asyncio.Future[None] | None = None

    def write(self, *statements: Statement) -> asyncio.Future[None]:
        """Done once all statements are committed together. Cancelling the wait doesn't cancel the write."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_mark_retrieved)
        self._pending.append((statements, done))
        self._last = done
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        result = asyncio.shield(done)
        result.add_done_callback(_mark_retrieved)
        return result

    def execute(self, query: str, *values: Any) -> asyncio.Future[None]:
        return self.write(Statement(query, values))

    async def rows(self, query: str, *values: Any) -> list[Row]:
        """Reads after all writes that were queued before; doesn't wait for later ones."""
        if self._last is not None and not self._last.done():
            await asyncio.wait({self._last})
        return await self._database.rows(query, *values)

    async def row(self, query: str, *values: Any) -> Row | None:
        rows = await self.rows(query, *values)
        return rows[0] if rows else None

    async def close(self) -> None:
        while self._flushing is not None:
            await asyncio.shield(self._flushing)
        await asyncio.to_thread(self._database.disconnect)

    async def _flush(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                for (_, done), failure in zip(batch, await self._commit_batch(batch), strict=True):
                    if failure is None:
                        done.set_result(None)
                    else:
                        done.set_exception(failure)
        finally:
            self._flushing = None

    async def _commit_batch(self, batch: Sequence[_Pending]) -> list[Failure | None]:
        """The failure of each write, or None. A write that fails doesn't affect the others."""
        try:
            await self._database.call(lambda rows: _commit(rows, [each for work, _ in batch for each in work]))
            return [None] * len(batch)
        except Failure as failure:
            if len(batch) == 1:
                return [failure]
        return [outcome for pending in batch for outcome in await self._commit_batch([pending])]


async def _commit(rows: Connection, statements: Sequence[Statement]) -> None:
    if len(statements) == 1:
        await _execute(rows, statements[0])
        return
    async with rows.transaction():
        for statement in statements:
            await _execute(rows, statement)


async def _execute(rows: Connection, statement: Statement) -> None:
    status: str = await rows.execute(statement.query, *statement.values)
    if statement.refusal is not None and count_of(status) == 0:
        raise statement.refusal


def _mark_retrieved(done: asyncio.Future[None]) -> None:
    """Keeps asyncio from logging an exception that no one awaits."""
    if not done.cancelled():
        done.exception()
