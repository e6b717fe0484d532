"""Stores a team's browser tasks and actions. Only the server to which the browser is connected writes an action.

The next server to which a browser connects ends its interrupted actions, so starting a server ends none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.errors import Conflict, Failure
from handrail.stores.shared.batches import Batches, Statement
from handrail.stores.shared.browser_actions import ActionRows, begun_values, ended_values
from handrail.stores.shared.browser_tasks import TaskRows, task_values

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


class TeamTasks(TaskRows):
    async def interrupted(self) -> Sequence[TaskRecord]:
        return ()


class TeamActions(ActionRows):
    """`server` is this process's name for other servers."""

    contains = "position($2 IN actions) > 0"

    def __init__(self, batches: Batches, server: str) -> None:
        super().__init__(batches)
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
        task_update = Statement(_TASK, (*task_values(task), action.client_id, self._server))
        return self._batches.write(Statement(_END, (*ended_values(action, failure), self._server)), task_update)

    def end_interrupted(self, now: int) -> asyncio.Future[None]:
        result: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        result.set_result(None)
        return result
