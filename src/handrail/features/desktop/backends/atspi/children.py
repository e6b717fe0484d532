"""The children of objects, as far as it is safe to ask for them.

A spreadsheet says that it has two thousand million children, and makes an object of each that it is asked for. So the
number is asked for first, and of such an object only what can be seen is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused

MOST_LISTED = 20_000
MOST_MANAGED = 1_000
"""Of an object that makes its children only when it is asked for them."""
MOST_CELLS = 4_000
_MOST_ITEMS = 200
_MOST_KINDS = 9
_EDGE = 3
_MOST_SELECTED = 20

Place = tuple[int, int]
"""Row and column."""


class Child(NamedTuple):
    at: int
    """Its index among all children."""
    ref: Ref


class Listed(NamedTuple):
    children: Sequence[Child] = ()
    is_partial: bool = False
    """Only those that can be seen, or the first ones."""


class Cache:
    """What an app says about all its objects in one answer. It may leave objects out."""

    def __init__(self, items: Sequence[tuple[Any, ...]] = ()) -> None:
        """Object, app, parent, index in the parent, number of children, interfaces, name, role, description, states."""
        self._items = {item[0]: item for item in items}
        self._children: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
        self._further: dict[Ref, Mapping[str, Any]] = {}
        for item in items:
            self._children.setdefault(item[2], []).append(item)

    @classmethod
    async def of(cls, bus: AccessibilityBus, app: str) -> "Cache":
        answer = await bus.ask(Ref(app, calls.CACHE_PATH), calls.ITEMS)
        return cls() if isinstance(answer, Refused) else cls(answer[0])

    def item(self, ref: Ref) -> tuple[Any, ...] | None:
        return self._items.get(ref)

    def learn(
        self,
        ref: Ref,
        name: str,
        role: int,
        states: Sequence[int],
        interfaces: Sequence[str],
        further: Mapping[str, Any],
    ) -> None:
        """What was asked for beside, so that it is not asked for again."""
        self._items[ref] = (ref, None, None, 0, 0, interfaces, name, role, "", states)
        self._further[ref] = further

    def further(self, ref: Ref) -> Mapping[str, Any] | None:
        """What its interfaces add, where that is known already."""
        return self._further.get(ref)

    def children(self, ref: Ref) -> Sequence[Ref] | None:
        """In order, or None when not all of them are known."""
        item = self._items.get(ref)
        if item is None:
            return None
        known = sorted(self._children.get(ref, ()), key=lambda child: child[3])
        # GTK 3 gives -1 as the number of children that it does not count.
        is_complete = len(known) == item[4] and all(child[3] == index for index, child in enumerate(known))
        return [Ref(*child[0]) for child in known] if is_complete else None


async def children_of(bus: AccessibilityBus, refs: Sequence[Ref], cache: Cache) -> list[Listed | None]:
    """Of each its children, in the app's own order; None for one that can't be asked."""
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
        found[ref] = Listed(await _seen(bus, ref, _number(counts[ref]), cache), is_partial=True)
    return [found[ref] for ref in refs]


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


async def _seen(bus: AccessibilityBus, ref: Ref, count: int, cache: Cache) -> list[Child]:
    """Of a table its cells that can be seen and have a text; of anything else the first children that can be seen."""
    first, last = await _corners(bus, ref)
    if first is None or last is None:
        first, last = 0, min(count, _MOST_ITEMS) - 1
    places = [await _cell_place(bus, ref, index) for index in (first, last)]
    if None not in places:
        (top, left), (bottom, right) = (place for place in places if place is not None)
        if bottom >= top and right >= left:
            return await _cells(bus, ref, range(top, bottom + 1), range(left, right + 1), cache)
    indexes = range(first, min(max(first, last) + 1, first + _MOST_ITEMS))
    return [Child(index, child) for index in indexes if (child := await child_at(bus, ref, index)) is not None]


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


async def _cell_place(bus: AccessibilityBus, ref: Ref, index: int) -> tuple[int, int] | None:
    asked = [(ref.path, calls.row_at(index)), (ref.path, calls.column_at(index))]
    row, column = await bus.ask_all(ref.name, asked)
    if isinstance(row, Refused) or isinstance(column, Refused) or row[0] < 0 or column[0] < 0:
        return None
    return int(row[0]), int(column[0])


async def _cells(bus: AccessibilityBus, ref: Ref, rows: range, columns: range, cache: Cache) -> list[Child]:
    """Those without a text are left out, but for selected ones. Of each only its text is asked for."""
    places = [(row, column) for row in rows for column in columns][:MOST_CELLS]
    *answers, width = await bus.ask_all(
        ref.name, [*((ref.path, calls.cell_at(*place)) for place in places), (ref.path, calls.COLUMNS)]
    )
    made = {
        place: Ref(*answer[0])
        for place, answer in zip(places, answers, strict=True)
        if not isinstance(answer, Refused) and answer[0][1] != calls.NULL_PATH
    }
    if not made or _number(width) < 0:
        return []
    texts = await bus.ask_all(ref.name, [(cell.path, calls.WHOLE_TEXT) for cell in made.values()])
    written = {
        place: str(text[0])
        for place, text in zip(made, texts, strict=True)
        if not isinstance(text, Refused) and text[0]
    }
    selected = await _selected(bus, ref)
    kept = {place: cell for place, cell in made.items() if place in written or cell in selected}
    await _learn(bus, ref.name, kept, {kept[place]: text for place, text in written.items()}, selected, cache)
    # Indexes go row by row in every toolkit.
    return [Child(row * _number(width) + column, cell) for (row, column), cell in kept.items()]


async def _selected(bus: AccessibilityBus, ref: Ref) -> dict[Ref, Any]:
    """The states of the first selected cells; the one with the focus is among them."""
    count = min(_number(await bus.ask(ref, calls.SELECTED)), _MOST_SELECTED)
    answers = await bus.ask_all(ref.name, [(ref.path, calls.selected_child(index)) for index in range(max(count, 0))])
    cells = [Ref(*answer[0]) for answer in answers if not isinstance(answer, Refused)]
    states = await bus.ask_all(ref.name, [(cell.path, calls.STATE) for cell in cells])
    return {cell: state[0] for cell, state in zip(cells, states, strict=True) if not isinstance(state, Refused)}


async def _learn(
    bus: AccessibilityBus,
    app: str,
    cells: dict[Place, Ref],
    texts: dict[Ref, str],
    selected: dict[Ref, Any],
    cache: Cache,
) -> None:
    """Cells of one table are alike, so a plain one tells what kind they are; rows and columns tell where they are."""
    plain = next((cell for cell in cells.values() if cell not in selected), next(iter(cells.values()), None))
    if plain is None:
        return
    kind = await bus.ask_all(app, [(plain.path, call) for call in (calls.ROLE, calls.INTERFACES, calls.STATE)])
    acts = await bus.ask_all(app, [(plain.path, calls.ACTIONS)])
    if any(isinstance(answer, Refused) for answer in kind):
        return
    (role,), (interfaces,), (states,) = kind
    names, frames = await _names(bus, app, cells), await _frames(bus, app, cells)
    for place, cell in cells.items():
        further = {"text": texts.get(cell, ""), "actions": () if isinstance(acts[0], Refused) else acts[0][0]}
        if place in frames:
            further["extents"] = frames[place]
        cache.learn(cell, names.get(place, ""), int(role), selected.get(cell, states), interfaces, further)


async def _names(bus: AccessibilityBus, app: str, cells: dict[Place, Ref]) -> dict[Place, str]:
    """Spreadsheets name cells by column and row. Where the first and the last are named so, all are."""
    ends = [next(iter(cells)), next(reversed(cells))]
    told = await bus.ask_all(app, [(cells[place].path, calls.NAME) for place in ends])
    if [None if isinstance(name, Refused) else name[0].value for name in told] == [_a1(place) for place in ends]:
        return {place: _a1(place) for place in cells}
    answers = await bus.ask_all(app, [(cell.path, calls.NAME) for cell in cells.values()])
    return {
        place: str(name[0].value) for place, name in zip(cells, answers, strict=True) if not isinstance(name, Refused)
    }


async def _frames(bus: AccessibilityBus, app: str, cells: dict[Place, Ref]) -> dict[Place, tuple[int, int, int, int]]:
    """One cell of each row and of each column is asked: the others lie where these cross."""
    by_row = {row: (row, column) for row, column in reversed(cells)}
    by_column = {column: (row, column) for row, column in reversed(cells)}
    asked = list(dict.fromkeys([*by_row.values(), *by_column.values()]))
    answers = await bus.ask_all(app, [(cells[place].path, calls.EXTENTS) for place in asked])
    told = {place: one[0] for place, one in zip(asked, answers, strict=True) if not isinstance(one, Refused)}
    found = {}
    for row, column in cells:
        across, down = told.get(by_column[column]), told.get(by_row[row])
        if across is not None and down is not None:
            found[row, column] = (across[0], down[1], across[2], down[3])
    return found


def _a1(place: Place) -> str:
    row, column = place
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
