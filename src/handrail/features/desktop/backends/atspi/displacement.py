"""How far LibreOffice draws its elements from where it says.

It learns from the first movement of the pointer above its window that its menu bar takes room. Until then it places
all that it draws itself too high. Its menus and side bar are GTK's, which knows better, and so does the container that
it draws into.
"""

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.libreoffice import LibreOffice

Offset = tuple[int, int]
NONE: Offset = (0, 0)
_LEVELS = 2
"""Of containers between the window and the one that it draws into."""
_MOST_ANCESTORS = 40


class Displacement:
    """What to add to the place of everything that an app draws itself."""

    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice) -> None:
        self._bus = bus
        self._libreoffice = libreoffice

    async def in_window(self, window: Ref) -> Offset:
        if not await self._libreoffice.is_app(window.name):
            return NONE
        panes = await self._bus.ask(window, calls.FIRST_ROOT_PANE)
        return NONE if isinstance(panes, Refused) or not panes[0] else await self._between(window, Ref(*panes[0][0]))

    async def around(self, element: Ref) -> Offset:
        if not await self._libreoffice.is_app(element.name) or (pane := await self._pane(element)) is None:
            return NONE
        windows = await self._bus.ask(Ref(element.name, calls.ROOT_PATH), calls.CHILDREN)
        for window in [] if isinstance(windows, Refused) else [Ref(*one) for one in windows[0]]:
            panes = await self._bus.ask(window, calls.FIRST_ROOT_PANE)
            if not isinstance(panes, Refused) and list(panes[0]) == [pane]:
                return await self._between(window, pane)
        return NONE

    async def _pane(self, element: Ref) -> Ref | None:
        """The outermost thing that the app draws; the container that it is in is not among its ancestors."""
        for _ in range(_MOST_ANCESTORS):
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
        """From where the pane says it is to the container that it fills."""
        told = await self._bus.ask(pane, calls.EXTENTS)
        containers = [window]
        for _ in range(0 if isinstance(told, Refused) else _LEVELS):
            answers = await self._bus.ask_each(containers, calls.CHILDREN)
            containers = [Ref(*child) for answer in answers if not isinstance(answer, Refused) for child in answer[0]]
            x, y, *size = told[0]
            for place in await self._bus.ask_each(containers, calls.EXTENTS):
                if not isinstance(place, Refused) and list(place[0][2:]) == size:
                    return place[0][0] - x, place[0][1] - y
        return NONE
