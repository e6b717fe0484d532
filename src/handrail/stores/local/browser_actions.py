"""Stores the actions of this machine's browsers."""

from __future__ import annotations

import asyncio

from handrail.ports.browser import ActionRecord, TaskRecord
from handrail.ports.errors import Conflict, Failure
from handrail.stores.shared.batches import Statement
from handrail.stores.shared.browser_actions import ActionRows, begun_values, ended_values, interrupted_error
from handrail.stores.shared.browser_tasks import saving

_BEGIN = """
INSERT INTO browser_action (action_id, task_id, client_id, actions, created_at, trace_id)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
"""
_END = """
UPDATE browser_action SET status = $1, result = $2, error = $3, ended_at = $4 WHERE action_id = $5 AND status IS NULL
"""
_INTERRUPT = "UPDATE browser_action SET status = 'error', error = $1, ended_at = $2 WHERE status IS NULL"


class SqliteActions(ActionRows):
    contains = "instr(actions, $2)"

    def begin(self, action: ActionRecord) -> asyncio.Future[None]:
        refusal = Conflict(f"The action {action.action_id} exists already.", actionId=action.action_id)
        return self._batches.write(Statement(_BEGIN, begun_values(action), refusal))

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> asyncio.Future[None]:
        return self._batches.write(Statement(_END, ended_values(action, failure)), saving(task))

    def end_interrupted(self, now: int) -> asyncio.Future[None]:
        return self._batches.execute(_INTERRUPT, interrupted_error(), now)
