"""Leases with an epoch, so that a server that was frozen or cut off can't write after its lease was taken over.

Only the database's clock is used, so wrong clocks of servers don't matter.
"""

from datetime import timedelta

from handrail.ports.errors import Conflict
from handrail.ports.team import Lease
from handrail.stores.team.database import Connection, TeamDatabase

_TAKE = """
INSERT INTO lease (name, holder, epoch, until) VALUES ($1, $2, 1, clock_timestamp() + $3::interval)
ON CONFLICT (tenant, name) DO UPDATE SET
  holder = EXCLUDED.holder, until = EXCLUDED.until,
  epoch = CASE WHEN lease.holder = EXCLUDED.holder AND lease.until > clock_timestamp()
    THEN lease.epoch ELSE lease.epoch + 1 END
WHERE lease.holder = EXCLUDED.holder OR lease.until <= clock_timestamp()
RETURNING epoch
"""
_KEEP = """
UPDATE lease SET until = clock_timestamp() + $4::interval
WHERE name = $1 AND holder = $2 AND epoch = $3 AND until > clock_timestamp()
"""
_GIVE_BACK = "UPDATE lease SET until = '-infinity' WHERE name = $1 AND holder = $2 AND epoch = $3"
FENCE = """
SELECT 1 FROM lease WHERE name = $1 AND holder = $2 AND epoch = $3 AND until > clock_timestamp() FOR SHARE
"""


class TeamLeases:
    """`holder` is this process's name."""

    def __init__(self, database: TeamDatabase, holder: str) -> None:
        self._database = database
        self._holder = holder

    async def take(self, name: str, seconds: float) -> Lease | None:
        return await self._database.engine.call(self.taken(name, seconds))

    async def keep(self, lease: Lease, seconds: float) -> bool:
        count = await self._database.execute(_KEEP, lease.name, lease.holder, lease.epoch, timedelta(seconds=seconds))
        return count == 1

    async def give_back(self, lease: Lease) -> None:
        await self._database.engine.call(self.given_back(lease))

    async def taken(self, name: str, seconds: float) -> Lease | None:
        """`take` for the engine's loop."""
        async with self._database.connection() as rows:
            epoch = await rows.fetchval(_TAKE, name, self._holder, timedelta(seconds=seconds))
        return None if epoch is None else Lease(name, self._holder, epoch)

    async def given_back(self, lease: Lease) -> None:
        async with self._database.connection() as rows:
            await rows.execute(_GIVE_BACK, lease.name, lease.holder, lease.epoch)


async def fence(rows: Connection, lease: Lease) -> None:
    """Checks the lease in the writing transaction; until its end, no other server can take it. Conflict if lost."""
    if await rows.fetchval(FENCE, lease.name, lease.holder, lease.epoch) is None:
        raise Conflict(f"Another server has taken {lease.name} over.", lease=lease.name)
