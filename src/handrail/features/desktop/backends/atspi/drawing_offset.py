"""The offset between where LibreOffice draws its elements and where it reports them.

Until the pointer first moves over its window, it doesn't know that its menu bar takes up space, and reports everything
that it draws itself too high. GTK draws its menus, its side bar and the container around its drawing, and reports
those correctly.
"""

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.libreoffice import LibreOffice

Offset = tuple[int, int]
NO_OFFSET: Offset = (0, 0)
_CONTAINER_LEVELS = 2
"""Levels of containers between the window and the one that it draws into."""
_MAX_ANCESTORS = 40


class DrawingOffset:
    """Finds the offset to add to the places of everything that an app draws itself."""

    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice) -> None:
        self._bus = bus
        self._libreoffice = libreoffice

    async def in_window(self, window: Ref) -> Offset:
        if not await self._libreoffice.is_app(window.name):
            return NO_OFFSET
        panes = await self._bus.ask(window, calls.FIRST_ROOT_PANE)
        return (
            NO_OFFSET if isinstance(panes, Refused) or not panes[0] else await self._between(window, Ref(*panes[0][0]))
        )

    async def around(self, element: Ref) -> Offset:
        if not await self._libreoffice.is_app(element.name) or (pane := await self._pane(element)) is None:
            return NO_OFFSET
        windows = await self._bus.ask(Ref(element.name, calls.ROOT_PATH), calls.CHILDREN)
        for window in [] if isinstance(windows, Refused) else [Ref(*one) for one in windows[0]]:
            panes = await self._bus.ask(window, calls.FIRST_ROOT_PANE)
            if not isinstance(panes, Refused) and list(panes[0]) == [pane]:
                return await self._between(window, pane)
        return NO_OFFSET

    async def _pane(self, element: Ref) -> Ref | None:
        """Returns the outermost object that the app draws; its container is not among its ancestors."""
        for _ in range(_MAX_ANCESTORS):
            role, parent = await self._bus.ask_all(
                element.name, [(element.path, calls.ROLE), (element.path, calls.PARENT)]
            )
            if isinstance(role, Refused) or isinstance(parent, Refused):
                return None
            if role[0] == calls.ROOT_PANE_ROLE:
                return element
            element = Ref(*parent[0].value)
        return None

    async def _between(self, window: Ref, pane: Ref) -> Offset:
        """Returns the offset from the pane's reported place to the container that it fills."""
        pane_extents = await self._bus.ask(pane, calls.EXTENTS)
        containers = [window]
        for _ in range(0 if isinstance(pane_extents, Refused) else _CONTAINER_LEVELS):
            answers = await self._bus.ask_each(containers, calls.CHILDREN)
            containers = [Ref(*child) for answer in answers if not isinstance(answer, Refused) for child in answer[0]]
            x, y, *size = pane_extents[0]
            for place in await self._bus.ask_each(containers, calls.EXTENTS):
                if not isinstance(place, Refused) and list(place[0][2:]) == size:
                    return place[0][0] - x, place[0][1] - y
        return NO_OFFSET
