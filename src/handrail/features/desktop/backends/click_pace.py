"""Keeps two single clicks apart that a program would take for a double click."""

import asyncio
import time

_DOUBLE_CLICK_SECONDS = 0.6
_DOUBLE_CLICK_PIXELS = 16


class ClickPace:
    def __init__(self) -> None:
        self._opened_at = time.monotonic()
        self._last: tuple[float, int, int] | None = None

    def clicked(self, x: int, y: int) -> None:
        self._last = (time.monotonic(), x, y)

    async def until_single(self, x: int, y: int) -> None:
        """Waits as long as a click there would be taken for the second of a double click."""
        clicked_at, last_x, last_y = self._last or (self._opened_at, x, y)  # Before, another process may have clicked.
        if max(abs(x - last_x), abs(y - last_y)) <= _DOUBLE_CLICK_PIXELS:
            await asyncio.sleep(max(0, clicked_at + _DOUBLE_CLICK_SECONDS - time.monotonic()))
