"""Reads the children of objects, as far as that is safe.

A spreadsheet reports two billion children and creates an object for each that is requested. So the number is read
first, and of such an object only the visible children are read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.cells import Cells, Place
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.libreoffice import LibreOffice
from handrail.features.desktop.backends.atspi.signals import ChangeCounter

MAX_LISTED = 20_000
MAX_MANAGED = 1_000
"""For an object that creates its children only on request."""
_MAX_ITEMS = 200
_MAX_SEARCHES = 9
_EDGE = 3


class Child(NamedTuple):
    at: int
    """Its index among all children."""
    ref: Ref


class ChildList(NamedTuple):
    children: Sequence[Child] = ()
    is_partial: bool = False
    """Only the visible children, or the first ones."""


class Children:
    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice) -> None:
        self._bus = bus
        self._libreoffice = libreoffice
        self._change_counter = ChangeCounter(bus)
        self._cells = Cells(bus, libreoffice, self._change_counter)

    async def cache(self, app: str) -> Cache:
        """Reads an app's cache. LibreOffice lists objects there that it has freed, and crashes while it does."""
        return Cache() if await self._libreoffice.is_app(app) else await Cache.of(self._bus, app)

    async def of(self, refs: Sequence[Ref], cache: Cache) -> list[ChildList | None]:
        """Returns the children of each object, in the app's own order; None for an object that can't be read."""
        bus = self._bus
        lists: dict[Ref, ChildList | None] = {}
        uncached: list[Ref] = []
        for ref in dict.fromkeys(refs):
            cached = cache.children(ref)
            if cached is None:
                uncached.append(ref)
            else:
                lists[ref] = _child_list(cached)
        counts = dict(zip(uncached, await bus.ask_each(uncached, calls.CHILD_COUNT), strict=True))
        many = [ref for ref, count in counts.items() if _number(count) > MAX_MANAGED]
        managing = dict(zip(many, await bus.ask_each(many, calls.STATE), strict=True))
        huge = {ref for ref in many if _number(counts[ref]) > MAX_LISTED or _manages_descendants(managing[ref])}
        lists |= {ref: ChildList() for ref, count in counts.items() if _number(count) == 0}
        listable = [ref for ref in uncached if ref not in huge and ref not in lists]
        for ref, answer in zip(listable, await bus.ask_each(listable, calls.CHILDREN), strict=True):
            lists[ref] = None if isinstance(answer, Refused) else _child_list([Ref(*child) for child in answer[0]])
        for ref in huge:
            lists[ref] = ChildList(await self._visible_children(ref, _number(counts[ref]), cache), is_partial=True)
        return [lists[ref] for ref in refs]

    async def _visible_children(self, ref: Ref, count: int, cache: Cache) -> list[Child]:
        """Returns the visible cells of a table that have a text; of other objects the first visible children."""
        first, last = await _corners(self._bus, ref)
        if first is None or last is None:
            first, last = 0, min(count, _MAX_ITEMS) - 1
        places = [await _cell_place(self._bus, ref, index) for index in (first, last)]
        if None not in places:
            (top, left), (bottom, right) = (place for place in places if place is not None)
            if bottom >= top and right >= left:
                cells = await self._cells.of(ref, range(top, bottom + 1), range(left, right + 1), cache)
                return [Child(index, cell) for index, cell in cells]
        indexes = range(first, min(max(first, last) + 1, first + _MAX_ITEMS))
        return [Child(index, child) for index in indexes if (child := await child_at(self._bus, ref, index))]

    def close(self) -> None:
        self._change_counter.close()


async def child_at(bus: AccessibilityBus, ref: Ref, index: int) -> Ref | None:
    if not 0 <= index < 2**31:
        return None
    answer = await bus.ask(ref, Call(calls.ACCESSIBLE, "GetChildAtIndex", "i", index, returns="(so)"))
    if isinstance(answer, Refused):
        return None
    child = Ref(*answer[0])
    return child if child.name and child.path != calls.NULL_PATH else None


async def has_huge_container(bus: AccessibilityBus, top: Ref, *, is_qt: bool) -> bool:
    """Returns whether the app must not search the window itself, because it would visit a huge number of children.

    The app is asked for the first container, then for the first two, and so on, so that it never enters the last one.
    """
    for max_count in range(1, _MAX_SEARCHES):
        answer = await bus.ask(top, calls.tables(max_count) if is_qt else calls.managing_descendants(max_count))
        if isinstance(answer, Refused) or len(answer[0]) < max_count:
            return False
        count = await bus.ask(Ref(*answer[0][-1]), calls.CHILD_COUNT)
        if _number(count) > (MAX_LISTED if is_qt else MAX_MANAGED):
            return True
    return True


def _child_list(refs: Sequence[Ref]) -> ChildList:
    return ChildList([Child(index, ref) for index, ref in enumerate(refs)])


def _number(count: Any) -> int:
    """Returns -1 if it is not reported."""
    return -1 if isinstance(count, Refused) else int(count[0].value)


def _manages_descendants(state: Any) -> bool:
    return not isinstance(state, Refused) and "manages-descendants" in roles.state_names(state[0])


async def _corners(bus: AccessibilityBus, ref: Ref) -> tuple[int | None, int | None]:
    """Returns the indexes of the first and the last visible child."""
    extents = await bus.ask(ref, calls.EXTENTS)
    if isinstance(extents, Refused):
        return None, None
    x, y, width, height = extents[0]
    return (
        await _index_at(bus, ref, x + _EDGE, y + _EDGE),
        await _index_at(bus, ref, x + width - _EDGE, y + height - _EDGE),
    )


async def _index_at(bus: AccessibilityBus, ref: Ref, x: int, y: int) -> int | None:
    answer = await bus.ask(ref, calls.at_point(x, y))
    if isinstance(answer, Refused) or answer[0][1] in (calls.NULL_PATH, ref.path):
        return None
    index = await bus.ask(Ref(*answer[0]), calls.INDEX)
    return None if isinstance(index, Refused) or index[0] < 0 else int(index[0])


async def _cell_place(bus: AccessibilityBus, ref: Ref, index: int) -> Place | None:
    questions = [(ref.path, calls.row_at(index)), (ref.path, calls.column_at(index))]
    row, column = await bus.ask_all(ref.name, questions)
    if isinstance(row, Refused) or isinstance(column, Refused) or row[0] < 0 or column[0] < 0:
        return None
    return int(row[0]), int(column[0])
