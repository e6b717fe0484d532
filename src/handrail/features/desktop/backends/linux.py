"""The desktop of a Linux session: read through AT-SPI2, acted on through AT-SPI2 and X11."""

from collections.abc import Sequence

from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.readiness import check_readiness
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.screen import X11Screen
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import Combination, Delivery, Element, Readiness, Rect, Shot, Window


class LinuxDesktop(AtspiReader):
    """Must be created on the event loop that uses it. Connects only when needed."""

    def __init__(self) -> None:
        self._x11 = X11()
        self._top_windows = TopWindows(self._x11)
        super().__init__(AccessibilityBus(), self._top_windows)
        self._actions = ElementActions(self._bus, self._x11, self._top_windows, self.look)
        self._keyboard = KeyboardInput(self._bus, self._x11, self._top_windows, self._actions)
        self._screen = X11Screen(self._x11)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._actions.bring_to_front(window)

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._actions.press(window, element)

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._actions.focus(window, element)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._keyboard.type_text(window, element, text, clear_before=clear_before)

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        await self._keyboard.send_keys(window, combinations, delay_ms=delay_ms)

    async def shot(self, area: Rect | None = None, *, outlined: Rect | None = None) -> Shot:
        return await self._screen.shot(area, outlined=outlined)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._screen.highlight(frame, duration_ms)

    async def readiness(self) -> Readiness:
        return await check_readiness(self, self._x11, self._top_windows, self._screen)

    async def close(self) -> None:
        await self._keyboard.close()
        await self._bus.close()
        self._screen.close()
        self._x11.close()
