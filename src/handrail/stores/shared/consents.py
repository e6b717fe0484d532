"""Stores consents: one row for a caller, an app and a tool; an empty tool means all tools."""

from collections.abc import Callable, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from handrail.ports.consents import Consent, ConsentRequest, StaleReason
from handrail.ports.identity import Caller
from handrail.stores.shared.rows import Rows

_ALL = ""
_COLUMNS = "id, caller, app, app_name, tool, digest, at, by, program"
_FIND = f"""
SELECT {_COLUMNS} FROM consent WHERE caller = $1 AND app = $2 AND program = $3
  AND ((tool = $4 AND digest = $5) OR (tool = '' AND digest = $6)) LIMIT 1
"""
_ADD = f"""
INSERT INTO consent ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (tenant, id) DO UPDATE SET digest = excluded.digest, at = excluded.at, by = excluded.by,
  app_name = excluded.app_name, program = excluded.program
"""


class ConsentRows:
    def __init__(self, rows: Rows, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._rows = rows
        self._now = now

    async def find(self, caller: Caller, to: ConsentRequest) -> Consent | None:
        values = (caller.agent, to.app, to.program, to.tool, to.tool_digest, to.app_digest)
        row = await self._rows.row(_FIND, *values)
        return None if row is None else _consent(row)

    async def stale_reason(self, caller: Caller, to: ConsentRequest) -> StaleReason | None:
        query = "SELECT program FROM consent WHERE caller = $1 AND app = $2 AND tool IN ($3, '')"
        rows = await self._rows.rows(query, caller.agent, to.app, to.tool)
        if not rows:
            return None
        return "descriptor" if any(program == to.program for (program,) in rows) else "program"

    async def add(self, caller: Caller, to: ConsentRequest, *, is_for_app: bool, by: str) -> Consent:
        who, tool = caller.agent, _ALL if is_for_app else to.tool
        id = sha256(f"{who}\n{to.app}\n{tool}".encode()).hexdigest()[:12]
        digest = to.app_digest if is_for_app else to.tool_digest
        at = self._now().isoformat(timespec="seconds")
        consent = Consent(id, who, to.app, to.app_name, tool or None, digest, at, by, to.program)
        await self.restore(consent)
        return consent

    async def all(self) -> Sequence[Consent]:
        newest_first = f"SELECT {_COLUMNS} FROM consent ORDER BY at DESC, app, tool, caller"
        return [_consent(row) for row in await self._rows.rows(newest_first)]

    async def revoke(self, id: str) -> bool:
        return await self._rows.execute("DELETE FROM consent WHERE id = $1", id) == 1

    async def restore(self, given: Consent) -> None:
        id, caller, app, app_name, tool, digest, at, by, program = astuple(given)
        await self._rows.execute(_ADD, id, caller, app, app_name, tool or _ALL, digest, at, by, program)


def _consent(row: Sequence[Any]) -> Consent:
    id, caller, app, app_name, tool, digest, at, by, program = row
    return Consent(id, caller, app, app_name, tool or None, digest, at, by, program)
