"""Delays a single click that a program would otherwise take for the second one of a double click."""

import asyncio
import time

_DOUBLE_CLICK_SECONDS = 0.6
_DOUBLE_CLICK_PIXELS = 16


class ClickPace:
    def __init__(self) -> None:
        self._created_at = time.monotonic()
        self._last: tuple[float, int, int] | None = None

    def note_click(self, x: int, y: int) -> None:
        self._last = (time.monotonic(), x, y)

    async def wait_out_double_click(self, x: int, y: int) -> None:
        """Waits until a click there would no longer count as the second one of a double click."""
        clicked_at, last_x, last_y = self._last or (self._created_at, x, y)  # another process may have clicked before
        if max(abs(x - last_x), abs(y - last_y)) <= _DOUBLE_CLICK_PIXELS:
            await asyncio.sleep(max(0, clicked_at + _DOUBLE_CLICK_SECONDS - time.monotonic()))
