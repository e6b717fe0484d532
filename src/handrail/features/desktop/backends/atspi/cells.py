"""The cells of a table that can be seen and have a text.

Of each only its text is asked for; rows and columns tell where it is. LibreOffice makes a new object for each cell
that it is asked for and never frees its 8 KB, though it takes it off the bus after 15 seconds. So there a cell that was
just made is asked again, and none is made that is known to be empty. Only after a sign of a change are those with a
text made anew: an old one goes on telling the text of a cell that was emptied.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.libreoffice import LibreOffice
from handrail.features.desktop.backends.atspi.signals import Signs

MOST_CELLS = 4_000
MOST_MADE = 60_000
"""In one program; beyond that only those around the active one are."""
_LIFE_SECONDS = 5.0
"""For which a cell is asked again; so it lives for another ten."""
_MOST_SELECTED = 4
_MOST_TABLES = 20
_NEAR = 3
_ALL_AGAIN_SECONDS = 60.0
"""After which also cells far from all others are made again to see whether they are still empty."""

Place = tuple[int, int]
"""Row and column."""


class _Kept:
    """What is known of the cells of a table."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.made: dict[Place, Ref] = {}
        """Those that still live."""
        self._made_at: dict[Place, float] = {}
        self.texts: dict[Place, str] = {}
        self.all_made_at = 0.0
        self.signs = -1
        """How many there were when this was read."""
        self.active: list[Place] = []
        """The cell with the cursor, where that is known."""
        self.told_active: Ref | None = None

    @property
    def active_cell(self) -> list[Ref]:
        return [self.made[place] for place in self.active if place in self.made]

    def add(self, place: Place, cell: Ref) -> None:
        self.made[place], self._made_at[place] = cell, time.monotonic()

    def forget_old(self, *, has_changed: bool) -> None:
        """After a change those with a text can't be asked again."""
        oldest = time.monotonic() - _LIFE_SECONDS
        self.made = {
            place: cell
            for place, cell in self.made.items()
            if self._made_at[place] > oldest and not (has_changed and self.texts.get(place))
        }

    def missing(self, places: Sequence[Place], near: Collection[Place]) -> list[Place]:
        return [place for place in places if place not in self.made and (self.texts.get(place, "?") or place in near)]


class Cells:
    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice, signs: Signs) -> None:
        self._bus = bus
        self._libreoffice = libreoffice
        self._signs = signs
        self._kept: OrderedDict[Ref, _Kept] = OrderedDict()
        self._made: dict[str, int] = {}

    async def of(self, table: Ref, rows: range, columns: range, cache: Cache) -> list[tuple[int, Ref]]:
        """With their indexes. Those without a text are left out, but for selected ones."""
        places = [(row, column) for row in rows for column in columns][:MOST_CELLS]
        width = _number(await self._bus.ask(table, calls.COLUMNS))
        if not places or width < 0:
            return []
        if not await self._libreoffice.is_app(table.name):
            await self._make(table, kept := _Kept(), places)
            return await self._found(table, kept, places, width, cache)
        kept = self._kept.setdefault(table, _Kept())
        self._kept.move_to_end(table)
        if len(self._kept) > _MOST_TABLES:
            self._kept.popitem(last=False)
        async with kept.lock:
            try:
                await self._read_again(table, kept, places, width)
                return await self._found(table, kept, places, width, cache)
            except BaseException:
                self._kept.pop(table, None)  # It may be half read.
                raise

    async def _found(
        self, table: Ref, kept: _Kept, places: Sequence[Place], width: int, cache: Cache
    ) -> list[tuple[int, Ref]]:
        selected = await self._selected(table, kept.active_cell)
        found = {
            place: kept.made[place]
            for place in places
            if place in kept.made and (kept.texts.get(place) or kept.made[place] in selected)
        }
        texts = {cell: kept.texts.get(place, "") for place, cell in found.items()}
        await _learn(self._bus, table.name, found, texts, selected, cache)
        # Indexes go row by row in every toolkit.
        return [(row * width + column, cell) for (row, column), cell in found.items()]

    async def _read_again(self, table: Ref, kept: _Kept, places: Sequence[Place], width: int) -> None:
        signs = await self._signs.of(table.name)
        has_changed, kept.signs = signs != kept.signs, signs
        kept.forget_old(has_changed=has_changed)
        await self._follow(table, kept, width)
        asked = (place for place in places if place in kept.made and (has_changed or kept.texts[place]))
        await self._ask_texts(table, kept, list(asked))
        near: Collection[Place] = frozenset()
        if time.monotonic() > kept.all_made_at + _ALL_AGAIN_SECONDS:
            kept.all_made_at, near = time.monotonic(), set(places)
        elif has_changed:
            near = _around([*kept.active, *(place for place in places if kept.texts.get(place))], places)
        while missing := kept.missing(places, near):
            if not self._may_make(table.name, len(missing)):
                near = _around(kept.active, places)
                await self._make(table, kept, kept.missing(sorted(near), near))
                break
            await self._make(table, kept, missing)
            near = _around([place for place in missing if kept.texts.get(place)], places)
        if has_changed and not kept.active:
            await self._look_for_active(kept)

    def _may_make(self, app: str, count: int) -> bool:
        made = self._made.get(app, 0) + count
        if made > MOST_MADE:
            return False
        self._made[app] = made
        return True

    async def _make(self, table: Ref, kept: _Kept, places: Sequence[Place]) -> None:
        answers = await self._bus.ask_all(table.name, [(table.path, calls.cell_at(*place)) for place in places])
        for place, answer in zip(places, answers, strict=True):
            kept.texts[place] = ""
            if not isinstance(answer, Refused) and answer[0][1] != calls.NULL_PATH:
                kept.add(place, Ref(*answer[0]))
        await self._ask_texts(table, kept, [place for place in places if place in kept.made])

    async def _ask_texts(self, table: Ref, kept: _Kept, places: Sequence[Place]) -> None:
        """Those that are not there any more are forgotten."""
        answers = await self._bus.ask_all(table.name, [(kept.made[place].path, calls.WHOLE_TEXT) for place in places])
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, Refused):
                del kept.made[place]
            else:
                kept.texts[place] = str(answer[0])

    async def _follow(self, table: Ref, kept: _Kept, width: int) -> None:
        """To the cell that is the active one now."""
        active = self._signs.active(table)
        if active is None or active == kept.told_active:
            return
        index = await self._bus.ask(active, calls.INDEX)
        kept.told_active, kept.active = active, [] if isinstance(index, Refused) else [divmod(index[0], width)]

    async def _look_for_active(self, kept: _Kept) -> None:
        states = await self._bus.ask_each(list(kept.made.values()), calls.STATE)
        kept.active = [
            place
            for place, state in zip(kept.made, states, strict=True)
            if not isinstance(state, Refused) and "focused" in roles.state_names(state[0])
        ]

    async def _selected(self, table: Ref, active: Sequence[Ref]) -> dict[Ref, Any]:
        """The states of the active cell and of the first selected ones."""
        count = min(_number(await self._bus.ask(table, calls.SELECTED)), _MOST_SELECTED)
        questions = [(table.path, calls.selected_child(index)) for index in range(max(count, 0))]
        answers = await self._bus.ask_all(table.name, questions)
        cells = [*active, *(Ref(*answer[0]) for answer in answers if not isinstance(answer, Refused))]
        states = await self._bus.ask_each(cells, calls.STATE)
        return {cell: state[0] for cell, state in zip(cells, states, strict=True) if not isinstance(state, Refused)}


def _around(places: Iterable[Place], among: Collection[Place]) -> set[Place]:
    near = {
        (row + down, column + right)
        for row, column in places
        for down in range(-_NEAR, _NEAR + 1)
        for right in range(-_NEAR, _NEAR + 1)
    }
    return near.intersection(among)


def _number(answer: Any) -> int:
    """-1 where it is not told."""
    return -1 if isinstance(answer, Refused) else int(answer[0].value)


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
