"""Stores grants for tasks. They are looked up at every call, so a revocation takes effect at once everywhere."""

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.ports.approval_card import Grant
from handrail.ports.grants import TaskGrant
from handrail.stores.shared.rows import Rows

_COLUMNS = 'id, "grant", caller, at, by'
_ADD = f"INSERT INTO task_grant ({_COLUMNS}, identity, task) VALUES ($1, $2, $3, $4, $5, $6, $7)"


class TaskGrantRows:
    def __init__(self, rows: Rows, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._rows = rows
        self._now = now

    async def add(self, grant: Grant, *, caller: str, by: str) -> TaskGrant:
        at = self._now().isoformat(timespec="seconds")
        stored = TaskGrant(secrets.token_hex(6), grant, caller, at, by)
        place = (None if value is UNSET else value for value in (grant.identity, grant.task))
        await self._rows.execute(_ADD, stored.id, msgspec.json.encode(grant), caller, at, by, *place)
        return stored

    async def for_task(self, identity: str, task: str) -> Sequence[TaskGrant]:
        query = f"SELECT {_COLUMNS} FROM task_grant WHERE identity = $1 AND task = $2"
        return [_read(row) for row in await self._rows.rows(query, identity, task)]

    async def all(self) -> Sequence[TaskGrant]:
        newest_first = f"SELECT {_COLUMNS} FROM task_grant ORDER BY at DESC, id"
        return [_read(row) for row in await self._rows.rows(newest_first)]

    async def revoke(self, id: str) -> bool:
        return await self._rows.execute("DELETE FROM task_grant WHERE id = $1", id) == 1

    async def end_task(self, task: str) -> None:
        await self._rows.execute("DELETE FROM task_grant WHERE task = $1", task)

    async def end_for(self, identity: str, task: str | None) -> int:
        removal = "DELETE FROM task_grant WHERE identity = $1 AND (CAST($2 AS text) IS NULL OR task = $2)"
        return await self._rows.execute(removal, identity, task)


def _read(row: Sequence[Any]) -> TaskGrant:
    id, grant, caller, at, by = row
    return TaskGrant(id, msgspec.json.decode(grant, type=Grant), caller, at, by)
