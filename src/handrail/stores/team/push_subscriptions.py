"""Stores the Web Push subscriptions of a team's members."""

from collections.abc import Sequence

from handrail.ports.push import PushSubscription
from handrail.stores.team.database import TeamDatabase

_ADD = """
INSERT INTO push_subscription (id, endpoint, p256dh, auth, member, user_agent) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant, id) DO UPDATE SET p256dh = EXCLUDED.p256dh, auth = EXCLUDED.auth, member = EXCLUDED.member,
  user_agent = EXCLUDED.user_agent, created_at = now()
"""
_ALL = """
SELECT endpoint, p256dh, auth, s.member, user_agent,
  to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
FROM push_subscription s JOIN member m ON m.id = s.member AND m.revoked_at IS NULL ORDER BY s.created_at, s.id
"""


class TeamSubscriptions:
    """Subscriptions of revoked members are ignored."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def add(self, subscription: PushSubscription) -> None:
        s = subscription
        await self._database.execute(_ADD, s.id, s.endpoint, s.p256dh, s.auth, s.member, s.user_agent)

    async def all(self) -> Sequence[PushSubscription]:
        names = ("endpoint", "p256dh", "auth", "member", "user_agent", "created_at")
        return [PushSubscription(**dict(zip(names, row, strict=True))) for row in await self._database.rows(_ALL)]

    async def remove(self, id: str) -> bool:
        return await self._database.execute("DELETE FROM push_subscription WHERE id = $1", id) == 1
