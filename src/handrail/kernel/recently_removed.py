"""What a person has revoked a moment ago, kept so that exactly that can be brought back if it was a mistake."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from handrail.ports.errors import NotFound

T = TypeVar("T")
_KEPT_SECONDS = 600.0


class RecentlyRemoved(Generic[T]):
    """`what` is the word for one of these, in errors."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._kept: dict[str, tuple[float, T]] = {}

    def keep(self, id: str, removed: T) -> None:
        self._kept = {each: kept for each, kept in self._kept.items() if self._is_fresh(kept[0])}
        self._kept[id] = self._clock(), removed

    def find(self, id: str) -> T:
        """NotFound where it was not removed here within the last ten minutes."""
        kept = self._kept.get(id)
        if kept is None or not self._is_fresh(kept[0]):
            raise NotFound(f"The {self._what} {id} can't be restored any more.", hint="Allow it again.", id=id)
        return kept[1]

    def take(self, id: str) -> T:
        """The same, once. NotFound."""
        found = self.find(id)
        del self._kept[id]
        return found

    def _is_fresh(self, at: float) -> bool:
        return self._clock() - at < _KEPT_SECONDS
