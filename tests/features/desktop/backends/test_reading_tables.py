"""Tables that report huge numbers of cells: the visible ones are read, and their programs survive it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import Element, KeyCombination, Query, Rect, Window
from handrail.features.desktop.host.selection import flatten
from tests.desktop_session import App, DesktopSession
from tests.waiting import PATIENCE, eventually

ROWS, COLUMNS = 50, 20
BOUNDS = {"max_depth": 100, "max_nodes": 5_000}
MOST_GROWTH = 250
MOST_GROWTH_IN_50 = 450
"""Megabytes. It takes 400 if each reading takes longer than a cell object lives, and 545 if all cells are recreated."""
CTRL_HOME = KeyCombination(("ctrl",), "home")

pytestmark = pytest.mark.trial("programs", is_long=True)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def desktop(desktop_session: DesktopSession) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        linux_desktop = LinuxDesktop()
        yield linux_desktop
        await linux_desktop.close()


@pytest.fixture(scope="module")
def calc(desktop_session: DesktopSession) -> Iterator[App]:
    sheet = desktop_session.folder / "cells.csv"
    sheet.write_text("\n".join(",".join(f"r{row}c{column}" for column in range(COLUMNS)) for row in range(ROWS)))
    options = ["--norestore", "--nologo", "--nolockcheck", "--infilter=CSV:44,34,76,1"]
    app = desktop_session.start(["soffice", "--calc", *options, str(sheet)])
    yield app
    desktop_session.end(app)


async def sheet_of(desktop: LinuxDesktop, app: App) -> Window:
    async def shown() -> list[Window]:
        return [one for one in await desktop.windows() if one.pid in app.pids and "cells.csv" in one.title]

    return (await eventually(shown, "the spreadsheet"))[0]


async def cells_of(desktop: LinuxDesktop, window: Window) -> dict[str, Element]:
    tree = await desktop.tree(window, **BOUNDS)
    assert tree.is_cut
    matches = [one.element for one in flatten(tree.root) if one.element.native_role == "table cell"]
    return {element.title: element for element in matches}


async def go(desktop: LinuxDesktop, window: Window, *steps: tuple[KeyCombination, str]) -> None:
    """Sends one key at a time and waits for the cell that it leads to: a busy Calc merges equal keys."""
    for key, title in steps:
        await desktop.send_keys(window, [key], delay_ms=0)
        await eventually(partial(is_focused, desktop, window, title), f"the way to {title}")


async def is_focused(desktop: LinuxDesktop, window: Window, title: str) -> bool:
    cells = await cells_of(desktop, window)
    return [name for name, cell in cells.items() if "focused" in cell.states] == [title]


async def has(desktop: LinuxDesktop, window: Window, title: str, value: str) -> bool:
    cell = (await cells_of(desktop, window)).get(title)
    return cell is not None and cell.value == value


async def is_without(desktop: LinuxDesktop, window: Window, title: str) -> bool:
    cell = (await cells_of(desktop, window)).get(title)
    return cell is None or not cell.value


def megabytes(app: App) -> int:
    sizes = [Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in app.pids]
    return max(int(size) for size in sizes) * 4096 // 1_000_000


async def menu_frames(desktop: LinuxDesktop, window: Window) -> list[Rect | None]:
    """The menu bar that GTK draws, and the one that LibreOffice reports."""
    return [one.element.frame for one in await desktop.find(window, Query(role="AXMenu", title_contains="Sheet"))]


async def result_of_formula(desktop: LinuxDesktop, window: Window) -> list[str]:
    matches = await desktop.find(window, Query(role="AXCell", value_contains="42"))
    return [one.element.title for one in matches if one.element.value == "42"]


async def test_cells_are_where_they_are_before_and_after_the_program_has_felt_the_pointer(
    desktop: LinuxDesktop, calc: App
) -> None:
    """Before that, Calc reports them too high, by the height of its menu bar."""
    window = await sheet_of(desktop, calc)
    before = await eventually(lambda: cells_of(desktop, window), "the cells")
    [cell] = await desktop.find(window, Query(role="AXCell", title_contains="B7"))
    menus = await menu_frames(desktop, window)
    looked_at = await desktop.read_element(cell.element.handle)
    assert looked_at is not None
    await desktop.press(window, cell.element)
    await desktop.type_text(window, None, "=6*7", clear_before=False)
    await desktop.send_keys(window, [KeyCombination((), "enter")], delay_ms=0)
    assert await eventually(lambda: result_of_formula(desktop, window), "the result of the formula") == ["B7"]
    after = await cells_of(desktop, window)
    assert cell.element.frame == looked_at.frame == before["B7"].frame == after["B7"].frame
    assert menus == await menu_frames(desktop, window)


async def test_a_spreadsheet_does_not_grow_by_being_read(desktop: LinuxDesktop, calc: App) -> None:
    """Calc never frees the object of a cell that was read."""
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    before = megabytes(calc)
    for _ in range(25):
        assert await cells_of(desktop, window)
        assert await desktop.find(window, Query(role="AXCell", value_contains="r3c2"))
    assert megabytes(calc) - before < MOST_GROWTH_IN_50


async def test_a_cell_that_was_emptied_after_it_was_read_is_empty(desktop: LinuxDesktop, calc: App) -> None:
    """Calc keeps reporting the old text through an object that was created before."""
    window = await sheet_of(desktop, calc)
    cells = await eventually(lambda: cells_of(desktop, window), "the cells")
    assert cells["A1"].value == "r0c0"
    await desktop.bring_to_front(window)
    await go(desktop, window, (CTRL_HOME, "A1"))
    await desktop.send_keys(window, [KeyCombination((), "delete"), KeyCombination((), "down")], delay_ms=100)
    await eventually(lambda: is_without(desktop, window, "A1"), "the empty cell")
    await desktop.send_keys(window, [KeyCombination(("ctrl",), "z")], delay_ms=0)
    await eventually(lambda: has(desktop, window, "A1", "r0c0"), "the text is back")


async def test_a_text_far_from_all_others_is_noticed(desktop: LinuxDesktop, calc: App) -> None:
    """Works even after the objects of empty cells have expired, as all do after some seconds."""
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    for table in desktop._children._cells._tables.values():
        table.objects.clear()
    await desktop.bring_to_front(window)
    await go(desktop, window, (CTRL_HOME, "A1"), (KeyCombination(("ctrl",), "right"), "T1"))
    await go(desktop, window, *((KeyCombination((), "right"), f"{column}1") for column in "UVWXY"))
    await desktop.type_text(window, None, "far", clear_before=False)
    await desktop.send_keys(window, [KeyCombination((), "enter")], delay_ms=0)
    await eventually(lambda: has(desktop, window, "Y1", "far"), "the text")


async def test_looking_at_a_spreadsheet_reads_its_visible_cells_and_leaves_it_alive(
    desktop: LinuxDesktop, calc: App
) -> None:
    before = megabytes(calc)
    window = await sheet_of(desktop, calc)
    cells = await eventually(lambda: cells_of(desktop, window), "the cells")
    assert cells["A1"].value == "r0c0"
    assert cells["C4"].value == "r3c2"
    assert all(cell.value for title, cell in cells.items() if "focused" not in cell.states)
    assert megabytes(calc) - before < MOST_GROWTH
    async with asyncio.timeout(PATIENCE):
        assert await desktop.read_element(window.handle) is not None


async def test_a_cell_of_a_spreadsheet_is_found_by_its_value_and_again_by_its_path(
    desktop: LinuxDesktop, calc: App
) -> None:
    before = megabytes(calc)
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    [cell] = await desktop.find(window, Query(value_contains="r3c2"))
    assert (cell.element.title, cell.element.role) == ("C4", "AXCell")
    assert cell.element.frame is not None
    again = await desktop.element_at_path(window, cell.path)
    assert again is not None
    assert again.element.title == "C4"
    assert [one.element.title for one in await desktop.find(window, Query(role="AXMenu", title_contains="Sheet"))]
    assert megabytes(calc) - before < MOST_GROWTH


async def test_a_formula_that_is_typed_into_a_spreadsheet_is_one(desktop: LinuxDesktop, calc: App) -> None:
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    await desktop.bring_to_front(window)
    await go(desktop, window, (CTRL_HOME, "A1"), (KeyCombination(("ctrl",), "down"), f"A{ROWS}"))
    await go(desktop, window, (KeyCombination((), "down"), f"A{ROWS + 1}"))
    delivery = await desktop.type_text(window, None, "=6*7", clear_before=False)
    assert delivery.by == "keys"
    await desktop.send_keys(window, [KeyCombination((), "enter")], delay_ms=0)

    values: list[str] = []

    async def computed() -> bool:
        values[:] = await result_of_formula(desktop, window)
        return f"A{ROWS + 1}" in values

    await eventually(computed, lambda: f"the result of the formula; seen in {values}")
