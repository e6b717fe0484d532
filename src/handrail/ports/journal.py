"""The port to an append-only file of lines that many processes share.

A line is bytes that end with LF. A journal also has one small mark that is read and replaced under the same lock.
Everything blocks, so it is called in threads. Raises InputOutput and Conflict.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from handrail.ports.errors import InputOutput


class OutcomeUnknown(InputOutput):
    """The data may have been written, so it must not be written again."""


@dataclass(frozen=True, slots=True)
class JournalSnapshot:
    """Size of the log and mark, read together while nobody was writing; None if they don't exist."""

    size: int | None
    mark: bytes | None
    may_lag: bool = False
    """Nothing was written since this machine started, so a power cut may have lost the newest mark."""


class LockedJournal(Protocol):
    """A journal while it is locked for one writer."""

    @property
    def size(self) -> int: ...

    @property
    def mark(self) -> bytes | None: ...

    @property
    def may_lag(self) -> bool:
        """Nothing was written since this machine started, so a power cut may have lost the newest mark."""
        ...

    def set_mark(self, mark: bytes) -> None: ...

    def read(self, offset: int, size: int) -> bytes: ...

    def size_after(self, line: bytes) -> int:
        """The size after appending `line`."""
        ...

    def append(self, line: bytes) -> None:
        """Writes `line` and its LF in one step. After a torn line, it starts on a new line."""
        ...

    def end_line(self) -> None:
        """Adds the missing LF to a torn last line."""
        ...

    def sync(self) -> None:
        """Syncs what was appended here to disk."""
        ...


class Journal(Protocol):
    @property
    def location(self) -> str:
        """The log's location, for people to read."""
        ...

    def lock(
        self, *, is_durable: bool, releases_early: bool = False, patience: float | None = None
    ) -> AbstractContextManager[LockedJournal]:
        """Locks the journal for one writer. An exception inside restores lines and mark.

        Conflict: another process has held it for `patience` seconds. With a patience of 0 it never blocks, and raises
        Conflict also if the files aren't open yet.

        Durable: the lines are on disk before the block is left. The mark and everything else follow within about a
        second, so after a power cut the mark may be an older one (`may_lag`).

        `releases_early`: others may read and write while the data is synced, so that several writers share one sync.
        They may then see data that is removed again if the disk fails, unless somebody has written after it.
        """
        ...

    def append(self, line: bytes, *, is_durable: bool, releases_early: bool = False) -> None:
        """Locks the journal and appends a single line."""
        ...

    def snapshot(self) -> JournalSnapshot:
        """Size and mark. Creates no files."""
        ...

    def lines(self, start: int = 0, until: int | None = None) -> Iterator[bytes]:
        """Lines from the offset `start`, each with its LF, except for a torn last line."""
        ...

    def lines_backwards(self) -> Iterator[bytes]:
        """All lines, the newest first."""
        ...

    def flush(self) -> None:
        """Waits until everything that was appended is on disk."""
        ...

    def close(self) -> None: ...
