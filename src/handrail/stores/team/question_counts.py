"""Counts questions per caller and stores the owners of tasks, for all servers of a team."""

from hashlib import sha256

from handrail.ports.task_owners import Owner
from handrail.stores.team.database import Connection, TeamDatabase

_WINDOW = "interval '60 seconds'"


class TeamQuestions:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def note(self, who: str, most: int) -> bool:
        async def add(rows: Connection) -> bool:
            # Locked, so that concurrent questions of one agent are all counted.
            await rows.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_tenant() || $1, 1))", who)
            await rows.execute(f"DELETE FROM asked WHERE who = $1 AND at < clock_timestamp() - {_WINDOW}", who)
            if await rows.fetchval("SELECT count(*) FROM asked WHERE who = $1", who) >= most:
                return False
            await rows.execute("INSERT INTO asked (who) VALUES ($1)", who)
            return True

        return await self._database.write(add, is_durable=False)

    async def forget_one(self, who: str) -> None:
        last = "DELETE FROM asked WHERE number = (SELECT max(number) FROM asked WHERE who = $1)"
        await self._database.execute(last, who)


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


def short(text: str) -> str:
    """A short name for a text that may be long or contain any character."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
