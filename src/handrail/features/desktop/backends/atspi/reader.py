"""Implements the port `Reader` with AT-SPI2, which reads the desktop from the apps themselves."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress

from dbus_fast import Message

from handrail.features.desktop.backends.atspi import calls, documents
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.children import Children, child_at
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.drawing_offset import DrawingOffset
from handrail.features.desktop.backends.atspi.elements import SCREEN, Elements, Origin
from handrail.features.desktop.backends.atspi.libreoffice import LibreOffice
from handrail.features.desktop.backends.atspi.search import Search
from handrail.features.desktop.backends.atspi.signals import ask_for_signals
from handrail.features.desktop.backends.atspi.tree import read_tree
from handrail.features.desktop.backends.atspi.windows import Windows
from handrail.features.desktop.backends.compositor import TopWindows
from handrail.features.desktop.backends.matching import WindowTraits
from handrail.features.desktop.desktop_port import Changes, Element, LocatedElement, Query, Tree, Window
from handrail.ports.errors import Gone


class AtspiReader:
    def __init__(self, bus: AccessibilityBus, top_windows: TopWindows | None = None) -> None:
        self._bus = bus
        self._elements = Elements(bus)
        self._windows = Windows(bus, self._elements, top_windows)
        libreoffice = LibreOffice(bus)
        self._children = Children(bus, libreoffice)
        self._search = Search(bus, self._elements, self._children)
        self._drawing_offset = DrawingOffset(bus, libreoffice)

    async def windows(self) -> Sequence[Window]:
        return await self._windows.all()

    def unresponsive_pids(self) -> Collection[int]:
        return self._windows.unresponsive_pids()

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        top, origin = await self._locate(window)
        return await read_tree(self._elements, self._children, top, origin, max_depth=max_depth, max_nodes=max_nodes)

    async def below(self, handle: str, *, max_depth: int, max_nodes: int) -> Tree:
        """Reads an element and what it contains."""
        if (ref := await self._bus.ref(handle)) is None:
            raise Gone("The element is gone.")
        origin = await self._origin_of(ref)
        return await read_tree(self._elements, self._children, ref, origin, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[LocatedElement]:
        top, origin = await self._locate(window)
        return await self._search.find(top, origin, query)

    async def page_addresses(self, window: Window) -> Sequence[str] | None:
        return await documents.page_addresses(self._bus, window, await self._ref(window))

    async def element_at_path(self, window: Window, path: Sequence[int]) -> LocatedElement | None:
        top, origin = await self._locate(window)
        refs = [top]
        for index in path:
            if (child := await child_at(self._bus, refs[-1], index)) is None:
                return None
            refs.append(child)
        *above, element = await self._elements.of(refs, origin)
        if element is None:
            return None
        ancestors = [one or self._elements.unreadable(ref) for ref, one in zip(refs, above, strict=False)]
        return LocatedElement(element, tuple(ancestors), tuple(path))

    async def read_element(self, handle: str) -> Element | None:
        ref = await self._bus.ref(handle)
        if ref is None or ref.path == calls.NULL_PATH:
            return None
        (element,) = await self._elements.of([ref], await self._origin_of(ref))
        if element is None or "defunct" in element.states:
            return None
        return None if not element.states and await self._is_removed(ref) else element

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        """Closing the extra connection unsubscribes. The end of the app or of the bus counts as a change."""
        app = (await self._ref(window)).name
        flag = _ChangeFlag()
        connection = await self._bus.another_connection()
        try:
            connection.on_signal = flag.set
            connection.on_lost = flag.set
            # even without signals, the caller polls
            await ask_for_signals(connection, app)
            yield flag
        finally:
            connection.close()

    async def _ref(self, window: Window) -> Ref:
        if (ref := await self._bus.ref(window.handle)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return ref

    async def _locate(self, window: Window) -> tuple[Ref, Origin | None]:
        ref = await self._ref(window)
        if not await self._windows.is_relative(ref.name):
            return ref, SCREEN._replace(drawn_offset=await self._drawing_offset.in_window(ref))
        return ref, await self._windows.origin(ref.name, WindowTraits(window.pid, window.title, window.frame))

    async def _is_removed(self, ref: Ref) -> bool:
        """GTK 3 answers for removed widgets as long as the program references them."""
        parent = await self._bus.ask(ref, calls.PARENT)
        return isinstance(parent, Refused) or parent[0].value[1] == calls.NULL_PATH

    async def _origin_of(self, ref: Ref) -> Origin | None:
        if not await self._windows.is_relative(ref.name):
            return SCREEN._replace(drawn_offset=await self._drawing_offset.around(ref))
        top = await self._search.top_of(ref)
        (window,) = await self._elements.of([top])
        pid = await self._windows.pid(ref.name)
        if window is None or not pid:
            return None
        return await self._windows.origin(ref.name, WindowTraits(pid, window.title, window.frame))


class _ChangeFlag:
    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self, _message: Message | None = None) -> None:
        self._event.set()

    async def next(self, within: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._event.wait()
        has_changed = self._event.is_set()
        self._event.clear()
        return has_changed
