"""Clicks with the pointer and puts it back where a person had it."""

import asyncio

from Xlib import X
from Xlib.ext import xtest

from handrail.backends.desktop.x11.connection import X11
from handrail.contract.errors import PermissionMissing

_SETTLING_SECONDS = 0.04
"""Some toolkits ask where the pointer is when they come to the click, not where it was."""


class Pointer:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11

    async def click(self, x: int, y: int) -> None:
        display = self._x11.display()
        if not display.has_extension("XTEST"):
            raise PermissionMissing("The X server lets no program move the pointer: it has no XTEST extension.")
        before = self._x11.root().query_pointer()
        try:
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            display.sync()
            # The window below hears of the pointer before it hears of the button.
            await asyncio.sleep(_SETTLING_SECONDS)
            xtest.fake_input(display, X.ButtonPress, 1)
            xtest.fake_input(display, X.ButtonRelease, 1)
            display.sync()
            await asyncio.sleep(_SETTLING_SECONDS)
        finally:
            xtest.fake_input(display, X.MotionNotify, x=before.root_x, y=before.root_y)
            display.sync()
