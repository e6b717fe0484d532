"""Keys that were used: rows in the state's database, forgotten after a month."""

import time
from collections.abc import Callable

from handrail.stores.local.database import Database

_KEPT_SECONDS = 30 * 24 * 3600


class SqliteOnce:
    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def claim(self, key: str) -> bool:
        now = self._clock()
        with self._database.writing(is_durable=True) as connection:
            connection.execute("DELETE FROM claimed WHERE at < ?", (now - _KEPT_SECONDS,))
            claimed = connection.execute("INSERT OR IGNORE INTO claimed (key, at) VALUES (?, ?)", (key, now))
            return claimed.rowcount == 1
