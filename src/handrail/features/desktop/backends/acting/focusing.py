"""Gives an element the focus, and says whether it really has it."""

import asyncio
import time

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.acting.clicking import Clicking
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import Element, Window
from handrail.ports.errors import Conflict, PermissionMissing

_FOCUSING_SECONDS = 0.5
_LOOK_EVERY = 0.01


class Focusing:
    def __init__(self, bus: AccessibilityBus, windows: TopWindows, clicking: Clicking) -> None:
        self._bus = bus
        self._windows = windows
        self._clicking = clicking

    async def bring_to_front(self, window: Window) -> bool:
        """Through the window manager; where the window is none of the X server's, as far as its app can."""
        try:
            top = self._windows.matching(window)
        except PermissionMissing:
            top = None
        if top is not None:
            return await self._windows.activate(top.id)
        accessible = await Accessible.behind(self._bus, window.handle)
        await accessible.grab_focus()
        return "active" in await accessible.states()

    async def focus(self, window: Window, element: Element) -> bool:
        # Qt says that it took the focus, and takes no keys unless its window has them.
        await self.bring_to_front(window)
        accessible = await Accessible.behind(self._bus, element.handle)
        if "focused" in await accessible.living_states():
            return True
        if await accessible.grab_focus() and await self._gets_focus(accessible):
            return True
        if "editable" not in element.states:
            return "focused" in await accessible.states()
        caret = await accessible.caret()
        try:
            await self._clicking.click(window, element)
        except (Conflict, PermissionMissing):
            return False
        has_focus = await self._gets_focus(accessible)
        if caret is not None:
            await accessible.put_caret(caret)  # The click was meant for the field, not for a place in its text.
        return has_focus

    async def _gets_focus(self, accessible: Accessible) -> bool:
        deadline = time.monotonic() + _FOCUSING_SECONDS
        while "focused" not in await accessible.states():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_LOOK_EVERY)
        return True
