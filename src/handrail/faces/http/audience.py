"""The consoles that are open: while there is one, questions have somebody who watches."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

Watching = Callable[[], AbstractContextManager[None]]


class Audience:
    """`watching` is entered when the first comes and left when the last goes."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching
        self._present: set[str] = set()
        self._held = ExitStack()

    def come(self, who: str) -> None:
        if not self._present:
            self._held.enter_context(self._watching())
        self._present.add(who)

    def go(self, who: str) -> None:
        self._present.discard(who)
        if not self._present:
            self._held.close()
