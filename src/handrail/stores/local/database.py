"""An SQLite file in WAL mode that many threads and processes share: its transactions, not the meaning of its rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from handrail.ports.errors import Conflict, Damaged, Failure, InputOutput
from handrail.ports.state_writes import record_write
from handrail.ports.waiting import run_in_thread
from handrail.stores.local import locks
from handrail.stores.local.connection import SharedConnection, attach, detach
from handrail.stores.local.migration import Step, steps_from
from handrail.stores.local.private_file import os_failure

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Permissions:
    """The tables whose rows grant permissions, and their name in the write journal."""

    state: Path
    name: str
    tables: Sequence[str]

    def digest(self, connection: sqlite3.Connection) -> str:
        """A digest of the rows. An empty table counts like a missing one."""
        digest, tables = sha256(), connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for table in self.tables:
            if (table,) in tables and (rows := sorted(map(repr, connection.execute(f"SELECT * FROM {table}")))):
                digest.update(repr((table, rows)).encode())
        return digest.hexdigest()


class Database:
    """Opened and migrated on first use. All instances for one file share the process's connection."""

    def __init__(
        self,
        path: Path,
        steps: Sequence[Step[sqlite3.Connection]],
        *,
        patience: float = locks.PATIENCE,
        permissions: Permissions | None = None,
    ) -> None:
        self.path = path
        self._permissions = permissions or Permissions(path.parent, str(path), ())
        self._steps = steps
        self._patience = patience
        self._reset()

    def _reset(self) -> None:
        self._attaching = threading.Lock()
        self._shared: SharedConnection | None = None
        self._writer = ThreadPoolExecutor(1, "rows")
        self._reader = ThreadPoolExecutor(1, "rows-read")
        self._process = os.getpid()

    async def write(self, work: Callable[[sqlite3.Connection], T], *, is_durable: bool) -> T:
        """`writing` for an event loop. A cancelled caller waits until the transaction has ended."""

        def written() -> T:
            with self.writing(is_durable=is_durable) as connection:
                return work(connection)

        self._reset_after_fork()
        return await run_in_thread(written, self._writer)

    async def write_permissions(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`writing_permissions` for an event loop."""

        def written() -> T:
            with self.writing_permissions() as connection:
                return work(connection)

        self._reset_after_fork()
        return await run_in_thread(written, self._writer)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """`reading` for an event loop, in its own thread, so that it doesn't wait for other processes' writes."""

        def found() -> T:
            with self.reading() as connection:
                return work(connection)

        self._reset_after_fork()
        return await run_in_thread(found, self._reader)

    @contextmanager
    def writing(self, *, is_durable: bool) -> Iterator[sqlite3.Connection]:
        """One write transaction; an exception inside rolls it back.

        If durable, it is on disk when the block ends. Otherwise a power cut may undo it, but a crash can't.
        """
        with (
            self._translate_errors(),
            self._attached().transaction(self._patience, is_durable=is_durable) as connection,
        ):
            yield connection

    @contextmanager
    def writing_permissions(self) -> Iterator[sqlite3.Connection]:
        """A durable `writing` for rows that grant permissions, announced in the write journal."""
        with self._announcing(self.writing(is_durable=True)) as connection:
            yield connection

    def permissions(self) -> str:
        """A digest of the rows that grant permissions."""
        with self.reading() as connection:
            return self._permissions.digest(connection)

    def checkpoint(self) -> None:
        """Copies the log into the database, except for what is being read."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._translate_errors(), self._attached().turn(self._patience) as connection:
            yield connection

    @contextmanager
    def _announcing(self, transaction: AbstractContextManager[sqlite3.Connection]) -> Iterator[sqlite3.Connection]:
        with ExitStack() as announcement, transaction as connection:  # announced until after the commit
            old = self._permissions.digest(connection)
            yield connection
            new = self._permissions.digest(connection)
            if new != old:
                state, name = self._permissions.state, self._permissions.name
                announcement.enter_context(record_write(state, name, lambda: old, new))

    def close(self) -> None:
        """Detaches from the shared connection."""
        if self._process == os.getpid():
            self._writer.shutdown()
            self._reader.shutdown()
            with self._attaching:
                shared, self._shared = self._shared, None
            if shared is not None:
                detach(shared)
        self._reset()

    def _attached(self) -> SharedConnection:
        self._reset_after_fork()
        with self._attaching:
            if self._shared is None:
                shared = attach(self.path, self._patience)
                try:
                    self._migrate(shared)
                except BaseException:
                    detach(shared)
                    raise
                self._shared = shared
            return self._shared

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        import sqlite3

        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except OSError as error:
            raise os_failure(self.path, error) from error

    def _migrate(self, shared: SharedConnection) -> None:
        with shared.turn(self._patience) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == len(self._steps):
            return
        with locks.exclusive(self.path.with_name(self.path.name + ".lock"), patience=self._patience):
            with shared.turn(self._patience) as connection:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
            for number, step in steps_from(version, self._steps, str(self.path)):
                with self._announcing(shared.transaction(self._patience, is_durable=True)) as connection:
                    step(connection)
                    connection.execute(f"PRAGMA user_version = {number}")

    def _reset_after_fork(self) -> None:
        """After a fork, the threads and the connection are the parent's."""
        if self._process != os.getpid():
            self._reset()

    def _failure(self, error: sqlite3.Error) -> Failure:
        import sqlite3

        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Conflict(f"{self.path}: another process holds the database.")
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return Damaged(f"{self.path}: {error}.", hint="Move the file away; handrail creates a new one.")
        return InputOutput(f"{self.path}: {error}.")
