"""The one window that keys are meant for, as the X server knows it, and the check that no other one gets them."""

import asyncio
import time

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.x11.input import Check
from handrail.features.desktop.backends.x11.windows import TopWindow, TopWindows
from handrail.features.desktop.platform import Window
from handrail.ports.errors import Conflict, PermissionMissing

_HANDING_OVER_SECONDS = 0.3
"""How long nobody may have the keys: a window that has just come up is given them, and takes them once more."""
_LOOK_EVERY = 0.005


class KeyWindows:
    def __init__(self, bus: AccessibilityBus, windows: TopWindows) -> None:
        self._bus = bus
        self._windows = windows

    async def behind(self, window: Window) -> TopWindow:
        """Gone, or PermissionMissing where keys of ours don't reach."""
        top = self._windows.matching(window)
        if top is None:
            await (await Accessible.behind(self._bus, window.handle)).living_states()
            raise PermissionMissing(
                "The window belongs to no X11 program, so no key can reach it.", hint="Choose an X11 session."
            )
        return top

    def check(self, top: TopWindow) -> Check:
        """For just before each key."""

        async def check() -> None:
            deadline = time.monotonic() + _HANDING_OVER_SECONDS
            while (holder := self._windows.key_holder()) != top.id:
                if holder is not None or time.monotonic() > deadline:
                    raise Conflict(
                        "Another window has the keys: nothing more was sent.",
                        hint="desktop.observe shows what is in front.",
                    )
                await asyncio.sleep(_LOOK_EVERY)

        return check
