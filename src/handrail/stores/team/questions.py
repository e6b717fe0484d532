"""Counts the questions of the last minute, for all servers of a team."""

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
