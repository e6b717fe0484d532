"""Consents in the state's database: one row for a caller, an app and a tool; the empty tool stands for all of them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256

from handrail.kernel.call import Caller
from handrail.kernel.evidence import utc_now
from handrail.ports.consents import ConsentTo, Given, program
from handrail.stores.local.database import Database

_ALL = ""
_COLUMNS = "id, caller, app, app_name, tool, digest, at, by"


class SqliteConsents:
    def __init__(self, database: Database, now: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._now = now

    def allows(self, caller: Caller, to: ConsentTo) -> Given | None:
        with self._database.reading() as rows:
            found = rows.execute(
                f"SELECT {_COLUMNS} FROM consent WHERE caller = ? AND app = ? AND"
                " ((tool = ? AND digest = ?) OR (tool = ? AND digest = ?)) LIMIT 1",
                (program(caller), to.app, to.tool, to.tool_digest, _ALL, to.app_digest),
            ).fetchone()
        return _given(found) if found else None

    def give(self, caller: Caller, to: ConsentTo, *, is_for_app: bool, by: str) -> Given:
        who, tool = program(caller), _ALL if is_for_app else to.tool
        id = sha256(f"{who}\n{to.app}\n{tool}".encode()).hexdigest()[:12]
        digest = to.app_digest if is_for_app else to.tool_digest
        row = (id, who, to.app, to.app_name, tool, digest, self._now().isoformat(timespec="seconds"), by)
        with self._database.writing(is_durable=True) as rows:
            rows.execute(f"INSERT OR REPLACE INTO consent ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return _given(row)

    def given(self) -> Sequence[Given]:
        with self._database.reading() as rows:
            found = rows.execute(f"SELECT {_COLUMNS} FROM consent ORDER BY at DESC, app, tool, caller")
            return [_given(row) for row in found]

    def revoke(self, id: str) -> bool:
        with self._database.writing(is_durable=True) as rows:
            return rows.execute("DELETE FROM consent WHERE id = ?", (id,)).rowcount == 1


def _given(row: tuple[str, str, str, str, str, str, str, str]) -> Given:
    id, caller, app, app_name, tool, digest, at, by = row
    return Given(id, caller, app, app_name, tool or None, digest, at, by)
