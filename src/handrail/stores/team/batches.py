"""Many small writes from an event loop: each has its place in the order, and all that wait share one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handrail.ports.errors import Failure
from handrail.stores.team.database import Connection, Row, TeamDatabase, count_of


@dataclass(frozen=True, slots=True)
class Statement:
    """`refusal` is raised where it finds or changes no row; then nothing that is written with it is."""

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
        """Done once they are committed, together. Cancelling the wait doesn't cancel the write."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_looked_at)
        self._pending.append((statements, done))
        self._last = done
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        shown = asyncio.shield(done)
        shown.add_done_callback(_looked_at)
        return shown

    def execute(self, query: str, *values: Any) -> asyncio.Future[None]:
        return self.write(Statement(query, values))

    async def rows(self, query: str, *values: Any) -> list[Row]:
        """Sees every write that was queued before, and waits for no later one."""
        if self._last is not None and not self._last.done():
            await asyncio.wait({self._last})
        return await self._database.rows(query, *values)

    async def row(self, query: str, *values: Any) -> Row | None:
        found = await self.rows(query, *values)
        return found[0] if found else None

    async def close(self) -> None:
        while self._flushing is not None:
            await asyncio.shield(self._flushing)
        await asyncio.to_thread(self._database.disconnect)

    async def _flush(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                for (_, done), failure in zip(batch, await self._written(batch), strict=True):
                    if failure is None:
                        done.set_result(None)
                    else:
                        done.set_exception(failure)
        finally:
            self._flushing = None

    async def _written(self, batch: Sequence[_Pending]) -> list[Failure | None]:
        """The failure of each. One that fails doesn't affect the others."""
        try:
            await self._database.call(lambda rows: _commit(rows, [each for work, _ in batch for each in work]))
            return [None] * len(batch)
        except Failure as failure:
            if len(batch) == 1:
                return [failure]
        return [outcome for one in batch for outcome in await self._written([one])]


async def _commit(rows: Connection, statements: Sequence[Statement]) -> None:
    if len(statements) == 1:
        await _execute(rows, statements[0])
        return
    async with rows.transaction():
        for statement in statements:
            await _execute(rows, statement)


async def _execute(rows: Connection, statement: Statement) -> None:
    done: str = await rows.execute(statement.query, *statement.values)
    if statement.refusal is not None and count_of(done) == 0:
        raise statement.refusal


def _looked_at(done: asyncio.Future[None]) -> None:
    if not done.cancelled():
        done.exception()
