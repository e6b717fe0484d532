"""Stores what can be used only once, in PostgreSQL; of concurrent uses on any server, only one succeeds.

Deadlines use the database's clock, so different clocks of servers don't matter.
"""

from datetime import timedelta

from handrail.ports.tokens import StoredToken, TokenScope, check_token, hash_token, new_token, token_error
from handrail.stores.team.database import Connection, TeamDatabase

_KEPT_AFTER_DEADLINE = timedelta(hours=1)  # so that a late use gets the error "expired" or "used" instead of "invalid"
_NOW = "clock_timestamp()"
_USE = f"""
UPDATE token SET used_at = {_NOW}
WHERE fingerprint = $1 AND used_at IS NULL AND deadline > {_NOW} AND caller = $2 AND method = $3 AND params_digest = $4
RETURNING fingerprint
"""
_LOOK = f"""
SELECT caller, method, params_digest, used_at IS NOT NULL AS is_used,
  extract(epoch FROM deadline)::float8 AS deadline, extract(epoch FROM {_NOW})::float8 AS now
FROM token WHERE fingerprint = $1
"""


class TeamTokens:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def issue(self, scope: TokenScope, ttl: float) -> str:
        token = new_token()

        async def add(rows: Connection) -> None:
            await rows.execute(f"DELETE FROM token WHERE deadline < {_NOW} - $1::interval", _KEPT_AFTER_DEADLINE)
            await rows.execute(
                "INSERT INTO token (fingerprint, caller, method, params_digest, deadline)"
                f" VALUES ($1, $2, $3, $4, {_NOW} + $5::interval)",
                hash_token(token),
                scope.caller,
                scope.method,
                scope.params_digest,
                timedelta(seconds=ttl),
            )

        # Not durable: a token that a power cut forgets is refused, which is safe.
        await self._database.write(add, is_durable=False)
        return token

    async def consume(self, token: str | None, scope: TokenScope, *, is_durable: bool = True) -> None:
        if not token:
            raise token_error("missing", "This call needs a one-time token.")
        key = hash_token(token)

        async def use(rows: Connection) -> None:
            if await rows.fetchrow(_USE, key, scope.caller, scope.method, scope.params_digest) is not None:
                return
            row = await rows.fetchrow(_LOOK, key)
            if row is None:
                check_token(None, scope, 0)
            else:
                stored_scope = TokenScope(row["caller"], row["method"], row["params_digest"])
                check_token(StoredToken(stored_scope, row["deadline"], row["is_used"]), scope, row["now"])
                raise token_error("expired", "This token has expired.")

        await self._database.write(use, is_durable=is_durable)


class TeamOnce:
    """Keys that were used; they are never deleted."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def claim(self, key: str) -> bool:
        claimed = "INSERT INTO claimed (key) VALUES ($1) ON CONFLICT DO NOTHING"
        return await self._database.execute(claimed, key) == 1
