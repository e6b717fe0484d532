"""Console windows that an app has opened for a person: whether one is open, and what the app wants it to do.

A browser cuts the console's window off from the page that opened it (Cross-Origin-Opener-Policy), so neither page can
see the other. The window says here that it is open, and hears here when it should come to the front or close.
"""

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from handrail.ports.errors import InvalidParams

Action = Literal["focus", "close", "toggle"]
Order = Literal["focus", "close"]
POLL_SECONDS = 25.0
_BETWEEN_POLLS = 2.0
_MOST_ORDERS = 10
_NAME = re.compile(r"[A-Za-z0-9_-]{22,128}")


@dataclass(slots=True)
class _Panel:
    polls: int = 0
    seen: float = 0.0
    orders: asyncio.Queue[Order] = field(default_factory=lambda: asyncio.Queue(_MOST_ORDERS))


class Panels:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._panels: dict[str, _Panel] = {}

    async def next_order(self, name: str) -> Order | None:
        """For the window: it counts as open while it asks. None after a while without an order."""
        panel = self._panels.setdefault(_checked(name), _Panel())
        panel.polls += 1
        try:
            async with asyncio.timeout(POLL_SECONDS):
                order = await panel.orders.get()
            if order == "close":
                self._panels.pop(name, None)
            return order
        except TimeoutError:
            return None
        finally:
            panel.polls -= 1
            panel.seen = self._clock()

    def ask(self, name: str, action: Action) -> bool:
        """For the app: whether the window was open. It is told what to do; `toggle` closes an open one."""
        panel = self._open(_checked(name))
        if panel is not None and not panel.orders.full():
            panel.orders.put_nowait("close" if action == "toggle" else action)
        return panel is not None

    def _open(self, name: str) -> _Panel | None:
        now = self._clock()
        for each, panel in list(self._panels.items()):
            if not panel.polls and now - panel.seen > _BETWEEN_POLLS:
                del self._panels[each]
        return self._panels.get(name)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        why = "must be 22 to 128 random letters, digits, - and _"
        raise InvalidParams(f"panel: {why}.", fieldErrors=[{"field": "panel", "message": why}])
    return name
