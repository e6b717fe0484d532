"""The port to a line differ."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines that differs, counted from 1, without context. A text's lines are what stands between its LFs."""

    start_old: int
    start_new: int
    lines_old: list[bytes]
    lines_new: list[bytes]


class LineDiffer(Protocol):
    def hunks(self, old: bytes, new: bytes) -> list[Hunk]:
        """The differing runs of two texts, in order."""
        ...

    def unified(self, path: str, old: bytes | None, new: bytes | None) -> str:
        """The same for people and for `patch`, with context; None: the file is absent on that side."""
        ...
