"""One-time tokens in SQLite: of any number of uses at once, in threads or processes, one wins."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.ports.tokens import Scope, Ticket, check, fingerprint, new_token, refusal
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_KEPT_AFTER_DEADLINE = 3600.0  # so that a late use is told "expired" or "used", and not "invalid"


class SqliteTokens:
    """`clock` gives seconds since 1970: deadlines hold across processes and restarts."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def issue(self, scope: Scope, ttl: float) -> str:
        token = new_token()

        def add(rows: "sqlite3.Connection") -> None:
            now = self._clock()
            rows.execute("DELETE FROM token WHERE deadline < ?", (now - _KEPT_AFTER_DEADLINE,))
            rows.execute(
                "INSERT INTO token (fingerprint, caller, method, params_digest, deadline) VALUES (?, ?, ?, ?, ?)",
                (fingerprint(token), scope.caller, scope.method, scope.params_digest, now + ttl),
            )

        # Not durable: a token that a power cut forgets is refused, which is safe.
        await self._database.write(add, is_durable=False)
        return token

    async def consume(self, token: str | None, scope: Scope) -> None:
        if not token:
            raise refusal("missing", "This call needs a one-time token.")
        key = fingerprint(token)

        def use(rows: "sqlite3.Connection") -> None:
            now = self._clock()
            found = rows.execute(
                "SELECT caller, method, params_digest, deadline, used_at FROM token WHERE fingerprint = ?", (key,)
            ).fetchone()
            ticket = Ticket(Scope(*found[:3]), found[3], found[4] is not None) if found else None
            check(ticket, scope, now)
            rows.execute("UPDATE token SET used_at = ? WHERE fingerprint = ?", (now, key))

        await self._database.write(use, is_durable=True)
