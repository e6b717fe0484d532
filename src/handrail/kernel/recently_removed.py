"""Remembers for ten minutes what a person has removed, so that exactly that can be restored."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from handrail.ports.errors import NotFound

T = TypeVar("T")
_KEPT_SECONDS = 600.0


class RecentlyRemoved(Generic[T]):
    """`what` is the word for one of these in errors."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._kept: dict[str, tuple[float, T]] = {}

    def keep(self, id: str, removed: T) -> None:
        self._kept = {each: entry for each, entry in self._kept.items() if self._is_fresh(entry[0])}
        self._kept[id] = self._clock(), removed

    def find(self, id: str) -> T:
        """NotFound unless it was removed here within the last ten minutes."""
        entry = self._kept.get(id)
        if entry is None or not self._is_fresh(entry[0]):
            raise NotFound(f"The {self._what} {id} can't be restored any more.", hint="Allow it again.", id=id)
        return entry[1]

    def take(self, id: str) -> T:
        """Like `find`, but removes it. NotFound."""
        removed = self.find(id)
        del self._kept[id]
        return removed

    def _is_fresh(self, at: float) -> bool:
        return self._clock() - at < _KEPT_SECONDS
