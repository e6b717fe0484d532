"""Counts the sealed rows of the state's database for checkpoints, and finds rows that handrail didn't write."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from handrail.ports.errors import Failure
from handrail.stores.local import sealed_rows
from handrail.stores.local.database import Database
from handrail.stores.local.state_tables import state_database


class SealedRows:
    """`tables` maps a name for people to the table."""

    tables: ClassVar = {name: table for table, name in sealed_rows.NAMES.items()}

    def __init__(self, state: Path) -> None:
        self._path = state / "handrail.db"

    def count(self, name: str) -> int | None:
        """The last row number; None if the database is missing or unreadable, which is reported elsewhere."""
        try:
            with self._open() as database, database.reading() as rows:
                return sealed_rows.last_number(rows, self.tables[name]) or None
        except (Failure, FileNotFoundError):
            return None

    def between(self, name: str, start: int, until: int) -> Sequence[bytes]:
        with self._open() as database, database.reading() as rows:
            return list(sealed_rows.rows_between(rows, self.tables[name], start, until))

    def foreign(self) -> Sequence[str]:
        try:
            with self._open() as database, database.reading() as rows:
                wrong = list(sealed_rows.wrong_rows(rows, self._seals()))
        except (Failure, FileNotFoundError):
            return ()
        return [f"{name}: {_many(count)} changed or added outside handrail" for name, count in wrong]

    def accept(self) -> None:
        if self._path.is_file():
            with self._open() as database, database.writing(is_durable=True) as rows:
                sealed_rows.seal_all(rows, self._seals())

    def _seals(self) -> sealed_rows.RowSeals:
        return sealed_rows.RowSeals(self._path.parent)

    @contextmanager
    def _open(self) -> Iterator[Database]:
        if not self._path.is_file():
            raise FileNotFoundError(self._path)
        database = state_database(self._path)
        try:
            yield database
        finally:
            database.close()


def _many(count: int) -> str:
    return "one row was" if count == 1 else f"{count} rows were"
