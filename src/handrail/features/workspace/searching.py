"""The port to a tree searcher."""

from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple, Protocol


class Hit(NamedTuple):
    """A line that matched: the path below the searched folder, line from 1, byte offset of its start."""

    path: str
    line: int
    offset: int


class Searcher(Protocol):
    def search(
        self, folder: int, name: str, regex: str, glob: str | None, closed: Sequence[str]
    ) -> AsyncGenerator[Hit, None]:
        """Hits below `name` in the folder that the descriptor holds; closing the generator ends the search."""
        ...
