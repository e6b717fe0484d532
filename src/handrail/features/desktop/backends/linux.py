"""The desktop of a Linux session: read through AT-SPI2, and controlled through AT-SPI2 and its compositor."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from handrail.features.desktop.backends import launching
from handrail.features.desktop.backends.actions.choices import ValueSetter
from handrail.features.desktop.backends.actions.element_actions import ElementActions
from handrail.features.desktop.backends.actions.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.actions.menus import Menus
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.camera import Camera
from handrail.features.desktop.backends.compositor import Compositor, TopWindow
from handrail.features.desktop.backends.kwin.compositor import INTERFACE as KWIN_INTERFACE
from handrail.features.desktop.backends.kwin.compositor import KWinCompositor
from handrail.features.desktop.backends.readiness import check_readiness
from handrail.features.desktop.backends.unreadable_windows import UnreadableWindows
from handrail.features.desktop.backends.wayland.compositor import REQUIRED_INTERFACES, WlrootsCompositor
from handrail.features.desktop.backends.wayland.session import Wayland, offered_interfaces
from handrail.features.desktop.backends.x11.compositor import X11Compositor
from handrail.features.desktop.desktop_port import (
    Changes,
    Delivery,
    Element,
    LocatedElement,
    Query,
    Readiness,
    Rect,
    Tree,
    Window,
    WindowChange,
)
from handrail.ports.errors import Gone, NotFound, PermissionMissing


class LinuxDesktop(AtspiReader, Camera):
    """Must be created on the event loop that uses it. Connects on first use."""

    def __init__(self, compositor: Compositor | None = None) -> None:
        self._compositor = open_compositor() if compositor is None else compositor
        self._top_windows = self._compositor.windows
        AtspiReader.__init__(self, AccessibilityBus(), self._top_windows)
        Camera.__init__(self, self._compositor)
        self._unreadable = UnreadableWindows(self._top_windows)
        self._actions = ElementActions(self._bus, self._compositor, self.read_element, self._on_screen)
        self._keyboard = KeyboardInput(self._bus, self._compositor, self._actions)
        self._value_setter = ValueSetter(self._bus, self.below, self._actions, self._keyboard)
        self._menus = Menus(self.below, self.read_element, self._actions, self._keyboard)
        self.bring_to_front, self.focus = self._actions.bring_to_front, self._actions.focus
        self.press, self.point = self._actions.press, self._actions.point
        self.type_text, self.send_keys = self._keyboard.type_text, self._keyboard.send_keys
        self.clipboard, self.put_on_clipboard = self._compositor.clipboard.text, self._compositor.clipboard.put
        self.highlight = self._compositor.highlight

    async def windows(self) -> Sequence[Window]:
        """Works without accessibility as well, if there is a display."""
        try:
            readable, missing = await super().windows(), None
        except PermissionMissing as failure:
            readable, missing = [], failure
        try:
            unreadable = self._unreadable.all(
                {window.pid for window in readable}, self.unresponsive_pids(), self._windows.matched
            )
        except PermissionMissing:
            unreadable = []
        if missing is not None and not unreadable:
            raise missing
        return sorted([*readable, *unreadable], key=lambda window: not window.is_front)

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        if self._unreadable.owns(window.handle):
            return self._unreadable.tree(window)
        return await super().tree(window, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[LocatedElement]:
        if self._unreadable.owns(window.handle):
            element = self._unreadable.tree(window).root.element
            return [LocatedElement(element)] if self._unreadable.matches(element, query) else []
        return await super().find(window, query)

    async def page_addresses(self, window: Window) -> Sequence[str] | None:
        return (
            self._unreadable.page_addresses(window)
            if self._unreadable.owns(window.handle)
            else await super().page_addresses(window)
        )

    async def element_at_path(self, window: Window, path: Sequence[int]) -> LocatedElement | None:
        if self._unreadable.owns(window.handle):
            return None if path else LocatedElement(self._unreadable.tree(window).root.element)
        return await super().element_at_path(window, path)

    async def read_element(self, handle: str) -> Element | None:
        return (
            self._unreadable.read_element(handle)
            if self._unreadable.owns(handle)
            else await super().read_element(handle)
        )

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        context = self._unreadable.changes() if self._unreadable.owns(window.handle) else super().changes(window)
        async with context as changes:
            yield changes

    async def _on_screen(self, window: Window) -> Sequence[TopWindow]:
        if not self._unreadable.owns(window.handle):
            return await self._windows.on_screen(window)
        if (top := self._unreadable.top(window)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return [top]

    async def window_at(self, x: int, y: int) -> Window | None:
        for window in await self.windows():
            if window.frame is not None and window.frame.intersection(Rect(x, y, 1, 1)):
                with suppress(Gone):
                    top_windows = await self._on_screen(window)
                    if len(top_windows) == 1 and self._top_windows.reaches(top_windows[0].id, x, y):
                        return window
        return None

    async def arrange(self, window: Window, change: WindowChange) -> None:
        top = await self._actions.require_top_window(window)
        await self._top_windows.arrange(top.id, change)

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        self._require_elements(window)
        return await self._value_setter.set_value(window, element, value)

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        self._require_elements(window)
        return await self._menus.choose(window, path)

    def _require_elements(self, window: Window) -> None:
        if self._unreadable.owns(window.handle):
            raise NotFound(
                f"{window.app_name or window.title} exposes no menus or fields: nothing was done.",
                hint="Use desktop_hotkey, for example alt+f, or a point or mark of the picture.",
            )

    async def launch(self, app: str, file: str | None) -> int:
        return await asyncio.to_thread(launching.launch, app, file)

    async def readiness(self) -> Readiness:
        return await check_readiness(self, self._compositor, self)

    async def close(self) -> None:
        self._children.close()
        await self._bus.close()
        await self._compositor.close()


def open_compositor() -> Compositor:
    """Opens a usable Wayland compositor; otherwise an X server, which may be one inside a Wayland session."""
    path = Wayland().path
    offered = offered_interfaces(path) if path else frozenset()
    if offered >= REQUIRED_INTERFACES:
        return WlrootsCompositor()
    return KWinCompositor() if KWIN_INTERFACE in offered else X11Compositor()
