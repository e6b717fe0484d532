"""Browser actions: when they started and ended, and their errors as contract 2 spells them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.browser_errors import packed, unpacked
from handrail.ports.browser_store import StoredAction
from handrail.ports.errors import Conflict, Failure, Offline
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
        trace = None if action.trace_id is UNSET else action.trace_id
        values = (
            action.action_id, action.task_id, action.client_id, msgspec.json.encode(action.actions),
            action.created_at, trace,
        )  # fmt: skip

        def work(rows: sqlite3.Connection) -> None:
            if rows.execute(_INSERT, values).rowcount == 0:
                raise Conflict(f"The action {action.action_id} is known already.", actionId=action.action_id)

        return self._batches.write(work)

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> asyncio.Future[None]:
        result = None if action.result is UNSET else msgspec.json.encode(action.result)
        values = (action.status, result, _spelled(failure), action.ended_at, action.action_id)

        def work(rows: sqlite3.Connection) -> None:
            rows.execute(_END, values)
            save_task(rows, task)

        return self._batches.write(work)

    async def find(self, action_id: str) -> StoredAction | None:
        row = await self._batches.row(_FIND, action_id)
        return None if row is None else _stored(action_id, row)

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        key = f'"{name}":{{'.encode()
        rows = await self._batches.rows(_LAST_WITH, task_id, key, limit)
        found = (_stored(row[0], row[1:]).record for row in rows)
        return [record for record in found if name in record.actions]  # a typed text may hold the name as well

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        return [_stored(row[0], row[1:]).record for row in await self._batches.rows(_LATEST, task_id, limit)]

    def end_interrupted(self, now: int) -> asyncio.Future[int]:
        failure = Offline(
            "handrail was stopped before the action had ended. It may have been done.",
            hint="Look at the page before doing it again.",
            mayHaveBeenDone=True,
        )
        failure.retryable = False
        error = _spelled(failure)

        def work(rows: sqlite3.Connection) -> int:
            return rows.execute(_INTERRUPT, (error, now)).rowcount

        return self._batches.write(work)

    def forget(self, before: int) -> asyncio.Future[None]:
        return self._batches.execute("DELETE FROM browser_action WHERE ended_at < ?", before)


def _spelled(failure: Failure | None) -> bytes | None:
    return None if failure is None else msgspec.json.encode(packed(failure))


def _stored(action_id: str, row: tuple[Any, ...]) -> StoredAction:
    task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at = row
    record = ActionRecord(
        action_id=action_id,
        task_id=task_id,
        client_id=client_id,
        actions=msgspec.json.decode(actions),
        created_at=created_at,
        trace_id=trace_id or UNSET,
        status=status or UNSET,
        result=UNSET if result is None else msgspec.json.decode(result),
        ended_at=UNSET if ended_at is None else ended_at,
    )
    if error is None:
        return StoredAction(record)
    return StoredAction(record, unpacked(msgspec.json.decode(error)))
