"""The port to a line differ."""

from typing import NamedTuple, Protocol


class Hunk(NamedTuple):
    """A run of lines that differs, counted from 1; context is left out."""

    start_old: int
    len_old: int
    start_new: int
    len_new: int


class LineDiffer(Protocol):
    def hunks(self, old: bytes, new: bytes) -> list[Hunk]:
        """The differing runs of two texts, their lines being what stands between LFs."""
        ...

    def unified(self, path: str, old: bytes | None, new: bytes | None) -> str:
        """The same for people and for `patch`, with context; None: the file is absent on that side."""
        ...
