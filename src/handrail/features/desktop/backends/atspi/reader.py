"""The port `Reader` over AT-SPI2: what is on the desktop, read from the apps themselves."""

import os
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.changes import reports
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.atspi.lineage import Lineage
from handrail.features.desktop.backends.atspi.origins import SCREEN, Origin, Origins
from handrail.features.desktop.backends.atspi.screen_windows import Look, ScreenWindows
from handrail.features.desktop.backends.atspi.search import Search
from handrail.features.desktop.backends.atspi.tree import Trees
from handrail.features.desktop.backends.atspi.windows import Windows
from handrail.features.desktop.platform import Changes, Element, Found, Query, Tree, Window
from handrail.ports.errors import Gone


class AtspiReader:
    def __init__(self, bus: AccessibilityBus, screen: ScreenWindows | None = None) -> None:
        self._bus = bus
        self._elements = Elements(bus)
        self._origins = Origins(bus, screen)
        self._lineage = Lineage(bus, self._elements)
        self._windows = Windows(bus, self._elements, self._origins, Identities(os.environ), screen)
        self._trees = Trees(bus, self._elements)
        self._search = Search(bus, self._elements, self._lineage)

    async def windows(self) -> Sequence[Window]:
        return await self._windows.all()

    def silent(self) -> Collection[int]:
        return self._windows.silent()

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        top, origin = await self._place(window)
        return await self._trees.read(top, origin, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        top, origin = await self._place(window)
        return await self._search.find(top, origin, query)

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None:
        top, origin = await self._place(window)
        refs = [top]
        for index in path:
            answer = await self._bus.ask(refs[-1], calls.CHILDREN)
            if isinstance(answer, Refused) or not 0 <= index < len(answer[0]):
                return None
            refs.append(Ref(*answer[0][index]))
        *above, element = await self._elements.of(refs, origin)
        if element is None:
            return None
        ancestors = [one or self._elements.unreadable(ref) for ref, one in zip(refs, above, strict=False)]
        return Found(element, tuple(ancestors), tuple(path))

    async def look(self, handle: str) -> Element | None:
        ref = await self._bus.ref(handle)
        if ref is None or ref.path == calls.NULL_PATH:
            return None
        (element,) = await self._elements.of([ref], await self._origin_of(ref))
        if element is None or "defunct" in element.states:
            return None
        return None if not element.states and await self._is_orphan(ref) else element

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        ref = await self._bus.ref(window.handle)
        if ref is None:
            raise Gone(f"The window {window.title!r} is gone.")
        async with reports(self._bus, ref.name) as flag:
            yield flag

    async def _place(self, window: Window) -> tuple[Ref, Origin]:
        ref = await self._bus.ref(window.handle)
        if ref is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return ref, await self._origins.of(ref.name, Look(window.pid, window.title, window.frame))

    async def _is_orphan(self, ref: Ref) -> bool:
        """GTK 3 answers for widgets that were taken away as long as the program still holds them."""
        parent = await self._bus.ask(ref, calls.PARENT)
        return isinstance(parent, Refused) or parent[0].value[1] == calls.NULL_PATH

    async def _origin_of(self, ref: Ref) -> Origin:
        if not await self._origins.is_counting_from_window(ref.name):
            return SCREEN
        top = await self._lineage.top_of(ref)
        (window,) = await self._elements.of([top])
        pid = await self._bus.ask(Ref(calls.BUS, calls.BUS_PATH), calls.pid_of(ref.name))
        if window is None or isinstance(pid, Refused):
            return SCREEN
        return await self._origins.of(ref.name, Look(pid[0], window.title, window.frame))
