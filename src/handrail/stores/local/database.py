"""The state's rows: one SQLite file in WAL mode that many threads and processes share.

Knows tables and transactions, not what the rows are for.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from handrail.ports.errors import Conflict, Damaged, Failure, InputOutput
from handrail.ports.waiting import settled
from handrail.stores.local import locks
from handrail.stores.local.migration import Step, steps_from
from handrail.stores.local.private_file import make_private_folder, open_private, refused

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")


def _add_tokens(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE token (
          fingerprint TEXT PRIMARY KEY,
          caller TEXT NOT NULL,
          method TEXT NOT NULL,
          params_digest TEXT NOT NULL,
          deadline REAL NOT NULL,
          used_at REAL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX token_by_deadline ON token (deadline)")


def _add_claimed(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE claimed (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID")


def _add_answerers(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE answerer (request_id TEXT PRIMARY KEY, by TEXT NOT NULL) WITHOUT ROWID")


def _add_consents(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE consent (
          id TEXT PRIMARY KEY,
          caller TEXT NOT NULL,
          app TEXT NOT NULL,
          app_name TEXT NOT NULL,
          tool TEXT NOT NULL,
          digest TEXT NOT NULL,
          at TEXT NOT NULL,
          by TEXT NOT NULL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX consent_by_app ON consent (app, caller)")


def _add_task_grants(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE task_grant (
          id TEXT PRIMARY KEY,
          identity TEXT NOT NULL,
          task TEXT NOT NULL,
          grant BLOB NOT NULL,
          caller TEXT NOT NULL,
          at TEXT NOT NULL,
          by TEXT NOT NULL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX task_grant_by_task ON task_grant (identity, task)")


def _add_origins(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE origin (request_id TEXT PRIMARY KEY, by TEXT NOT NULL, is_own INTEGER NOT NULL) WITHOUT ROWID"
    )


def _add_consented_programs(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE consent ADD COLUMN program TEXT NOT NULL DEFAULT ''")


STEPS: Sequence[Step[sqlite3.Connection]] = (
    _add_tokens,
    _add_claimed,
    _add_answerers,
    _add_consents,
    _add_task_grants,
    _add_origins,
    _add_consented_programs,
)


class Database:
    """Opened and migrated when first used. Each process and each fork has a connection of its own."""

    def __init__(
        self,
        path: Path,
        *,
        steps: Sequence[Step[sqlite3.Connection]] = STEPS,
        patience: float = locks.PATIENCE,
    ) -> None:
        self.path = path
        self._steps = steps
        self._patience = patience
        self._begin()

    def _begin(self) -> None:
        self._turn = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "rows")
        self._readings: Database | None = None
        self._connection: sqlite3.Connection | None = None
        self._is_synchronous = True
        self._process = os.getpid()

    async def write(self, work: Callable[[sqlite3.Connection], T], *, is_durable: bool) -> T:
        """`writing` for an event loop. Who is cancelled meanwhile waits until it is done or undone."""

        def written() -> T:
            with self.writing(is_durable=is_durable) as connection:
                return work(connection)

        return await self._in_own_thread(written)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`reading` for an event loop: on a connection of its own, so that it waits for no writer."""
        if self._process != os.getpid():
            self._leave_parent()
        if self._readings is None:
            self._readings = Database(self.path, steps=self._steps, patience=self._patience)
        return await self._readings._looked_up(work)

    async def _looked_up(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def found() -> T:
            with self.reading() as connection:
                return work(connection)

        return await self._in_own_thread(found)

    async def _in_own_thread(self, work: Callable[[], T]) -> T:
        """Those who wait for a lock of somebody else's take no thread away from other work."""
        if self._process != os.getpid():
            self._leave_parent()
        return await settled(work, self._thread)

    @contextmanager
    def writing(self, *, is_durable: bool) -> Iterator[sqlite3.Connection]:
        """One transaction that no other writer overlaps; what raises inside undoes it.

        Durable: on disk before the block is left. Otherwise a power cut, but no crash, may undo it.
        """
        with self._connected() as connection:
            if is_durable != self._is_synchronous:
                connection.execute(f"PRAGMA synchronous = {'FULL' if is_durable else 'NORMAL'}")
                self._is_synchronous = is_durable
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def checkpoint(self) -> None:
        """Brings what was written home from the log, as far as nobody reads it there."""
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._connected() as connection:
            yield connection

    def close(self) -> None:
        if self._readings is not None and self._process == os.getpid():
            self._readings.close()
        if self._process == os.getpid():
            self._thread.shutdown()
            self._thread = ThreadPoolExecutor(1, "rows")
        self._readings = None
        with self._turn:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        if self._process != os.getpid():
            self._leave_parent()
        with self._turn:
            try:
                if self._connection is None:
                    self._connection = self._open()
                    self._is_synchronous = True
                yield self._connection
            except sqlite3.Error as error:
                raise self._condition(error) from error
            except OSError as error:
                raise refused(self.path, error) from error

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        make_private_folder(self.path.parent)
        # Several processes that switch to WAL at once would be told that the database is locked.
        with locks.exclusive(self.path.with_name(self.path.name + ".lock"), patience=self._patience):
            self._make()
            connection = sqlite3.connect(
                self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                self._migrate(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _make(self) -> None:
        """For the owner alone; SQLite gives its other files the same mode.

        One that is there is not opened: closing it would drop the locks of this process's other connections to it.
        """
        try:
            is_regular = stat.S_ISREG(os.lstat(self.path).st_mode)
        except FileNotFoundError:
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT))
            return
        if not is_regular:
            raise OSError(errno.EINVAL, "not a regular file", str(self.path))

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for number, step in steps_from(version, self._steps, str(self.path)):
            connection.execute("BEGIN IMMEDIATE")
            try:
                step(connection)
                connection.execute(f"PRAGMA user_version = {number}")
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _leave_parent(self) -> None:
        """After a fork: closing the parent's connection here would drop the parent's locks."""
        _inherited.append(self._connection)
        self._begin()

    def _condition(self, error: sqlite3.Error) -> Failure:
        import sqlite3

        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Conflict(f"{self.path}: another process holds the database.")
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return Damaged(f"{self.path}: {error}.", hint="Move the file aside: handrail makes a new one.")
        return InputOutput(f"{self.path}: {error}.")


# Connections of a parent process, kept from being collected and so from being closed.
_inherited: list[sqlite3.Connection | None] = []
