"""Stores the owners of tasks; if several callers claim a task at once, one gets it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.ports.errors import Damaged
from handrail.ports.task_owners import Owner
from handrail.stores.local import sealed_rows
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3


class SqliteTaskOwners:
    """`clock` gives seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._seals = sealed_rows.RowSeals(database.path.parent)
        self._clock = clock

    async def find(self, task: str) -> Owner | None:
        return await self._database.read(lambda rows: self._find(rows, task))

    async def claim(self, task: str, owner: Owner) -> Owner:
        def claim_once(rows: "sqlite3.Connection") -> Owner:
            if (existing := self._find(rows, task)) is not None:
                return existing
            self._add(rows, task, owner)
            return owner

        existing = await self.find(task)
        return existing if existing is not None else await self._database.write(claim_once, is_durable=False)

    async def give(self, task: str, owner: Owner) -> None:
        await self._database.write(lambda rows: self._add(rows, task, owner), is_durable=True)

    def _add(self, rows: "sqlite3.Connection", task: str, owner: Owner) -> None:
        sealed_rows.add(rows, self._seals, "task_owner", (task, owner.identity, owner.agent, self._clock()))

    def _find(self, rows: "sqlite3.Connection", task: str) -> Owner | None:
        """The last owner. Raises Damaged if a row wasn't written by handrail."""
        owner = None
        for (_, identity, agent, _), is_ours in sealed_rows.select(
            rows, self._seals, "task_owner", "task = ?", (task,)
        ):
            if not is_ours:
                raise Damaged(
                    "The owner of this task was changed outside handrail.",
                    hint="Start a new task. Run `handrail audit verify` for details.",
                )
            owner = Owner(identity, agent)
        return owner
