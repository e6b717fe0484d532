"""The port `Reader` over AT-SPI2: what is on the desktop, read from the apps themselves."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress

from dbus_fast import Message

from handrail.features.desktop.backends.atspi import calls, documents
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.children import child_at
from handrail.features.desktop.backends.atspi.connection import Connection, Lost, Refused, Silent
from handrail.features.desktop.backends.atspi.elements import SCREEN, Elements, Origin
from handrail.features.desktop.backends.atspi.search import Search
from handrail.features.desktop.backends.atspi.tree import read_tree
from handrail.features.desktop.backends.atspi.windows import Windows
from handrail.features.desktop.backends.compositor import TopWindows
from handrail.features.desktop.backends.matching import Look
from handrail.features.desktop.platform import Changes, Element, Found, Query, Tree, Window
from handrail.ports.errors import Gone

_REGISTRY_PATIENCE = 1.0
_EVENTS = (
    "object:children-changed",
    "object:state-changed",
    "object:property-change",
    "object:text-changed",
    "object:bounds-changed",
    "object:visible-data-changed",
    "object:selection-changed",
    "object:active-descendant-changed",
    "object:model-changed",
    "document:load-complete",
    "window:",
)


class AtspiReader:
    def __init__(self, bus: AccessibilityBus, top_windows: TopWindows | None = None) -> None:
        self._bus = bus
        self._elements = Elements(bus)
        self._windows = Windows(bus, self._elements, top_windows)
        self._search = Search(bus, self._elements)

    async def windows(self) -> Sequence[Window]:
        return await self._windows.all()

    def silent(self) -> Collection[int]:
        return self._windows.silent()

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        top, origin = await self._place(window)
        return await read_tree(self._bus, self._elements, top, origin, max_depth=max_depth, max_nodes=max_nodes)

    async def below(self, handle: str, *, max_depth: int, max_nodes: int) -> Tree:
        """An element and what is in it."""
        if (ref := await self._bus.ref(handle)) is None:
            raise Gone("The element is gone.")
        origin = await self._origin_of(ref)
        return await read_tree(self._bus, self._elements, ref, origin, max_depth=max_depth, max_nodes=max_nodes)

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        top, origin = await self._place(window)
        return await self._search.find(top, origin, query)

    async def addresses(self, window: Window) -> Sequence[str] | None:
        return await documents.addresses(self._bus, window, await self._ref(window))

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None:
        top, origin = await self._place(window)
        refs = [top]
        for index in path:
            if (child := await child_at(self._bus, refs[-1], index)) is None:
                return None
            refs.append(child)
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
        """Closing the extra connection unsubscribes. An app that ends and a bus that is lost count as changes."""
        app = (await self._ref(window)).name
        flag = _Flag()
        connection = await self._bus.another_connection()
        try:
            connection.on_signal = flag.set
            connection.on_lost = flag.set
            # If the registry can't be asked, the caller still looks again now and then.
            with suppress(Lost, Silent):
                await _ask_for_signals(connection, app)
            yield flag
        finally:
            connection.close()

    async def _ref(self, window: Window) -> Ref:
        if (ref := await self._bus.ref(window.handle)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return ref

    async def _place(self, window: Window) -> tuple[Ref, Origin | None]:
        ref = await self._ref(window)
        return ref, await self._windows.origin(ref.name, Look(window.pid, window.title, window.frame))

    async def _is_orphan(self, ref: Ref) -> bool:
        """GTK 3 answers for removed widgets while the program still holds them."""
        parent = await self._bus.ask(ref, calls.PARENT)
        return isinstance(parent, Refused) or parent[0].value[1] == calls.NULL_PATH

    async def _origin_of(self, ref: Ref) -> Origin | None:
        if not await self._windows.is_relative(ref.name):
            return SCREEN
        top = await self._search.top_of(ref)
        (window,) = await self._elements.of([top])
        pid = await self._windows.pid(ref.name)
        if window is None or not pid:
            return None
        return await self._windows.origin(ref.name, Look(pid, window.title, window.frame))


class _Flag:
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


async def _ask_for_signals(connection: Connection, app: str) -> None:
    own = f"type='signal',sender='{app}'"
    end = f"type='signal',sender='{calls.BUS}',member='NameOwnerChanged',arg0='{app}'"
    questions = [(calls.BUS_PATH, calls.add_match(rule)) for rule in (own, end)]
    await connection.ask_all(calls.BUS, questions, _REGISTRY_PATIENCE)
    for register in (calls.register, calls.register_old):
        questions = [(calls.REGISTRY_PATH, register(event, app)) for event in _EVENTS]
        answers = await connection.ask_all(calls.REGISTRY, questions, _REGISTRY_PATIENCE)
        if not any(isinstance(answer, Refused) for answer in answers):
            break
    # The registry tells the app before it answers us, so an app that answers now knows of it.
    await connection.ask(app, calls.ROOT_PATH, calls.NAME, _REGISTRY_PATIENCE)
