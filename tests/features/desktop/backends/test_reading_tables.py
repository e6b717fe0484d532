"""Tables that claim more cells than can be read: what is seen of them is read, and their programs stay alive."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.host.selection import flattened
from handrail.features.desktop.platform import Combination, Element, Query, Window
from tests.desktop_session import App, DesktopSession
from tests.waiting import eventually

ROWS, COLUMNS = 50, 20
BOUNDS = {"max_depth": 100, "max_nodes": 5_000}
MOST_MEGABYTES = 600

pytestmark = pytest.mark.trial("programs", is_long=True)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def desktop(desktop_session: DesktopSession) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        opened = LinuxDesktop()
        yield opened
        await opened.close()


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
    found = [one.element for one in flattened(tree.root) if one.element.native_role == "table cell"]
    return {element.title: element for element in found}


def megabytes(app: App) -> int:
    sizes = [Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in app.pids]
    return max(int(size) for size in sizes) * 4096 // 1_000_000


async def test_a_cell_is_clicked_where_it_is_before_the_program_has_felt_the_pointer(
    desktop: LinuxDesktop, calc: App
) -> None:
    """Until then Calc places its cells higher than they are, by the height of its menu bar."""
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    [cell] = await desktop.find(window, Query(role="AXCell", title_contains="B7"))
    await desktop.press(window, cell.element)
    await desktop.type_text(window, None, "=6*7", clear_before=False)
    await desktop.send_keys(window, [Combination((), "enter")], delay_ms=0)

    async def computed() -> bool:
        found = await desktop.find(window, Query(role="AXCell", value_contains="42"))
        return "B7" in [one.element.title for one in found if one.element.value == "42"]

    await eventually(computed, "the result of the formula")


async def test_looking_at_a_spreadsheet_reads_its_visible_cells_and_leaves_it_alive(
    desktop: LinuxDesktop, calc: App
) -> None:
    window = await sheet_of(desktop, calc)
    cells = await eventually(lambda: cells_of(desktop, window), "the cells")
    assert cells["A1"].value == "r0c0"
    assert cells["C4"].value == "r3c2"
    assert all(cell.value for title, cell in cells.items() if "focused" not in cell.states)
    assert megabytes(calc) < MOST_MEGABYTES
    async with asyncio.timeout(5):
        assert await desktop.look(window.handle) is not None


async def test_a_cell_of_a_spreadsheet_is_found_by_its_value_and_again_by_its_path(
    desktop: LinuxDesktop, calc: App
) -> None:
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    [cell] = await desktop.find(window, Query(value_contains="r3c2"))
    assert (cell.element.title, cell.element.role) == ("C4", "AXCell")
    assert cell.element.frame is not None
    again = await desktop.at_path(window, cell.path)
    assert again is not None
    assert again.element.title == "C4"
    assert [one.element.title for one in await desktop.find(window, Query(role="AXMenu", title_contains="Sheet"))]
    assert megabytes(calc) < MOST_MEGABYTES


async def test_a_formula_that_is_typed_into_a_spreadsheet_is_one(desktop: LinuxDesktop, calc: App) -> None:
    window = await sheet_of(desktop, calc)
    await eventually(lambda: cells_of(desktop, window), "the cells")
    below = [Combination(("ctrl",), "home"), Combination(("ctrl",), "down"), Combination((), "down")]
    await desktop.send_keys(window, below, delay_ms=100)
    delivery = await desktop.type_text(window, None, "=6*7", clear_before=False)
    assert delivery.by == "keys"
    await desktop.send_keys(window, [Combination((), "enter")], delay_ms=0)

    async def computed() -> bool:
        found = await desktop.find(window, Query(role="AXCell", value_contains="42"))
        return f"A{ROWS + 1}" in [one.element.title for one in found if one.element.value == "42"]

    await eventually(computed, "the result of the formula")
