"""A journal's files while one writer holds the lock: reads, appends and rolls back.

The caller takes and releases the lock.
"""

import os
import time
from contextlib import suppress

from handrail.stores.local import private_file
from handrail.stores.local.private_file import PrivateFile, write_all

_LONGEST_MARK = 4096
KNOWS_START = hasattr(time, "CLOCK_BOOTTIME")


def is_before_start(moment: float) -> bool:
    """Whether this machine has restarted since; False if unknown."""
    return KNOWS_START and moment < time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


class LockedJournal:
    """`complete_at` is a size at which the log is known to end with a line feed."""

    def __init__(
        self, descriptor: int, status: os.stat_result, mark: PrivateFile | None, complete_at: int = -1
    ) -> None:
        self._descriptor = descriptor
        self._written_at = status.st_mtime
        self._mark_file = mark
        self._has_touched_mark = False
        self._first_size = self._synced_size = self.size = status.st_size
        self.complete_at = complete_at
        self._first_mark = self.mark = read_mark(mark) if mark is not None else None

    @property
    def may_lag(self) -> bool:
        return is_before_start(self._written_at)

    @property
    def has_changed(self) -> bool:
        return self.size != self._first_size or self.mark != self._first_mark

    def set_mark(self, mark: bytes) -> None:
        self._has_touched_mark = True
        self._write_mark(mark)
        self.mark = mark

    def read(self, offset: int, size: int) -> bytes:
        return os.pread(self._descriptor, size, offset)

    def size_after(self, line: bytes) -> int:
        return self.size + self._is_torn + len(line) + 1

    def append(self, line: bytes) -> None:
        if b"\n" in line:
            raise ValueError("A line can't contain a line feed.")
        self._write(b"\n%b\n" % line if self._is_torn else line + b"\n")

    def end_line(self) -> None:
        if self._is_torn:
            self._write(b"\n")

    def sync(self, *, with_mark: bool = False) -> None:
        """Syncs the lines first, because a mark must not refer to missing lines."""
        if self.size != self._synced_size:
            private_file.fdatasync(self._descriptor)
            self._synced_size = self.size
        if with_mark and self._mark_file is not None and self.mark != self._first_mark:
            private_file.fdatasync(self._mark_file.descriptor)

    @property
    def is_last(self) -> bool:
        """False if another process has written after us."""
        return os.fstat(self._descriptor).st_size == self.size

    def roll_back(self) -> None:
        """Undoes as much as possible. Uses the file's own size, because a short write doesn't update `size`."""
        with suppress(OSError):
            if os.fstat(self._descriptor).st_size > self._first_size:
                os.ftruncate(self._descriptor, self._first_size)
        with suppress(OSError):
            if self._has_touched_mark:
                self._write_mark(self._first_mark or b"")

    @property
    def _is_torn(self) -> bool:
        if self.complete_at != self.size:
            if self.size > 0 and self.read(self.size - 1, 1) != b"\n":
                return True
            self.complete_at = self.size
        return False

    def _write(self, data: bytes) -> None:
        write_all(self._descriptor, data)
        self.size += len(data)
        self.complete_at = self.size

    def _write_mark(self, mark: bytes) -> None:
        assert self._mark_file is not None, "this journal has no mark"
        write_all(self._mark_file.descriptor, mark, 0)
        if len(mark) != len(self.mark or b""):
            os.ftruncate(self._mark_file.descriptor, len(mark))


def read_mark(file: PrivateFile) -> bytes | None:
    return file.read(_LONGEST_MARK)
