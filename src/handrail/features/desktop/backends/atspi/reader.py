"""The port `Reader` over AT-SPI2: what is on the desktop, read from the apps themselves."""

import os
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Hints
from handrail.features.desktop.backends.atspi.changes import reports
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.atspi.lineage import Lineage
from handrail.features.desktop.backends.atspi.origins import SCREEN, Origin, Origins
from handrail.features.desktop.backends.atspi.screen_windows import Look, ScreenWindows
from handrail.features.desktop.backends.atspi.shape import Spot, walked
from handrail.features.desktop.backends.atspi.windows import Windows
from handrail.features.desktop.backends.atspi.wire import Call
from handrail.features.desktop.platform import Changes, Element, Found, Node, Query, Tree, Window
from handrail.ports.errors import Gone


class Search:
    """Finds elements in a window. The app itself searches by role where it can; elsewhere the tree is walked. Of every
    candidate only what the query asks about is read, and the rest of the matches alone.
    """

    def __init__(self, bus: AccessibilityBus, elements: Elements, lineage: Lineage) -> None:
        self._bus = bus
        self._elements = elements
        self._lineage = lineage

    async def find(self, top: Ref, origin: Origin, query: Query) -> list[Found]:
        wanted = None if query.role is None else roles.numbers(query.role)
        if wanted is not None and not wanted:
            return []
        candidates = await self._candidates(top, wanted)
        if query.title_contains:
            needle = query.title_contains.lower()
            candidates = await self._where(candidates, calls.NAME, lambda name: needle in name.value.lower())
        if query.value_contains:
            candidates = await self._valued(candidates, query)
        read = zip(candidates, await self._elements.of(candidates, origin), strict=True)
        matches = [(ref, element) for ref, element in read if element and _is_match(element, query)]
        return await self._lineage.placed(top, origin, matches)

    async def _candidates(self, top: Ref, wanted: Collection[int] | None) -> list[Ref]:
        """Everybody of the wanted roles, and perhaps the window itself."""
        is_window_meant = wanted is None or not roles.WINDOWS.isdisjoint(wanted)
        first = [top] if is_window_meant else []
        if wanted is None or max(wanted) < roles.BITMAP_ROLES:
            answer = await self._bus.ask(top, calls.matches(wanted or ()))
            if not isinstance(answer, Refused):
                return list(dict.fromkeys([*first, *(Ref(*ref) for ref in answer[0])]))
        everybody = [spot.ref for spot in await walked(self._bus, top, Hints()) if not spot.is_empty]
        if wanted is None:
            return everybody
        return await self._where(everybody, calls.ROLE, lambda role: role in wanted)

    async def _where(self, refs: Sequence[Ref], call: Call, is_meant: Callable[[Any], bool]) -> list[Ref]:
        answers = await self._bus.ask_everybody(refs, call)
        return [
            ref
            for ref, answer in zip(refs, answers, strict=True)
            if not isinstance(answer, Refused) and is_meant(answer[0])
        ]

    async def _valued(self, refs: Sequence[Ref], query: Query) -> list[Ref]:
        read = await self._elements.of(refs, only_values=True)
        return [ref for ref, element in zip(refs, read, strict=True) if element and _is_match(element, query)]


def _is_match(element: Element, query: Query) -> bool:
    return (
        (query.role is None or roles.is_called(element.native_role, element.role, query.role))
        and (not query.title_contains or query.title_contains.lower() in element.title.lower())
        and (not query.value_contains or query.value_contains.lower() in (element.value or "").lower())
    )


class Trees:
    """The tree of a window with everything that its elements tell."""

    def __init__(self, bus: AccessibilityBus, elements: Elements) -> None:
        self._bus = bus
        self._elements = elements

    async def read(self, top: Ref, origin: Origin, *, max_depth: int, max_nodes: int) -> Tree:
        known = await Hints.of(self._bus, top.name)
        spots = await walked(self._bus, top, known, max_depth=max_depth, max_nodes=max_nodes)
        elements = await self._elements.of([spot.ref for spot in spots], origin, known.basics)
        if elements[0] is None:
            raise Gone("The window is gone.")
        return Tree(self._node(spots, elements), len(spots), any(spot.is_cut for spot in spots))

    def _node(self, spots: Sequence[Spot], elements: Sequence[Element | None]) -> Node:
        """From the deepest level up: children come after their parents, and a chain of a thousand is a tree too."""
        nodes: dict[Spot, Node] = {}
        for spot, element in zip(reversed(spots), reversed(elements), strict=True):
            children = tuple([nodes.pop(child) for child in spot.children])
            nodes[spot] = Node(element or self._elements.unreadable(spot.ref), children, spot.is_cut)
        return nodes[spots[0]]


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
