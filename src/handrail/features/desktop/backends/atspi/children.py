"""The children of objects, as far as it is safe to ask for them.

A spreadsheet says that it has two thousand million children, and makes an object of each that it is asked for. So the
number is asked for first, and of such an object only what can be seen is read.
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
from handrail.features.desktop.backends.atspi.signals import Signs

MOST_LISTED = 20_000
MOST_MANAGED = 1_000
"""Of an object that makes its children only when it is asked for them."""
_MOST_ITEMS = 200
_MOST_KINDS = 9
_EDGE = 3


class Child(NamedTuple):
    at: int
    """Its index among all children."""
    ref: Ref


class Listed(NamedTuple):
    children: Sequence[Child] = ()
    is_partial: bool = False
    """Only those that can be seen, or the first ones."""


class Children:
    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice) -> None:
        self._bus = bus
        self._libreoffice = libreoffice
        self._signs = Signs(bus)
        self._cells = Cells(bus, libreoffice, self._signs)
        self._caches: dict[str, tuple[int, Cache]] = {}

    async def cache(self, app: str) -> Cache:
        """LibreOffice works on it for a tenth of a second, so there it is asked for only after a sign of a change."""
        if not await self._libreoffice.is_app(app):
            return await Cache.of(self._bus, app)
        signs = await self._signs.of(app)
        if app not in self._caches or self._caches[app][0] != signs:
            self._caches = {app: (signs, await Cache.of(self._bus, app))}
        return self._caches[app][1].copy()

    async def of(self, refs: Sequence[Ref], cache: Cache) -> list[Listed | None]:
        """Of each its children, in the app's own order; None for one that can't be asked."""
        bus = self._bus
        found: dict[Ref, Listed | None] = {}
        unknown: list[Ref] = []
        for ref in dict.fromkeys(refs):
            known = cache.children(ref)
            if known is None:
                unknown.append(ref)
            else:
                found[ref] = _listed(known)
        counts = dict(zip(unknown, await bus.ask_each(unknown, calls.CHILD_COUNT), strict=True))
        many = [ref for ref, count in counts.items() if _number(count) > MOST_MANAGED]
        managing = dict(zip(many, await bus.ask_each(many, calls.STATE), strict=True))
        endless = {ref for ref in many if _number(counts[ref]) > MOST_LISTED or _manages(managing[ref])}
        found |= {ref: Listed() for ref, count in counts.items() if _number(count) == 0}
        asked = [ref for ref in unknown if ref not in endless and ref not in found]
        for ref, answer in zip(asked, await bus.ask_each(asked, calls.CHILDREN), strict=True):
            found[ref] = None if isinstance(answer, Refused) else _listed([Ref(*child) for child in answer[0]])
        for ref in endless:
            found[ref] = Listed(await self._seen(ref, _number(counts[ref]), cache), is_partial=True)
        return [found[ref] for ref in refs]

    async def _seen(self, ref: Ref, count: int, cache: Cache) -> list[Child]:
        """Of a table its cells that can be seen and have a text; of anything else the first children that can be."""
        first, last = await _corners(self._bus, ref)
        if first is None or last is None:
            first, last = 0, min(count, _MOST_ITEMS) - 1
        places = [await _cell_place(self._bus, ref, index) for index in (first, last)]
        if None not in places:
            (top, left), (bottom, right) = (place for place in places if place is not None)
            if bottom >= top and right >= left:
                cells = await self._cells.of(ref, range(top, bottom + 1), range(left, right + 1), cache)
                return [Child(index, cell) for index, cell in cells]
        indexes = range(first, min(max(first, last) + 1, first + _MOST_ITEMS))
        return [Child(index, child) for index in indexes if (child := await child_at(self._bus, ref, index))]

    def close(self) -> None:
        self._signs.close()


async def child_at(bus: AccessibilityBus, ref: Ref, index: int) -> Ref | None:
    if not 0 <= index < 2**31:
        return None
    answer = await bus.ask(ref, Call(calls.ACCESSIBLE, "GetChildAtIndex", "i", index, returns="(so)"))
    if isinstance(answer, Refused):
        return None
    child = Ref(*answer[0])
    return child if child.name and child.path != calls.NULL_PATH else None


async def has_endless(bus: AccessibilityBus, top: Ref, *, is_qt: bool) -> bool:
    """Whether the app must not be asked to search all of the window itself: it would go through every child.

    It is asked for the first object of the kind, then for the first two, and so on, and never goes into the last one.
    """
    for most in range(1, _MOST_KINDS):
        answer = await bus.ask(top, calls.tables(most) if is_qt else calls.managing(most))
        if isinstance(answer, Refused) or len(answer[0]) < most:
            return False
        count = await bus.ask(Ref(*answer[0][-1]), calls.CHILD_COUNT)
        if _number(count) > (MOST_LISTED if is_qt else MOST_MANAGED):
            return True
    return True


def _listed(refs: Sequence[Ref]) -> Listed:
    return Listed([Child(index, ref) for index, ref in enumerate(refs)])


def _number(count: Any) -> int:
    """-1 where it is not told."""
    return -1 if isinstance(count, Refused) else int(count[0].value)


def _manages(state: Any) -> bool:
    return not isinstance(state, Refused) and "manages-descendants" in roles.state_names(state[0])


async def _corners(bus: AccessibilityBus, ref: Ref) -> tuple[int | None, int | None]:
    """The indexes of the first and the last child that can be seen."""
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
    asked = [(ref.path, calls.row_at(index)), (ref.path, calls.column_at(index))]
    row, column = await bus.ask_all(ref.name, asked)
    if isinstance(row, Refused) or isinstance(column, Refused) or row[0] < 0 or column[0] < 0:
        return None
    return int(row[0]), int(column[0])
