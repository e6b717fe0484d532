"""Stores the newest checkpoint in a database of the state directory: one row, written before and after the file."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.errors import Damaged, Failure
from handrail.ports.record import KnownCheckpoint
from handrail.stores.local.database import Database

if TYPE_CHECKING:
    import sqlite3

_TABLE = """
CREATE TABLE IF NOT EXISTS newest_checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), line BLOB, is_settled INTEGER)
"""


class DatabasePlace:
    """`matters` tells whether a table's rows are included in the digest."""

    def __init__(
        self,
        name: str,
        state: Path,
        opening: Callable[[], Database],
        *,
        is_always_used: bool,
        matters: Callable[[str], bool],
    ) -> None:
        self._matters = matters
        self.name = name
        self._is_always_used = is_always_used
        self._path = state / name
        self._open = opening

    def is_used(self) -> bool:
        return self._is_always_used or self._path.is_file()

    def read(self) -> KnownCheckpoint | None:
        def read_row(rows: "sqlite3.Connection") -> KnownCheckpoint | None:
            has_table = rows.execute("SELECT 1 FROM sqlite_master WHERE name = 'newest_checkpoint'").fetchone()
            row = (
                rows.execute("SELECT CAST(line AS BLOB), is_settled FROM newest_checkpoint").fetchone()
                if has_table
                else None
            )
            return None if row is None else KnownCheckpoint(row[0] or b"", bool(row[1]))

        if not self._path.is_file():
            return None
        database = self._open()
        try:
            with database.reading() as rows:
                return read_row(rows)
        finally:
            database.close()

    def permissions(self) -> str | None:
        """A digest of the rows that grant permissions; None if there is no such database."""
        if not self._path.is_file():
            return None
        database = self._open()
        try:
            return database.permissions()
        except Failure:
            return None
        finally:
            database.close()

    def rows(self) -> str | None:
        """A digest of the tables for which `matters` is true."""
        if not self._path.is_file():
            return None
        digest, database = sha256(), self._open()
        try:
            with database.reading() as rows:
                tables = rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
                for (table,) in tables:
                    if self._matters(table):
                        rows_of_it = sorted(map(repr, rows.execute(f"SELECT * FROM {table}")))
                        digest.update(repr((table, rows_of_it)).encode())
        except Failure:
            return None
        finally:
            database.close()
        return digest.hexdigest()

    def check(self) -> None:
        if not self._path.is_file():
            return
        database = self._open()
        try:
            with database.reading() as rows:
                (health,) = rows.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            database.close()
        if health != "ok":
            raise Damaged(f"{self.name} is damaged: {health}.")

    def write(self, known: KnownCheckpoint) -> None:
        database = self._open()
        try:
            # The announcement is durable, to detect a rollback; losing `is_settled` in a power cut is harmless.
            with database.writing(is_durable=not known.is_settled) as rows:
                rows.execute(_TABLE)
                rows.execute(
                    "INSERT OR REPLACE INTO newest_checkpoint (id, line, is_settled) VALUES (1, ?, ?)",
                    (known.line, known.is_settled),
                )
        finally:
            database.close()
