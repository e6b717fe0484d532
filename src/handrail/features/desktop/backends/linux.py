"""The desktop of a Linux session: read through AT-SPI2, acted on through AT-SPI2 and X11, looked at through X11."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager

from handrail.features.desktop.backends.acting.actor import LinuxActor
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.readiness import ReadinessCheck
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.screen import X11Highlight, X11Screen
from handrail.features.desktop.backends.x11.windows import TopWindows
from handrail.features.desktop.platform import (
    Changes,
    Combination,
    Delivery,
    Element,
    Found,
    Query,
    Readiness,
    Rect,
    Shot,
    Tree,
    Window,
)


class LinuxDesktop:
    """Made on the event loop that it is used on. Nothing is connected before it is needed."""

    def __init__(self) -> None:
        self._x11 = X11()
        self._bus = AccessibilityBus()
        windows = TopWindows(self._x11)
        self._reader = AtspiReader(self._bus, windows)
        self._actor = LinuxActor(self._bus, self._x11, windows, self._reader.look)
        self._screen = X11Screen(self._x11)
        self._highlight = X11Highlight(self._x11)
        self._check = ReadinessCheck(self._reader, self._x11, windows, self._screen)

    async def windows(self) -> Sequence[Window]:
        return await self._reader.windows()

    def silent(self) -> Collection[int]:
        return self._reader.silent()

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        return await self._reader.tree(window, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        return await self._reader.find(window, query)

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None:
        return await self._reader.at_path(window, path)

    async def look(self, handle: str) -> Element | None:
        return await self._reader.look(handle)

    def changes(self, window: Window) -> AbstractAsyncContextManager[Changes]:
        return self._reader.changes(window)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._actor.bring_to_front(window)

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._actor.press(window, element)

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._actor.focus(window, element)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._actor.type_text(window, element, text, clear_before=clear_before)

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        await self._actor.send_keys(window, combinations, delay_ms=delay_ms)

    async def shot(self, area: Rect | None = None, *, outlined: Rect | None = None) -> Shot:
        return await self._screen.shot(area, outlined=outlined)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._highlight.show(frame, duration_ms)

    async def readiness(self) -> Readiness:
        return await self._check.run()

    async def close(self) -> None:
        self._highlight.close()
        await self._actor.close()
        await self._bus.close()
        self._screen.close()
        self._x11.close()
