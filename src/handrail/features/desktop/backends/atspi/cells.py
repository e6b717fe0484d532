"""Reads the visible cells of a table that have a text.

Only the text of each cell is read; its place follows from its row and column. LibreOffice creates an object for each
cell that is requested and never frees its 8 KB, although the object leaves the bus after 15 seconds. So there, recent
objects are reused, and none are created for cells that are known to be empty. After a change, cells with a text get
new objects, because an old object keeps reporting the text of a cell that was emptied.
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
from handrail.features.desktop.backends.atspi.signals import ChangeCounter

MAX_CELLS = 4_000
MAX_CREATED = 60_000
"""In one program. Beyond that, objects are created only for cells around the active one."""
_REUSE_SECONDS = 5.0
"""How long an object is reused; it exists for ten more seconds."""
_MAX_SELECTED = 4
_MAX_TABLES = 20
_NEAR_CELLS = 3
_RECREATE_ALL_SECONDS = 60.0
"""How often cells that are far from all others are checked again for being empty."""

Place = tuple[int, int]
"""Row and column."""


class _TableCells:
    """What is known about the cells of a table."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.objects: dict[Place, Ref] = {}
        """Objects that still exist."""
        self._created_at: dict[Place, float] = {}
        self.texts: dict[Place, str] = {}
        self.all_created_at = 0.0
        self.signs = -1
        """The change count when this was read."""
        self.active: list[Place] = []
        """The cell with the cursor, if it is known."""
        self.reported_active: Ref | None = None

    @property
    def active_cell(self) -> list[Ref]:
        return [self.objects[place] for place in self.active if place in self.objects]

    def add(self, place: Place, cell: Ref) -> None:
        self.objects[place], self._created_at[place] = cell, time.monotonic()

    def drop_old_objects(self, *, has_changed: bool) -> None:
        """Drops old objects, and after a change those with a text as well."""
        oldest = time.monotonic() - _REUSE_SECONDS
        self.objects = {
            place: cell
            for place, cell in self.objects.items()
            if self._created_at[place] > oldest and not (has_changed and self.texts.get(place))
        }

    def missing(self, places: Sequence[Place], near: Collection[Place]) -> list[Place]:
        return [
            place for place in places if place not in self.objects and (self.texts.get(place, "?") or place in near)
        ]


class Cells:
    def __init__(self, bus: AccessibilityBus, libreoffice: LibreOffice, change_counter: ChangeCounter) -> None:
        self._bus = bus
        self._libreoffice = libreoffice
        self._change_counter = change_counter
        self._tables: OrderedDict[Ref, _TableCells] = OrderedDict()
        self._created_counts: dict[str, int] = {}

    async def of(self, table: Ref, rows: range, columns: range, cache: Cache) -> list[tuple[int, Ref]]:
        """Returns cells with their indexes. Those without a text are omitted, except selected ones."""
        places = [(row, column) for row in rows for column in columns][:MAX_CELLS]
        width = _number(await self._bus.ask(table, calls.COLUMNS))
        if not places or width < 0:
            return []
        if not await self._libreoffice.is_app(table.name):
            await self._create(table, state := _TableCells(), places)
            return await self._list_cells(table, state, places, width, cache)
        state = self._tables.setdefault(table, _TableCells())
        self._tables.move_to_end(table)
        if len(self._tables) > _MAX_TABLES:
            self._tables.popitem(last=False)
        async with state.lock:
            try:
                await self._refresh(table, state, places, width)
                return await self._list_cells(table, state, places, width, cache)
            except BaseException:
                self._tables.pop(table, None)  # it may be incomplete
                raise

    async def _list_cells(
        self, table: Ref, state: _TableCells, places: Sequence[Place], width: int, cache: Cache
    ) -> list[tuple[int, Ref]]:
        selected = await self._selected(table, state.active_cell)
        cells = {
            place: state.objects[place]
            for place in places
            if place in state.objects and (state.texts.get(place) or state.objects[place] in selected)
        }
        texts = {cell: state.texts.get(place, "") for place, cell in cells.items()}
        await _add_to_cache(self._bus, table.name, cells, texts, selected, cache)
        # Indexes go row by row in every toolkit.
        return [(row * width + column, cell) for (row, column), cell in cells.items()]

    async def _refresh(self, table: Ref, state: _TableCells, places: Sequence[Place], width: int) -> None:
        change_count = await self._change_counter.count_for(table.name)
        has_changed, state.signs = change_count != state.signs, change_count
        state.drop_old_objects(has_changed=has_changed)
        await self._update_active(table, state, width)
        reread = (place for place in places if place in state.objects and (has_changed or state.texts[place]))
        await self._read_texts(table, state, list(reread))
        near: Collection[Place] = frozenset()
        if time.monotonic() > state.all_created_at + _RECREATE_ALL_SECONDS:
            state.all_created_at, near = time.monotonic(), set(places)
        elif has_changed:
            near = _around([*state.active, *(place for place in places if state.texts.get(place))], places)
        while missing_places := state.missing(places, near):
            if not self._may_create(table.name, len(missing_places)):
                near = _around(state.active, places)
                await self._create(table, state, state.missing(sorted(near), near))
                break
            await self._create(table, state, missing_places)
            near = _around([place for place in missing_places if state.texts.get(place)], places)
        if has_changed and not state.active:
            await self._find_active(state)

    def _may_create(self, app: str, count: int) -> bool:
        count_after = self._created_counts.get(app, 0) + count
        if count_after > MAX_CREATED:
            return False
        self._created_counts[app] = count_after
        return True

    async def _create(self, table: Ref, state: _TableCells, places: Sequence[Place]) -> None:
        answers = await self._bus.ask_all(table.name, [(table.path, calls.cell_at(*place)) for place in places])
        for place, answer in zip(places, answers, strict=True):
            state.texts[place] = ""
            if not isinstance(answer, Refused) and answer[0][1] != calls.NULL_PATH:
                state.add(place, Ref(*answer[0]))
        await self._read_texts(table, state, [place for place in places if place in state.objects])

    async def _read_texts(self, table: Ref, state: _TableCells, places: Sequence[Place]) -> None:
        """Reads the texts, and drops objects that no longer exist."""
        answers = await self._bus.ask_all(
            table.name, [(state.objects[place].path, calls.WHOLE_TEXT) for place in places]
        )
        for place, answer in zip(places, answers, strict=True):
            if isinstance(answer, Refused):
                del state.objects[place]
            else:
                state.texts[place] = str(answer[0])

    async def _update_active(self, table: Ref, state: _TableCells, width: int) -> None:
        """Updates which cell is the active one."""
        active = self._change_counter.active(table)
        if active is None or active == state.reported_active:
            return
        index = await self._bus.ask(active, calls.INDEX)
        state.reported_active, state.active = (
            active,
            [] if isinstance(index, Refused) else [divmod(index[0], width)],
        )

    async def _find_active(self, state: _TableCells) -> None:
        states = await self._bus.ask_each(list(state.objects.values()), calls.STATE)
        state.active = [
            place
            for place, words in zip(state.objects, states, strict=True)
            if not isinstance(words, Refused) and "focused" in roles.state_names(words[0])
        ]

    async def _selected(self, table: Ref, active: Sequence[Ref]) -> dict[Ref, Any]:
        """Returns the states of the active cell and of the first selected ones."""
        count = min(_number(await self._bus.ask(table, calls.SELECTED)), _MAX_SELECTED)
        questions = [(table.path, calls.selected_child(index)) for index in range(max(count, 0))]
        answers = await self._bus.ask_all(table.name, questions)
        cells = [*active, *(Ref(*answer[0]) for answer in answers if not isinstance(answer, Refused))]
        states = await self._bus.ask_each(cells, calls.STATE)
        return {cell: state[0] for cell, state in zip(cells, states, strict=True) if not isinstance(state, Refused)}


def _around(places: Iterable[Place], among: Collection[Place]) -> set[Place]:
    near = {
        (row + down, column + right)
        for row, column in places
        for down in range(-_NEAR_CELLS, _NEAR_CELLS + 1)
        for right in range(-_NEAR_CELLS, _NEAR_CELLS + 1)
    }
    return near.intersection(among)


def _number(answer: Any) -> int:
    """Returns -1 if it is not reported."""
    return -1 if isinstance(answer, Refused) else int(answer[0].value)


async def _add_to_cache(
    bus: AccessibilityBus,
    app: str,
    cells: dict[Place, Ref],
    texts: dict[Ref, str],
    selected: dict[Ref, Any],
    cache: Cache,
) -> None:
    """Adds cells to the cache. All cells of a table are of one kind, which one of them reports for all."""
    sample = next((cell for cell in cells.values() if cell not in selected), next(iter(cells.values()), None))
    if sample is None:
        return
    sample_answers = await bus.ask_all(
        app, [(sample.path, call) for call in (calls.ROLE, calls.INTERFACES, calls.STATE)]
    )
    sample_actions = await bus.ask_all(app, [(sample.path, calls.ACTIONS)])
    if any(isinstance(answer, Refused) for answer in sample_answers):
        return
    (role,), (interfaces,), (states,) = sample_answers
    names, frames = await _names(bus, app, cells), await _frames(bus, app, cells)
    for place, cell in cells.items():
        details = {
            "text": texts.get(cell, ""),
            "actions": () if isinstance(sample_actions[0], Refused) else sample_actions[0][0],
        }
        if place in frames:
            details["extents"] = frames[place]
        cache.add(cell, names.get(place, ""), int(role), selected.get(cell, states), interfaces, details)


async def _names(bus: AccessibilityBus, app: str, cells: dict[Place, Ref]) -> dict[Place, str]:
    """Spreadsheets name cells by column and row. If the first and the last one are named so, all are."""
    ends = [next(iter(cells)), next(reversed(cells))]
    end_names = await bus.ask_all(app, [(cells[place].path, calls.NAME) for place in ends])
    if [None if isinstance(name, Refused) else name[0].value for name in end_names] == [_a1(place) for place in ends]:
        return {place: _a1(place) for place in cells}
    answers = await bus.ask_all(app, [(cell.path, calls.NAME) for cell in cells.values()])
    return {
        place: str(name[0].value) for place, name in zip(cells, answers, strict=True) if not isinstance(name, Refused)
    }


async def _frames(bus: AccessibilityBus, app: str, cells: dict[Place, Ref]) -> dict[Place, tuple[int, int, int, int]]:
    """Reads the frame of one cell of each row and column, from which those of all others follow."""
    by_row = {row: (row, column) for row, column in reversed(cells)}
    by_column = {column: (row, column) for row, column in reversed(cells)}
    sampled = list(dict.fromkeys([*by_row.values(), *by_column.values()]))
    answers = await bus.ask_all(app, [(cells[place].path, calls.EXTENTS) for place in sampled])
    frames_by_place = {
        place: one[0] for place, one in zip(sampled, answers, strict=True) if not isinstance(one, Refused)
    }
    frames = {}
    for row, column in cells:
        across, down = frames_by_place.get(by_column[column]), frames_by_place.get(by_row[row])
        if across is not None and down is not None:
            frames[row, column] = (across[0], down[1], across[2], down[3])
    return frames


def _a1(place: Place) -> str:
    row, column = place
    letters, remaining = "", column + 1
    while remaining:
        remaining, letter = divmod(remaining - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
