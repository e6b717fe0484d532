"""Keys that were used: rows in the state's database, forgotten after a month."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_KEPT_SECONDS = 30 * 24 * 3600


class SqliteOnce:
    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, key: str) -> bool:
        def add(rows: "sqlite3.Connection") -> bool:
            now = self._clock()
            rows.execute("DELETE FROM claimed WHERE at < ?", (now - _KEPT_SECONDS,))
            claimed = rows.execute("INSERT OR IGNORE INTO claimed (key, at) VALUES (?, ?)", (key, now))
            return claimed.rowcount == 1

        return await self._database.write(add, is_durable=True)
