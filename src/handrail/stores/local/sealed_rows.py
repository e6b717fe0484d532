"""Database rows with a seal, made with a key in the state directory, which shows that handrail wrote them.

A program that only changes the database can't make a seal. Rows are only added, so that checkpoints can detect
removals.
"""

import hmac
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.ports.atomic_file import sync_folder
from handrail.stores.local.private_file import make_private_folder, read_plain

if TYPE_CHECKING:
    import sqlite3

KEY = "rows.key"
_KEY_BYTES = 32
SEALED = {
    "task_owner": ("task", "identity", "agent", "at"),
    "origin": ("request_id", "by", "is_own", "shown"),
    "claimed": ("key", "at"),
}
"""The tables and sealed columns. A seal includes the row's `number`, so that an old row can't be appended again."""
NAMES = {
    "task_owner": "owners of tasks in handrail.db",
    "origin": "questions in handrail.db",
    "claimed": "used answers in handrail.db",
}


class RowSeals:
    """Makes and checks seals. Raises OSError if the key can't be read or made."""

    def __init__(self, state: Path) -> None:
        self._path = state / KEY
        self._key: bytes | None = None

    def of(self, table: str, row: Sequence[Any]) -> str:
        self._key = self._key or self._read() or self._make_key()
        return hmac.digest(self._key, repr((table, *row)).encode(), "sha256").hex()

    def is_right(self, table: str, row: Sequence[Any], seal: object) -> bool:
        return isinstance(seal, str) and hmac.compare_digest(self.of(table, row), seal)

    def _read(self) -> bytes | None:
        with suppress(FileNotFoundError):
            key = read_plain(self._path)
            return key if len(key) == _KEY_BYTES else None
        return None

    def _make_key(self) -> bytes:
        """Makes the key. If several processes do so at once, the first one's is used."""
        make_private_folder(self._path.parent)
        new = self._path.with_name(f".{KEY}.{secrets.token_hex(4)}")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, secrets.token_bytes(_KEY_BYTES))
            os.fsync(descriptor)
            with suppress(FileExistsError):
                os.link(new, self._path)
        finally:
            os.close(descriptor)
            os.unlink(new)
        sync_folder(self._path.parent)
        return read_plain(self._path)


def create(connection: "sqlite3.Connection", table: str, columns: str) -> None:
    """`columns` as SQL declares them."""
    connection.execute(f"CREATE TABLE {table} (number INTEGER PRIMARY KEY, {columns}, seal TEXT)")


def convert(connection: "sqlite3.Connection", state: Path, tables: Mapping[str, str]) -> None:
    """Replaces tables by sealed ones with the same rows; each with its columns as SQL declares them."""
    for table, columns in tables.items():
        names = ", ".join(SEALED[table])
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
        create(connection, table, columns)
        connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM old_{table}")
        connection.execute(f"DROP TABLE old_{table}")
    seal_all(connection, RowSeals(state), tables)


def add(connection: "sqlite3.Connection", seals: RowSeals, table: str, values: Sequence[Any]) -> None:
    row = (last_number(connection, table) + 1, *values)
    places = ", ".join("?" * (len(row) + 1))
    insertion = f"INSERT INTO {table} ({_columns(table)}, seal) VALUES ({places})"
    connection.execute(insertion, (*row, seals.of(table, row)))


def select(
    connection: "sqlite3.Connection", seals: RowSeals, table: str, where: str, values: Sequence[Any]
) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """The values of each row in the order of insertion, and whether its seal is right."""
    statement = f"SELECT {_columns(table)}, seal FROM {table} WHERE {where} ORDER BY number"
    for *row, seal in connection.execute(statement, values):
        yield tuple(row[1:]), seals.is_right(table, tuple(row), seal)


def seal_all(connection: "sqlite3.Connection", seals: RowSeals, tables: Iterable[str] = tuple(SEALED)) -> None:
    """Seals all rows: for a migration, or when a person has accepted them."""
    for table in tables:
        for row in connection.execute(f"SELECT {_columns(table)} FROM {table}").fetchall():
            connection.execute(f"UPDATE {table} SET seal = ? WHERE number = ?", (seals.of(table, row), row[0]))


def wrong_rows(connection: "sqlite3.Connection", seals: RowSeals) -> Iterator[tuple[str, int]]:
    """How many rows of each table have no right seal."""
    for table in SEALED:
        if wrong := sum(not is_right for _, is_right in select(connection, seals, table, "true", ())):
            yield NAMES[table], wrong


def _columns(table: str) -> str:
    return ", ".join(("number", *SEALED[table]))


def last_number(connection: "sqlite3.Connection", table: str) -> int:
    (number,) = connection.execute(f"SELECT max(number) FROM {table}").fetchone()
    return number or 0


def rows_between(connection: "sqlite3.Connection", table: str, start: int, until: int) -> Iterator[bytes]:
    select = f"SELECT {_columns(table)} FROM {table} WHERE number > ? AND number <= ? ORDER BY number"
    for row in connection.execute(select, (start, until)):
        yield repr(row).encode()
