"""Batches on SQLite, which runs in a thread of its own, never in the loop's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from handrail.ports.errors import Failure
from handrail.stores.local.database import Database
from handrail.stores.local.rows import for_sqlite
from handrail.stores.shared.batches import Batches, Row, Statement

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

_LOG_LENGTH = 100
"""Commits after which the log is written back to the database."""


class SqliteBatches(Batches):
    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._thread = ThreadPoolExecutor(1, "batches")  # more threads would only wait for each other
        self._commits = 0

    async def _commit(self, statements: Sequence[Statement]) -> None:
        def commit() -> None:
            with self._database.writing(is_durable=False) as connection:
                for statement in statements:
                    _execute(connection, statement)
            self._commits += 1
            if self._commits % _LOG_LENGTH == 0:
                with suppress(Failure):  # the next one may do it
                    self._database.checkpoint()

        await self._in_thread(commit)

    async def _write_permission(self, query: str, values: Sequence[Any]) -> None:
        def write() -> None:
            with self._database.writing_permissions() as connection:
                connection.execute(for_sqlite(query), values)

        await self._in_thread(write)

    async def _fetch(self, query: str, values: Sequence[Any]) -> Sequence[Row]:
        def fetch() -> Sequence[Row]:
            with self._database.reading() as connection:
                return connection.execute(for_sqlite(query), values).fetchall()

        return await self._in_thread(fetch)

    async def _close(self) -> None:
        await self._in_thread(self._database.close)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _execute(connection: sqlite3.Connection, statement: Statement) -> None:
    cursor = connection.execute(for_sqlite(statement.query), statement.values)
    if statement.refusal is not None and cursor.rowcount == 0:
        raise statement.refusal
