"""Stores grants for tasks. They are looked up at every call, so a revocation takes effect at once everywhere."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from handrail.ports.approval_card import Grant
from handrail.ports.grants import TaskGrant
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

Row = tuple[str, bytes, str, str, str]

_COLUMNS = "id, grant, caller, at, by"


class SqliteTaskGrants:
    def __init__(self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._now = now

    async def add(self, grant: Grant, *, caller: str, by: str) -> TaskGrant:
        at = self._now().isoformat(timespec="seconds")
        row: Row = (secrets.token_hex(6), msgspec.json.encode(grant), caller, at, by)

        def add(rows: "sqlite3.Connection") -> None:
            rows.execute(
                f"INSERT INTO task_grant ({_COLUMNS}, identity, task) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, grant.identity, grant.task),
            )

        await self._database.write_permissions(add)
        return _read(row)

    async def for_task(self, identity: str, task: str) -> Sequence[TaskGrant]:
        query = f"SELECT {_COLUMNS} FROM task_grant WHERE identity = ? AND task = ?"
        rows = await self._database.read(lambda rows: rows.execute(query, (identity, task)).fetchall())
        return [_read(row) for row in rows]

    async def all(self) -> Sequence[TaskGrant]:
        newest_first = f"SELECT {_COLUMNS} FROM task_grant ORDER BY at DESC, id"
        rows = await self._database.read(lambda rows: rows.execute(newest_first).fetchall())
        return [_read(row) for row in rows]

    async def revoke(self, id: str) -> bool:
        removal = "DELETE FROM task_grant WHERE id = ?"
        return await self._database.write_permissions(lambda rows: rows.execute(removal, (id,)).rowcount == 1)

    async def end_task(self, task: str) -> None:
        await self._database.write_permissions(
            lambda rows: rows.execute("DELETE FROM task_grant WHERE task = ?", (task,)).rowcount
        )

    async def end_for(self, identity: str, task: str | None) -> int:
        removal = "DELETE FROM task_grant WHERE identity = ? AND (? IS NULL OR task = ?)"
        return await self._database.write_permissions(
            lambda rows: rows.execute(removal, (identity, task, task)).rowcount
        )


def _read(row: Row) -> TaskGrant:
    id, grant, caller, at, by = row
    return TaskGrant(id, msgspec.json.decode(grant, type=Grant), caller, at, by)
