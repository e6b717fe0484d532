"""Stores the owners of tasks; if several callers claim a task at once, one gets it."""

from handrail.ports.task_owners import Owner
from handrail.stores.team.database import TeamDatabase


class TeamTaskOwners:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def find(self, task: str) -> Owner | None:
        row = await self._database.row("SELECT identity, agent FROM task_owner WHERE task = $1", task)
        return None if row is None else Owner(*row)

    async def claim(self, task: str, owner: Owner) -> Owner:
        existing = await self.find(task)
        if existing is not None:
            return existing
        claimed = "INSERT INTO task_owner (task, identity, agent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
        await self._database.execute(claimed, task, owner.identity, owner.agent)
        return await self.find(task) or owner

    async def give(self, task: str, owner: Owner) -> None:
        await self._database.execute(
            "INSERT INTO task_owner (task, identity, agent) VALUES ($1, $2, $3) ON CONFLICT (tenant, task)"
            " DO UPDATE SET identity = EXCLUDED.identity, agent = EXCLUDED.agent, at = now()",
            task,
            owner.identity,
            owner.agent,
        )
