"""The owners of tasks, in the state's database: of any number who claim a task at once, one gets it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.ports.task_owners import Owner
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_FIND = "SELECT identity, agent FROM task_owner WHERE task = ?"
_ADD = "INSERT OR IGNORE INTO task_owner (task, identity, agent, at) VALUES (?, ?, ?, ?)"
_GIVE = "INSERT OR REPLACE INTO task_owner (task, identity, agent, at) VALUES (?, ?, ?, ?)"


class SqliteTaskOwners:
    """`clock` gives seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, task: str, owner: Owner) -> Owner:
        def find(rows: "sqlite3.Connection") -> Owner | None:
            found = rows.execute(_FIND, (task,)).fetchone()
            return None if found is None else Owner(*found)

        def add(rows: "sqlite3.Connection") -> Owner:
            rows.execute(_ADD, (task, owner.identity, owner.agent, self._clock()))
            found = find(rows)
            return owner if found is None else found

        found: Owner | None = await self._database.read(find)
        return found if found is not None else await self._database.write(add, is_durable=False)

    async def give(self, task: str, owner: Owner) -> None:
        row = (task, owner.identity, owner.agent, self._clock())
        await self._database.write(lambda rows: rows.execute(_GIVE, row).rowcount, is_durable=True)
