"""Counts the questions of the last minute, in the state's database."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_WINDOW = 60.0


class SqliteQuestions:
    """`clock` gives seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def note(self, who: str, most: int) -> bool:
        def add(rows: "sqlite3.Connection") -> bool:
            now = self._clock()
            rows.execute("DELETE FROM asked WHERE at < ? OR at > ?", (now - _WINDOW, now))
            (count,) = rows.execute("SELECT count(*) FROM asked WHERE who = ?", (who,)).fetchone()
            if count >= most:
                return False
            rows.execute("INSERT INTO asked (who, at) VALUES (?, ?)", (who, now))
            return True

        return await self._database.write(add, is_durable=False)

    async def forget_one(self, who: str) -> None:
        last = "DELETE FROM asked WHERE rowid = (SELECT max(rowid) FROM asked WHERE who = ?)"
        await self._database.write(lambda rows: rows.execute(last, (who,)).rowcount, is_durable=False)
