"""Stores browser actions: start, end, result and error."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.browser_store import StoredAction
from handrail.ports.errors import Conflict, Failure
from handrail.stores.browser_rows import begun_values, encode_failure, ended_values, interrupted_failure, stored_action
from handrail.stores.local.batches import Batches
from handrail.stores.local.browser_tasks import save_task

if TYPE_CHECKING:
    import sqlite3

_INSERT = """
INSERT INTO browser_action (action_id, task_id, client_id, actions, created_at, trace_id) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""
_END = """
UPDATE browser_action SET status = ?, result = ?, error = ?, ended_at = ? WHERE action_id = ? AND status IS NULL
"""
_INTERRUPT = "UPDATE browser_action SET status = 'error', error = ?, ended_at = ? WHERE status IS NULL"
_FIND = """
SELECT task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at
FROM browser_action WHERE action_id = ?
"""
_LAST_WITH = """
SELECT action_id, task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at
FROM browser_action WHERE task_id = ? AND status IN ('success', 'partial') AND instr(actions, ?)
ORDER BY ended_at DESC LIMIT ?
"""
_LATEST = """
SELECT action_id, task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at
FROM browser_action WHERE task_id = ? AND status IN ('success', 'partial') ORDER BY ended_at DESC LIMIT ?
"""


class SqliteActions:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def begin(self, action: ActionRecord) -> asyncio.Future[None]:
        values = begun_values(action)

        def work(rows: sqlite3.Connection) -> None:
            if rows.execute(_INSERT, values).rowcount == 0:
                raise Conflict(f"The action {action.action_id} exists already.", actionId=action.action_id)

        return self._batches.write(work)

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> asyncio.Future[None]:
        values = ended_values(action, failure)

        def work(rows: sqlite3.Connection) -> None:
            rows.execute(_END, values)
            save_task(rows, task)

        return self._batches.write(work)

    async def find(self, action_id: str) -> StoredAction | None:
        row = await self._batches.row(_FIND, action_id)
        return None if row is None else stored_action(action_id, row)

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        key = f'"{name}":{{'.encode()
        rows = await self._batches.rows(_LAST_WITH, task_id, key, limit)
        records = (stored_action(row[0], row[1:]).record for row in rows)
        return [record for record in records if name in record.actions]  # typed text may contain the name, too

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        return [stored_action(row[0], row[1:]).record for row in await self._batches.rows(_LATEST, task_id, limit)]

    def end_interrupted(self, now: int) -> asyncio.Future[int]:
        error = encode_failure(interrupted_failure())

        def work(rows: sqlite3.Connection) -> int:
            return rows.execute(_INTERRUPT, (error, now)).rowcount

        return self._batches.write(work)

    def forget(self, before: int) -> asyncio.Future[None]:
        return self._batches.execute("DELETE FROM browser_action WHERE ended_at < ?", before)
