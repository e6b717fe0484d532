"""The port to an append-only file of lines that many processes share.

A line is bytes that end in LF, and in nothing else. Beside the lines a journal can keep one small
mark that is read and replaced under the same lock. What lines and mark mean is the user's business.
Everything blocks, so it is called in threads, and raises conditions of the error tree: InputOutput, Conflict.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from handrail.ports.errors import InputOutput


class OutcomeUnknown(InputOutput):
    """What was written may be there: it must not be written again."""


@dataclass(frozen=True, slots=True)
class JournalSnapshot:
    """Size of the log and mark, seen together at a moment when nobody was writing; None where there is none."""

    size: int | None
    mark: bytes | None
    may_lag: bool = False
    """Nobody has written since this machine started: a power cut may have taken the newest mark."""


class LockedJournal(Protocol):
    """A journal while nobody else can write to it."""

    @property
    def size(self) -> int: ...

    @property
    def mark(self) -> bytes | None: ...

    @property
    def may_lag(self) -> bool:
        """Nobody has written since this machine started: a power cut may have taken the newest mark."""
        ...

    def set_mark(self, mark: bytes) -> None: ...

    def read(self, offset: int, size: int) -> bytes: ...

    def size_after(self, line: bytes) -> int:
        """What `size` will be once `line` is appended."""
        ...

    def append(self, line: bytes) -> None:
        """Writes `line` and its LF in one step. After a torn tail it starts on a line of its own."""
        ...

    def end_line(self) -> None:
        """Gives a torn tail the LF that it lacks."""
        ...

    def sync(self) -> None:
        """What was appended here is on disk when this returns."""
        ...


class Journal(Protocol):
    @property
    def location(self) -> str:
        """Where the lines are, for people to read."""
        ...

    def lock(
        self, *, is_durable: bool, releases_early: bool = False, patience: float | None = None
    ) -> AbstractContextManager[LockedJournal]:
        """The journal for one writer, all or nothing: what raises inside leaves lines and mark as they were.

        Conflict when somebody else has had it for `patience` seconds. With a patience of 0 nothing blocks: Conflict
        also where the files are not open yet.

        Durable: the lines are on disk before the block is left. The mark, and all else, follows within about a second:
        so after a power cut it may be an older one (`may_lag`).

        To let go early is to let others read and write while the disk works, which many writers share that way.
        Then others may see what a failing disk takes back, and what somebody has written after is not taken back.
        """
        ...

    def append(self, line: bytes, *, is_durable: bool, releases_early: bool = False) -> None:
        """`lock` for a single line."""
        ...

    def snapshot(self) -> JournalSnapshot:
        """Creates nothing."""
        ...

    def lines(self, start: int = 0, until: int | None = None) -> Iterator[bytes]:
        """From offset `start`, each with its LF; only a torn tail comes without."""
        ...

    def lines_backwards(self) -> Iterator[bytes]:
        """The same, the newest first."""
        ...

    def flush(self) -> None:
        """Waits until everything is on disk that anybody has appended."""
        ...

    def close(self) -> None: ...
