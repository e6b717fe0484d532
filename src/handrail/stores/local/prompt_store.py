"""Opens the stores of the prompt queue: its log, the waiters' sockets, and who asked and answered."""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path

from handrail.ports.errors import Failure
from handrail.ports.prompt_queue import Origin
from handrail.ports.prompt_store import PromptStore
from handrail.stores.local import sealed_rows
from handrail.stores.local.database import Database
from handrail.stores.local.file_watch import FollowedFile
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.waiters import Waiters

LOG = "ui-prompts.jsonl"
_AT_ONCE = 500

logger = logging.getLogger(__name__)


def prompt_store(state: Path) -> PromptStore:
    database = state_database(state / "handrail.db")
    return PromptStore(
        journal=JournalFile(state / LOG),
        watching=FollowedFile(state / LOG).watching,
        waiters=Waiters(state / "waiters"),
        answerers=Answerers(database),
        origins=Origins(database),
    )


class Answerers:
    """Stores who answered, which the log of contract 5 has no field for.

    Only people read it and nothing depends on it, so errors are logged and ignored.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, request_id: str, by: str) -> None:
        try:
            with self._database.writing(is_durable=False) as connection:
                connection.execute("INSERT OR REPLACE INTO answerer (request_id, by) VALUES (?, ?)", (request_id, by))
        except Failure as failure:
            logger.warning("who answered %s is not on record: %s", request_id, failure.message)

    def of(self, request_ids: Collection[str]) -> Mapping[str, str]:
        ids, answerers = list(request_ids), dict[str, str]()
        try:
            for start in range(0, len(ids), _AT_ONCE):
                part = ids[start : start + _AT_ONCE]
                select = f"SELECT request_id, by FROM answerer WHERE request_id IN ({', '.join('?' * len(part))})"
                with self._database.reading() as connection:
                    answerers.update(connection.execute(select, part))
        except Failure as failure:
            logger.warning("who answered can't be read: %s", failure.message)
        return answerers

    def close(self) -> None:
        self._database.close()


class Origins:
    """Stores who posted a question, in the database, because other programs can write to the log.

    Rows that handrail didn't write are ignored; such a question counts as another program's.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seals = sealed_rows.RowSeals(database.path.parent)

    def note(self, request_id: str, origin: Origin) -> None:
        """Stores the origin; the first one counts."""
        row = (request_id, origin.by, int(origin.is_own), origin.shown)
        with self._database.writing(is_durable=False) as connection:
            if not connection.execute("SELECT 1 FROM origin WHERE request_id = ?", (request_id,)).fetchone():
                sealed_rows.add(connection, self._seals, "origin", row)
                if origin.waits:
                    connection.execute("INSERT OR IGNORE INTO waited_for (request_id) VALUES (?)", (request_id,))

    def of(self, request_ids: Collection[str]) -> Mapping[str, Origin]:
        ids, origins = list(request_ids), dict[str, Origin]()
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            where = f"request_id IN ({', '.join('?' * len(part))})"
            with self._database.reading() as connection:
                waited = set(connection.execute(f"SELECT request_id FROM waited_for WHERE {where}", part))
                for row, is_ours in sealed_rows.select(connection, self._seals, "origin", where, part):
                    request_id, by, is_own, shown = row
                    if is_ours:
                        origins[request_id] = Origin(by, bool(is_own), shown, waits=(request_id,) in waited)
        return origins
