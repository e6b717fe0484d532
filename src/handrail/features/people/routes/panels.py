"""Console windows that an app opened for a person: whether one is open, and what the app wants it to do.

A browser isolates the console's window from the page that opened it (Cross-Origin-Opener-Policy), so neither page can
see the other. The window polls here while it is open, and learns here when to come to the front or close.
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
_POLL_GAP_SECONDS = 2.0
_MAX_ORDERS = 10
_NAME = re.compile(r"[A-Za-z0-9_-]{22,128}")


@dataclass(slots=True)
class _Panel:
    polls: int = 0
    seen: float = 0.0
    orders: asyncio.Queue[Order] = field(default_factory=lambda: asyncio.Queue(_MAX_ORDERS))


class Panels:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._panels: dict[str, _Panel] = {}

    async def next_order(self, name: str) -> Order | None:
        """For the window, which counts as open while it polls. None after a while without an order."""
        panel = self._panels.setdefault(_check_name(name), _Panel())
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
        """For the app: sends the action, and returns whether the window was open. `toggle` closes an open window."""
        panel = self._open(_check_name(name))
        if panel is not None and not panel.orders.full():
            panel.orders.put_nowait("close" if action == "toggle" else action)
        return panel is not None

    def _open(self, name: str) -> _Panel | None:
        now = self._clock()
        for each, panel in list(self._panels.items()):
            if not panel.polls and now - panel.seen > _POLL_GAP_SECONDS:
                del self._panels[each]
        return self._panels.get(name)


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        reason = "must be 22 to 128 random letters, digits, - and _"
        raise InvalidParams(f"panel: {reason}.", fieldErrors=[{"field": "panel", "message": reason}])
    return name
