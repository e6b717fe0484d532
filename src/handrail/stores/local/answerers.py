"""Who answered which question. The log of contract 5 has no place for it, so it stands beside it, in the database.

It is told for people to read, and nothing depends on it: what can't be noted or read is left out.
"""

import logging
from collections.abc import Collection, Mapping

from handrail.ports.errors import Failure
from handrail.stores.local.database import Database

_AT_ONCE = 500

logger = logging.getLogger(__name__)


class Answerers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, request_id: str, by: str) -> None:
        try:
            with self._database.writing(is_durable=False) as connection:
                connection.execute("INSERT OR REPLACE INTO answerer (request_id, by) VALUES (?, ?)", (request_id, by))
        except Failure as failure:
            logger.warning("who answered %s is not on record: %s", request_id, failure.message)

    def of(self, request_ids: Collection[str]) -> Mapping[str, str]:
        wanted, found = list(request_ids), dict[str, str]()
        try:
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                select = f"SELECT request_id, by FROM answerer WHERE request_id IN ({', '.join('?' * len(part))})"
                with self._database.reading() as connection:
                    found.update(connection.execute(select, part))
        except Failure as failure:
            logger.warning("who answered can't be read: %s", failure.message)
        return found

    def close(self) -> None:
        self._database.close()
