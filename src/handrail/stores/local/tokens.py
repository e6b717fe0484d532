"""Stores what can be used only once, in SQLite; of concurrent uses in any thread or process, only one succeeds."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.ports.tokens import StoredToken, TokenScope, check_token, hash_token, new_token, token_error
from handrail.stores.local import sealed_rows
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_KEPT_AFTER_DEADLINE = 3600.0  # so that a late use gets the error "expired" or "used" instead of "invalid"


class SqliteTokens:
    """`clock` gives seconds since 1970: deadlines hold across processes and restarts."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def issue(self, scope: TokenScope, ttl: float) -> str:
        token = new_token()

        def add(rows: "sqlite3.Connection") -> None:
            now = self._clock()
            rows.execute("DELETE FROM token WHERE deadline < ?", (now - _KEPT_AFTER_DEADLINE,))
            rows.execute(
                "INSERT INTO token (fingerprint, caller, method, params_digest, deadline) VALUES (?, ?, ?, ?, ?)",
                (hash_token(token), scope.caller, scope.method, scope.params_digest, now + ttl),
            )

        # Not durable: a token that a power cut forgets is refused, which is safe.
        await self._database.write(add, is_durable=False)
        return token

    async def consume(self, token: str | None, scope: TokenScope, *, is_durable: bool = True) -> None:
        if not token:
            raise token_error("missing", "This call needs a one-time token.")
        key = hash_token(token)

        def use(rows: "sqlite3.Connection") -> None:
            now = self._clock()
            row = rows.execute(
                "SELECT caller, method, params_digest, deadline, used_at FROM token WHERE fingerprint = ?", (key,)
            ).fetchone()
            ticket = StoredToken(TokenScope(*row[:3]), row[3], row[4] is not None) if row else None
            check_token(ticket, scope, now)
            rows.execute("UPDATE token SET used_at = ? WHERE fingerprint = ?", (now, key))

        await self._database.write(use, is_durable=is_durable)


class SqliteOnce:
    """Keys that were used. They are kept, so that checkpoints can detect that one was removed."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._seals = sealed_rows.RowSeals(database.path.parent)
        self._clock = clock

    async def claim(self, key: str) -> bool:
        def add(rows: "sqlite3.Connection") -> bool:
            if rows.execute("SELECT 1 FROM claimed WHERE key = ?", (key,)).fetchone() is not None:
                return False
            sealed_rows.add(rows, self._seals, "claimed", (key, self._clock()))
            return True

        return await self._database.write(add, is_durable=True)
