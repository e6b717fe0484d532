"""The desktop of a Linux session: read through AT-SPI2, acted on through AT-SPI2 and X11."""

from collections.abc import Sequence
from functools import partial

from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.text_input import TextInput
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.readiness import ReadinessCheck
from handrail.features.desktop.backends.x11.clipboard import Clipboard
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.input import Keyboard
from handrail.features.desktop.backends.x11.screen import X11Highlight, X11Screen
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import Combination, Delivery, Element, Readiness, Rect, Shot, Window


class LinuxDesktop(AtspiReader):
    """Must be created on the event loop that uses it. Connects only when needed."""

    def __init__(self) -> None:
        self._x11 = X11()
        self._top_windows = TopWindows(self._x11)
        super().__init__(AccessibilityBus(), self._top_windows)
        self._keyboard = Keyboard(self._x11)
        self._clipboard = Clipboard(self._x11)
        self._actions = ElementActions(self._bus, self._x11, self._top_windows, self.look)
        self._text_input = TextInput(self._bus, self._top_windows, self._actions, self._clipboard, self._keyboard)
        self._screen = X11Screen(self._x11)
        self._highlight = X11Highlight(self._x11)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._actions.bring_to_front(window)

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._actions.press(window, element)

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._actions.focus(window, element)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._text_input.type_text(window, element, text, clear_before=clear_before)

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        top = await self._actions.key_window(window)
        check = partial(self._top_windows.require_keys, top.id)
        await self._keyboard.send(combinations, before_each=check, delay_ms=delay_ms)

    async def shot(self, area: Rect | None = None, *, outlined: Rect | None = None) -> Shot:
        return await self._screen.shot(area, outlined=outlined)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._highlight.show(frame, duration_ms)

    async def readiness(self) -> Readiness:
        return await ReadinessCheck(self, self._x11, self._top_windows, self._screen).run()

    async def close(self) -> None:
        self._highlight.close()
        await self._clipboard.close()
        await self._bus.close()
        self._screen.close()
        self._x11.close()
