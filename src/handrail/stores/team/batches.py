"""Batches on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from handrail.stores.shared.batches import Batches, Row, Statement
from handrail.stores.team.database import Connection, TeamDatabase, count_of


class TeamBatches(Batches):
    def __init__(self, database: TeamDatabase) -> None:
        super().__init__()
        self._durable = database
        self._database = TeamDatabase(database.url, database.engine, is_durable=False)

    async def _commit(self, statements: Sequence[Statement]) -> None:
        async def commit(rows: Connection) -> None:
            if len(statements) == 1:
                await _execute(rows, statements[0])
                return
            async with rows.transaction():
                for statement in statements:
                    await _execute(rows, statement)

        await self._database.call(commit)

    async def _write_permission(self, query: str, values: Sequence[Any]) -> None:
        await self._durable.execute(query, *_storable(values))

    async def _fetch(self, query: str, values: Sequence[Any]) -> Sequence[Row]:
        return await self._database.rows(query, *values)

    async def _close(self) -> None:
        await asyncio.to_thread(self._database.disconnect)


async def _execute(rows: Connection, statement: Statement) -> None:
    status: str = await rows.execute(statement.query, *_storable(statement.values))
    if statement.refusal is not None and count_of(status) == 0:
        raise statement.refusal


def _storable(values: Sequence[Any]) -> list[Any]:
    """Replaces NULs and lone surrogates in texts, which PostgreSQL can't store."""
    return [
        value.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for value in values
    ]
