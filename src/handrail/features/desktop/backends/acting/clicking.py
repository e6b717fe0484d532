"""A real click in the middle of what can be seen of an element, and never on anything else.

Refuses where nothing of it is visible, and where another window lies above that point.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.input import Pointer
from handrail.features.desktop.backends.x11.windows import TopWindow, TopWindows
from handrail.features.desktop.platform import Element, Rect, Window
from handrail.ports.errors import Conflict, Gone, PermissionMissing

Look = Callable[[str], Awaitable[Element | None]]
_CLIPPING = frozenset({"scroll pane", "viewport", "list", "list box", "table", "tree", "tree table", "document web"})
_MOST_ANCESTORS = 40
_BORDER = 16
"""Pixels by which a popup may be larger than what it shows."""
_SCROLLING_SECONDS = 1.0
_LOOK_EVERY = 0.03


class Clicking:
    def __init__(self, bus: AccessibilityBus, x11: X11, windows: TopWindows, look: Look) -> None:
        self._bus = bus
        self._windows = windows
        self._x11 = x11
        self._pointer = Pointer(x11)
        self._look = look

    async def click(self, window: Window, element: Element) -> None:
        top = self._windows.matching(window)
        if top is None:
            await (await Accessible.behind(self._bus, window.handle)).living_states()
            raise PermissionMissing(
                "The window belongs to no X11 program, so no click can reach it.",
                hint="What has an action of its own works; for everything else choose an X11 session.",
            )
        await self._windows.activate(top.id)
        accessible = await Accessible.behind(self._bus, element.handle)
        ancestors = await self._ancestors(accessible)
        seen = await self._visible(top, element.handle, ancestors)
        if seen is None and await accessible.scroll_into_view():
            seen = await self._scrolled(top, element.handle, ancestors)
        if seen is None:
            raise Conflict("Nothing of the element is visible.", hint="Scroll to it, or make the window larger.")
        reached = self._windows.outermost(top.id)
        x, y = seen.center
        if (shown := self._popup_of(top, ancestors)) is not None:
            reached, (right, down) = shown
            x, y = x + right, y + down
        if self._windows.at(x, y) != reached:
            raise Conflict("Another window covers the element.", hint="Move or close the window above it.")
        await self._pointer.click(x, y)

    async def _ancestors(self, accessible: Accessible) -> list[Element]:
        """From the nearest outwards."""
        found: list[Element] = []
        while len(found) < _MOST_ANCESTORS and (ref := await accessible.parent()) is not None:
            if (element := await self._look(self._bus.handle(ref))) is None or element.role == "AXApplication":
                break
            found.append(element)
            accessible = Accessible(self._bus, ref)
        return found

    async def _scrolled(self, top: TopWindow, handle: str, ancestors: list[Element]) -> Rect | None:
        """Where it comes to rest: some apps scroll by and by."""
        deadline = time.monotonic() + _SCROLLING_SECONDS
        before, seen = None, await self._visible(top, handle, ancestors)
        while (seen is None or seen != before) and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_EVERY)
            before, seen = seen, await self._visible(top, handle, ancestors)
        return seen

    async def _visible(self, top: TopWindow, handle: str, ancestors: list[Element]) -> Rect | None:
        element = await self._look(handle)
        if element is None:
            raise Gone("The element is gone.")
        seen = element.frame.meets(self._x11.screen_area()) if element.frame is not None else None
        for ancestor in ancestors:
            if seen is not None and ancestor.native_role in _CLIPPING and ancestor.frame is not None:
                seen = seen.meets(ancestor.frame)
        window = self._windows.frame(top.id)
        # A list that dropped down lies outside of its window: who is above that point is asked before the click.
        return (window is not None and seen is not None and seen.meets(window)) or seen

    def _popup_of(self, top: TopWindow, ancestors: list[Element]) -> tuple[int, tuple[int, int]] | None:
        """The menu or list that holds the element, and how far it is from where its app believes it to be."""
        for popup in self._windows.popups(top.id):
            area = self._windows.frame(popup)
            for ancestor in ancestors:
                frame = ancestor.frame
                if area is not None and frame is not None and _is_alike(area, frame) and area.meets(frame) is not None:
                    (x, y), (believed_x, believed_y) = area.center, frame.center
                    return popup, (x - believed_x, y - believed_y)
        return None


def _is_alike(popup: Rect, content: Rect) -> bool:
    return abs(popup.width - content.width) <= _BORDER and abs(popup.height - content.height) <= _BORDER
