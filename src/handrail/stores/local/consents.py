"""Stores consents: one row for a caller, an app and a tool; an empty tool means all tools."""

from collections.abc import Callable, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from handrail.ports.consents import Consent, ConsentRequest, StaleReason
from handrail.ports.identity import Caller
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

Row = tuple[str, str, str, str, str, str, str, str, str]

_ALL = ""
_COLUMNS = "id, caller, app, app_name, tool, digest, at, by, program"


class SqliteConsents:
    def __init__(self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._now = now

    async def find(self, caller: Caller, to: ConsentRequest) -> Consent | None:
        def find(rows: "sqlite3.Connection") -> Row | None:
            found: Row | None = rows.execute(
                f"SELECT {_COLUMNS} FROM consent WHERE caller = ? AND app = ? AND program = ? AND"
                " ((tool = ? AND digest = ?) OR (tool = ? AND digest = ?)) LIMIT 1",
                (caller.agent, to.app, to.program, to.tool, to.tool_digest, _ALL, to.app_digest),
            ).fetchone()
            return found

        found = await self._database.read(find)
        return _consent(found) if found else None

    async def stale_reason(self, caller: Caller, to: ConsentRequest) -> StaleReason | None:
        known = "SELECT program FROM consent WHERE caller = ? AND app = ? AND tool IN (?, ?)"
        values = (caller.agent, to.app, to.tool, _ALL)
        found = await self._database.read(lambda rows: rows.execute(known, values).fetchall())
        if not found:
            return None
        return "descriptor" if any(program == to.program for (program,) in found) else "program"

    async def add(self, caller: Caller, to: ConsentRequest, *, is_for_app: bool, by: str) -> Consent:
        who, tool = caller.agent, _ALL if is_for_app else to.tool
        id = sha256(f"{who}\n{to.app}\n{tool}".encode()).hexdigest()[:12]
        digest = to.app_digest if is_for_app else to.tool_digest
        row = (id, who, to.app, to.app_name, tool, digest, self._now().isoformat(timespec="seconds"), by, to.program)
        await self._add(row)
        return _consent(row)

    async def all(self) -> Sequence[Consent]:
        newest_first = f"SELECT {_COLUMNS} FROM consent ORDER BY at DESC, app, tool, caller"
        found = await self._database.read(lambda rows: rows.execute(newest_first).fetchall())
        return [_consent(row) for row in found]

    async def revoke(self, id: str) -> bool:
        removal = "DELETE FROM consent WHERE id = ?"
        return await self._database.write_permissions(lambda rows: rows.execute(removal, (id,)).rowcount == 1)

    async def restore(self, given: Consent) -> None:
        id, caller, app, app_name, tool, digest, at, by, program = astuple(given)
        await self._add((id, caller, app, app_name, tool or _ALL, digest, at, by, program))

    async def _add(self, row: Row) -> None:
        adding = f"INSERT OR REPLACE INTO consent ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        await self._database.write_permissions(lambda rows: rows.execute(adding, row).rowcount)


def _consent(row: Row) -> Consent:
    id, caller, app, app_name, tool, digest, at, by, program = row
    return Consent(id, caller, app, app_name, tool or None, digest, at, by, program)
