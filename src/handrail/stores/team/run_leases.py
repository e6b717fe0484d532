"""Leases that decide which server works on which agent run; a running server renews its leases.

Writes of a server that was frozen or cut off are refused after its lease has ended, and another one continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import timedelta

from handrail.ports.agent import RunLost
from handrail.ports.team import Lease
from handrail.stores.shared.agent_runs import RunRows
from handrail.stores.shared.batches import Batches, Statement
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.leases import FENCE, TeamLeases

SECONDS = 6.0
_PREFIX = "run:"
_KEEP = """
UPDATE lease SET until = clock_timestamp() + $1::interval
WHERE holder = $2 AND name = ANY($3) AND until > clock_timestamp() RETURNING name, epoch
"""


class TeamRunLeases:
    """Implements `ports.agent.RunLeases`."""

    def __init__(self, database: TeamDatabase, leases: TeamLeases, server: str, seconds: float = SECONDS) -> None:
        self._database = database
        self._leases = leases
        self._server = server
        self._seconds = seconds
        self._leases_by_task: dict[str, Lease] = {}

    async def take(self, task_id: str) -> bool:
        if task_id in self._leases_by_task:
            return True
        lease = await self._leases.take(_PREFIX + task_id, self._seconds)
        if lease is not None:
            self._leases_by_task[task_id] = lease
        return lease is not None

    def has(self, task_id: str) -> bool:
        return task_id in self._leases_by_task

    async def keep(self) -> Collection[str]:
        """Renews this server's leases; returns the tasks whose leases are lost."""
        leases = dict(self._leases_by_task)
        if not leases:
            return ()
        names = [lease.name for lease in leases.values()]
        rows = await self._database.rows(_KEEP, timedelta(seconds=self._seconds), self._server, names)
        renewed = {(name, epoch) for name, epoch in rows}
        lost = [task_id for task_id, lease in leases.items() if (lease.name, lease.epoch) not in renewed]
        for task_id in lost:
            self._leases_by_task.pop(task_id, None)
        return lost

    async def give_back(self, task_id: str) -> None:
        if (lease := self._leases_by_task.pop(task_id, None)) is not None:
            await self._leases.give_back(lease)

    def fence(self, task_id: str) -> Statement:
        """The first statement of a writing transaction; raises RunLost if this server no longer has the run."""
        lease = self._leases_by_task.get(task_id) or Lease(_PREFIX + task_id, self._server, 0)
        failure = RunLost("Another server has taken this run over.", taskId=task_id)
        return Statement(FENCE, (lease.name, lease.holder, lease.epoch), failure)


class TeamRuns(RunRows):
    """Writes raise Conflict, and write nothing, if another server has taken the run over."""

    unfinished_runs = (
        "SELECT status, run FROM agent_run AS run WHERE status IN ('running', 'paused') AND NOT EXISTS"
        f" (SELECT 1 FROM lease WHERE lease.name = '{_PREFIX}' || task_id AND lease.until > clock_timestamp())"
    )
    """Unfinished runs that no server is working on."""

    def __init__(self, batches: Batches, leases: TeamRunLeases) -> None:
        super().__init__(batches)
        self._leases = leases

    def _write(self, task_id: str, *statements: Statement) -> asyncio.Future[None]:
        return super()._write(task_id, self._leases.fence(task_id), *statements)
