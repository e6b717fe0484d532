"""Clicks with the pointer and puts it back where a person had it."""

import asyncio
import time

from Xlib import X
from Xlib.ext import xtest

from handrail.features.desktop.backends.x11.connection import X11
from handrail.ports.errors import PermissionMissing

_SETTLING_SECONDS = 0.04
"""Some toolkits ask where the pointer is when they come to the click, not where it was."""
_DOUBLE_CLICK_SECONDS = 0.6
_DOUBLE_CLICK_PIXELS = 16


class Pointer:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._last: tuple[float, int, int] | None = None

    async def click(self, x: int, y: int) -> None:
        """Two of them are two clicks, never a double click, which means something else to many programs."""
        display = self._x11.display()
        if not display.has_extension("XTEST"):
            raise PermissionMissing("The X server lets no program move the pointer: it has no XTEST extension.")
        await asyncio.sleep(self._seconds_until_single(x, y))
        before = self._x11.root().query_pointer()
        try:
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            display.sync()
            # The window below hears of the pointer before it hears of the button.
            await asyncio.sleep(_SETTLING_SECONDS)
            xtest.fake_input(display, X.ButtonPress, 1)
            xtest.fake_input(display, X.ButtonRelease, 1)
            display.sync()
            self._last = (time.monotonic(), x, y)
            await asyncio.sleep(_SETTLING_SECONDS)
        finally:
            xtest.fake_input(display, X.MotionNotify, x=before.root_x, y=before.root_y)
            display.sync()

    def _seconds_until_single(self, x: int, y: int) -> float:
        if self._last is None:
            return 0
        clicked_at, last_x, last_y = self._last
        if max(abs(x - last_x), abs(y - last_y)) > _DOUBLE_CLICK_PIXELS:
            return 0
        return max(0, clicked_at + _DOUBLE_CLICK_SECONDS - time.monotonic())
