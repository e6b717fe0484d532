"""Finds elements in a window. The app itself searches by role where it can; elsewhere the tree is walked. Of every
candidate only what the query asks about is read, and the rest of the matches alone.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Hints
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.lineage import Lineage
from handrail.features.desktop.backends.atspi.origins import Origin
from handrail.features.desktop.backends.atspi.shape import walked
from handrail.features.desktop.backends.atspi.wire import Call
from handrail.features.desktop.platform import Element, Found, Query


class Search:
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
