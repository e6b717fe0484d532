"""An append-only file of lines that many processes share: each line is written in one write under flock.

The lock is on the log itself, so it also excludes other programs that lock it.
"""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from handrail.ports.errors import Conflict
from handrail.ports.journal import JournalSnapshot
from handrail.stores.local import locks, private_file
from handrail.stores.local.flusher import Flusher, Later, start_timer
from handrail.stores.local.locked_journal import KNOWS_START, LockedJournal, is_before_start, read_mark
from handrail.stores.local.private_file import PrivateFile, open_private, os_failure

_BLOCK = 1 << 16
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class JournalFile:
    """`log` contains the lines; the optional `mark` a small text that changes with them."""

    def __init__(
        self,
        log: Path,
        mark: Path | None = None,
        *,
        patience: float = locks.PATIENCE,
        flush_after: float = 1.0,
        later: Later = start_timer,
    ) -> None:
        self._log = PrivateFile(log, os.O_RDWR | os.O_APPEND)
        self._mark = PrivateFile(mark) if mark is not None else None
        self._patience = patience
        self._flush_after = flush_after
        self._later = later
        self._reset()

    def _reset(self) -> None:
        self._turn = threading.Lock()
        self._flusher = Flusher(self._sync, delay=self._flush_after, later=self._later)
        self._is_dirty = False
        self._complete_at = -1
        self._has_mark = False
        self._process = os.getpid()

    @property
    def location(self) -> str:
        return str(self._log.path)

    def lock(self, *, is_durable: bool, releases_early: bool = False, patience: float | None = None) -> "_Hold":
        return _Hold(self, is_durable, releases_early, patience)

    def append(self, line: bytes, *, is_durable: bool, releases_early: bool = False) -> None:
        with self.lock(is_durable=is_durable, releases_early=releases_early) as held:
            held.append(line)

    def snapshot(self) -> JournalSnapshot:
        try:
            while True:
                try:
                    descriptor = open_private(self._log.path, os.O_RDONLY)
                except FileNotFoundError:
                    return JournalSnapshot(None, self._glimpsed_mark())
                try:
                    locks.acquire(descriptor, is_shared=True, patience=self._patience)
                    status = os.fstat(descriptor)
                    with suppress(FileNotFoundError):
                        if os.path.samestat(status, os.lstat(self._log.path)):
                            lags = is_before_start(status.st_mtime)
                            return JournalSnapshot(status.st_size, self._glimpsed_mark(), lags)
                finally:
                    os.close(descriptor)
        except OSError as error:
            raise os_failure(self._log.path, error) from error

    def lines(self, start: int = 0, until: int | None = None) -> Iterator[bytes]:
        with self._read() as descriptor:
            if descriptor is None:
                return
            with open(descriptor, "rb", buffering=_BLOCK, closefd=False) as file:
                remaining = (os.fstat(descriptor).st_size if until is None else until) - file.seek(start)
                for line in file:
                    if remaining <= 0:
                        return
                    yield line if len(line) <= remaining else line[:remaining]
                    remaining -= len(line)

    def lines_backwards(self) -> Iterator[bytes]:
        with self._read() as descriptor:
            if descriptor is None:
                return
            at = os.fstat(descriptor).st_size
            end = b""  # the end of a line that begins in an earlier block
            while at > 0:
                start = max(0, at - _BLOCK)
                end, *later = _LINE.findall(os.pread(descriptor, at - start, start) + end)
                at = start
                yield from reversed(later)
            if end:
                yield end

    def flush(self) -> None:
        try:
            self._flusher.raise_failure()
            for file in (self._log, self._mark):
                if file is not None:
                    private_file.sync_file(file.path)
        except OSError as error:
            raise os_failure(self._log.path, error) from error

    def close(self) -> None:
        try:
            self._flusher.raise_failure()
            self._sync()
        except OSError as error:
            raise os_failure(self._log.path, error) from error
        finally:
            with self._turn:
                self._close_files()

    def _take(self, patience: float | None) -> LockedJournal:
        if self._process != os.getpid():
            self._reset_after_fork()
        at_once = patience == 0
        if not self._turn.acquire(blocking=not at_once):  # flock locks open files, not threads
            raise Conflict("Another thread has the journal.")
        try:
            if at_once and not self._is_open:
                raise Conflict("The journal's files are not open yet.")
            self._flusher.raise_failure()
            return self._locked(self._patience if patience is None else patience)
        except BaseException:
            self._turn.release()
            raise

    def _let_go(self, held: LockedJournal, *, has_failed: bool, is_durable: bool, releases_early: bool) -> None:
        try:
            try:
                if has_failed:
                    held.roll_back()
                elif is_durable and not releases_early:
                    self._sync_held(held)
            except BaseException:
                held.roll_back()
                raise
            finally:
                locks.release(self._log.descriptor)
            if has_failed:
                return
            self._complete_at = held.complete_at
            if is_durable and releases_early:
                self._sync_unlocked(held)
            if held.has_changed and (not is_durable or (KNOWS_START and self._mark is not None)):
                self._is_dirty = True
                self._flusher.note_change()
        finally:
            self._turn.release()

    @property
    def _is_open(self) -> bool:
        is_mark_open = self._mark is None or self._mark.open_descriptor is not None
        return is_mark_open and self._log.open_descriptor is not None

    def _locked(self, patience: float) -> LockedJournal:
        while True:
            descriptor = self._log.descriptor
            locks.acquire(descriptor, patience=patience)
            status = self._log.status()
            if status is not None:
                return LockedJournal(descriptor, status, self._mark, self._complete_at)
            # The log was moved or removed: lock the new one, which others will open.
            locks.release(descriptor)
            self._log.close()
            if not patience:
                raise Conflict("The journal's files are not open any more.")

    def _sync_held(self, held: LockedJournal) -> None:
        """Syncs the lines, and the first mark. Later marks follow lazily if an outdated one can be recognised."""
        held.sync(with_mark=not (KNOWS_START and self._has_mark))
        self._has_mark = True

    def _sync_unlocked(self, held: LockedJournal) -> None:
        """Syncs after releasing the lock, so that concurrent syncs share one disk write."""
        try:
            self._sync_held(held)
        except BaseException:
            with suppress(Conflict):
                locks.acquire(self._log.descriptor, patience=self._patience)
                try:
                    if held.is_last:
                        held.roll_back()
                finally:
                    locks.release(self._log.descriptor)
            raise

    def _glimpsed_mark(self) -> bytes | None:
        if self._mark is None:
            return None
        fresh = PrivateFile(self._mark.path, os.O_RDONLY)
        try:
            return read_mark(fresh)
        finally:
            fresh.close()

    @contextmanager
    def _read(self) -> Iterator[int | None]:
        try:
            descriptor = open_private(self._log.path, os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            raise os_failure(self._log.path, error) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _sync(self) -> None:
        """Syncs copies of the descriptors, so that the lock isn't held while waiting for the disk."""
        with self._turn:
            if not self._is_dirty:
                return
            self._is_dirty = False
            files = [self._log, self._mark] if self._mark is not None else [self._log]
            copies = [os.dup(file.open_descriptor) for file in files if file.open_descriptor is not None]
        try:
            for copy in copies:
                private_file.fdatasync(copy)
        finally:
            for copy in copies:
                os.close(copy)

    def _close_files(self) -> None:
        self._log.close()
        if self._mark is not None:
            self._mark.close()

    def _reset_after_fork(self) -> None:
        """Reopens the files after a fork, because shared descriptors would share the lock."""
        self._close_files()
        self._reset()


class _Hold(AbstractContextManager[LockedJournal]):
    """A class and not a generator: that one takes longer than the lock itself."""

    __slots__ = ("_held", "_is_durable", "_journal", "_patience", "_releases_early")

    def __init__(self, journal: JournalFile, is_durable: bool, releases_early: bool, patience: float | None) -> None:
        self._journal = journal
        self._is_durable = is_durable
        self._releases_early = releases_early
        self._patience = patience

    def __enter__(self) -> LockedJournal:
        try:
            self._held = self._journal._take(self._patience)
        except OSError as error:
            raise os_failure(self._journal._log.path, error) from error
        return self._held

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        try:
            self._journal._let_go(
                self._held,
                has_failed=fault is not None,
                is_durable=self._is_durable,
                releases_early=self._releases_early,
            )
        except OSError as error:
            raise os_failure(self._journal._log.path, error) from error
        if isinstance(fault, OSError):
            raise os_failure(self._journal._log.path, fault) from fault
