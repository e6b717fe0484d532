"""Stores a team's browser actions. Only the server to which the browser is connected writes them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.browser_store import StoredAction
from handrail.ports.errors import Conflict, Failure
from handrail.stores.browser_rows import begun_values, ended_values, stored_action, task_values
from handrail.stores.team.batches import Statement, TeamBatches
from handrail.stores.team.browser_tasks import storable

_COLUMNS = "task_id, client_id, actions, created_at, trace_id, status, result, error, ended_at"
_BEGIN = """
INSERT INTO browser_action (action_id, task_id, client_id, actions, created_at, trace_id, server)
SELECT $1::text, $2::text, $3::text, $4::bytea, $5::bigint, $6::text, $7::text
WHERE EXISTS (SELECT 1 FROM browser_plugin WHERE client_id = $3 AND server = $7) ON CONFLICT DO NOTHING
"""
_END = """
UPDATE browser_action SET status = $1, result = $2, error = $3, ended_at = $4
WHERE action_id = $5 AND status IS NULL AND server = $6
"""
_TASK = """
UPDATE browser_task SET title = $2, status = $3, created_at = $4, updated_at = $5, selected_client_id = $6,
  is_archived = $7, is_reading = $8
WHERE task_id = $1 AND EXISTS (SELECT 1 FROM browser_plugin WHERE client_id = $9 AND server = $10)
"""
_SUCCEEDED = "task_id = $1 AND status IN ('success', 'partial')"


class TeamActions:
    """`server` is this process's name for other servers."""

    def __init__(self, batches: TeamBatches, server: str) -> None:
        self._batches = batches
        self._server = server

    def begin(self, action: ActionRecord) -> asyncio.Future[None]:
        """Also raises Conflict if the browser is now connected to another server."""
        refusal = Conflict(
            f"The action {action.action_id} exists already, or its browser is connected to another server.",
            actionId=action.action_id,
        )
        return self._batches.write(Statement(_BEGIN, (*begun_values(action), self._server), refusal))

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> asyncio.Future[None]:
        """Only changes the task if this server still has the browser; it may have been frozen."""
        task_update = Statement(_TASK, (*storable(task_values(task)), action.client_id, self._server))
        return self._batches.write(Statement(_END, (*ended_values(action, failure), self._server)), task_update)

    async def find(self, action_id: str) -> StoredAction | None:
        row = await self._batches.row(f"SELECT {_COLUMNS} FROM browser_action WHERE action_id = $1", action_id)
        return None if row is None else stored_action(action_id, row)

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        query = (
            f"SELECT action_id, {_COLUMNS} FROM browser_action WHERE {_SUCCEEDED}"
            " AND position($2 IN actions) > 0 ORDER BY ended_at DESC LIMIT $3"
        )
        rows = await self._batches.rows(query, task_id, f'"{name}":{{'.encode(), limit)
        records = (stored_action(row[0], row[1:]).record for row in rows)
        return [record for record in records if name in record.actions]  # typed text may contain the name, too

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        query = f"SELECT action_id, {_COLUMNS} FROM browser_action WHERE {_SUCCEEDED} ORDER BY ended_at DESC LIMIT $2"
        return [stored_action(row[0], row[1:]).record for row in await self._batches.rows(query, task_id, limit)]

    def end_interrupted(self, now: int) -> asyncio.Future[int]:
        """Does nothing: the next server to which a browser connects ends its interrupted actions."""
        result: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        result.set_result(0)
        return result

    def forget(self, before: int) -> asyncio.Future[None]:
        return self._batches.execute("DELETE FROM browser_action WHERE ended_at < $1", before)
