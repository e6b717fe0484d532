"""Shares one connection to an SQLite file within this process.

SQLite locks its file with POSIX locks, which belong to the process: closing any other descriptor of the file drops
them, and the next program that closes the database removes its log. So only SQLite opens the file, and only once.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.errors import Conflict, Damaged
from handrail.stores.local import locks
from handrail.stores.local.private_file import make_private_folder, open_private

if TYPE_CHECKING:
    import sqlite3

_SHORTEST_NAP = 0.0002
_LONGEST_NAP = 0.01

_Identity = tuple[int, int]


class SharedConnection:
    """Obtained with `attach` and returned with `detach`; the last `detach` closes it."""

    def __init__(self, path: Path, patience: float) -> None:
        self.path = path
        self._files = str(path), f"{path}-wal"
        self._users = 0
        self._lock = threading.Lock()
        self._is_synchronous = True
        self._connection = self._open(patience)
        self._identities = self._current_identities()

    @contextmanager
    def turn(self, patience: float) -> Iterator[sqlite3.Connection]:
        """Gives the connection to one thread at a time."""
        if not self._lock.acquire(timeout=patience):
            raise Conflict(f"{self.path}: another thread holds the database.")
        try:
            if not self.is_intact:
                raise Damaged(
                    f"{self.path} was moved, replaced or cut off from its log while this program used it.",
                    hint="Start this program again.",
                )
            yield self._connection
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self, patience: float, *, is_durable: bool) -> Iterator[sqlite3.Connection]:
        """A write transaction. While another process writes, other threads can read."""
        import sqlite3

        deadline, nap = time.monotonic() + patience, _SHORTEST_NAP
        while True:
            with self.turn(patience) as connection:
                self._synchronise(is_durable)
                try:
                    self._begin()
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                        raise
                else:
                    try:
                        yield connection
                        connection.execute("COMMIT")
                        return
                    except BaseException:
                        if connection.in_transaction:
                            connection.execute("ROLLBACK")
                        raise
            time.sleep(nap)
            nap = min(nap * 2, _LONGEST_NAP)

    def _begin(self) -> None:
        """Begins without waiting, because readers would have to wait, too."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(locks.PATIENCE * 1000)}")

    def _synchronise(self, is_durable: bool) -> None:
        if is_durable != self._is_synchronous:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if is_durable else 'NORMAL'}")
            self._is_synchronous = is_durable

    def _open(self, patience: float) -> sqlite3.Connection:
        import sqlite3

        make_private_folder(self.path.parent)
        # Processes that switch to WAL at the same time would get an error that the database is locked.
        with locks.exclusive(self.path.with_name(self.path.name + ".lock"), patience=patience):
            self._make()
            connection = sqlite3.connect(
                self.path, timeout=locks.PATIENCE, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA user_version")
            except BaseException:
                connection.close()
                raise
        return connection

    def _make(self) -> None:
        """Creates the file for its owner only; SQLite gives its other files the same mode."""
        try:
            is_regular = stat.S_ISREG(os.lstat(self.path).st_mode)
        except FileNotFoundError:
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT))
            return
        if not is_regular:
            raise OSError(errno.EINVAL, "not a regular file", str(self.path))

    def _current_identities(self) -> Sequence[_Identity | None]:
        """The identities of the file and its log, as they are in the folder now."""
        return [_identity(file) for file in self._files]

    @property
    def is_intact(self) -> bool:
        return self._current_identities() == self._identities

    def _close(self) -> None:
        with self._lock:
            if self.is_intact:
                self._connection.close()
            else:
                _leave_open(self._connection)  # closing it would overwrite newer data with an old log


_all: dict[str, SharedConnection] = {}
_lock = threading.Lock()


def attach(path: Path, patience: float) -> SharedConnection:
    """The process's connection to this file, opened if necessary."""
    name = os.path.realpath(path)
    with _lock:
        shared = _all.get(name)
        if shared is None:
            shared = _all[name] = SharedConnection(Path(name), patience)
        shared._users += 1
        return shared


def detach(shared: SharedConnection) -> None:
    with _lock:
        shared._users -= 1
        if shared._users == 0:
            if _all.get(str(shared.path)) is shared:
                del _all[str(shared.path)]
            shared._close()


def _identity(path: str) -> _Identity | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _leave_open(connection: sqlite3.Connection) -> None:
    """Prevents the connection from ever being closed, even at interpreter exit."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _reset_after_fork() -> None:
    """Forgets the parent's connections, because closing them here would write to its files."""
    global _lock
    for shared in _all.values():
        _leave_open(shared._connection)
    _all.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_reset_after_fork)
