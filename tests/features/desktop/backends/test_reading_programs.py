"""Reading real programs: mousepad, LibreOffice and Chromium."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.windows import X11Windows
from handrail.features.desktop.desktop_port import LocatedElement, Query, Window
from tests.desktop_session import App, DesktopSession
from tests.waiting import PATIENCE, eventually

PAGE = """<!doctype html><title>Page</title><h1>Heading</h1><p>Some <a href="#">link</a> text</p>
<button>Press me</button><input aria-label="Field" value="typed"><input type="checkbox" aria-label="Box" checked>
<input type="password" aria-label="Secret" value="hunter2">"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def reader(desktop_session: DesktopSession) -> AsyncIterator[AtspiReader]:
    with desktop_session.entered():
        bus, x11 = AccessibilityBus(), X11()
        yield AtspiReader(bus, X11Windows(x11))
        await bus.close()
        x11.close()


async def window_of(reader: AtspiReader, app: App, is_meant: Callable[[Window], bool] = lambda _: True) -> Window:
    async def seen() -> list[Window]:
        return [
            window for window in await reader.windows() if window.pid in app.pids and window.title and is_meant(window)
        ]

    return (await eventually(seen, app.name))[0]


async def found_in(reader: AtspiReader, window: Window, query: Query) -> Sequence[LocatedElement]:
    """Waits, because programs still fill their windows when reading starts."""
    async with asyncio.timeout(PATIENCE), reader.changes(window) as changes:
        while not (matches := await reader.find(window, query)):
            await changes.next(0.5)
    return matches


async def test_a_text_of_a_megabyte_is_cut_and_marked(reader: AtspiReader, desktop_session: DesktopSession) -> None:
    file = desktop_session.folder / "long.txt"
    file.write_text("0123456789abcde\n" * 65_536)
    app = desktop_session.start(["mousepad", "--disable-server", str(file)])
    window = await window_of(reader, app, lambda window: "long.txt" in window.title)
    area = (await found_in(reader, window, Query(role="AXTextArea", value_contains="89ABCDE")))[0].element
    assert area.value is not None
    assert len(area.value) == 4097
    assert area.value.endswith("…")
    assert area.value.startswith("0123456789abcde\n0")
    desktop_session.end(app)


async def test_an_app_is_known_by_all_its_names(reader: AtspiReader, desktop_session: DesktopSession) -> None:
    app = desktop_session.start(["mousepad", "--disable-server"])
    window = await window_of(reader, app)
    assert window.app_id == "org.xfce.mousepad"
    assert {"org.xfce.mousepad", "org.xfce.mousepad.desktop", "mousepad", "Mousepad"} <= window.ids
    desktop_session.end(app)


async def test_a_closed_menu_has_its_items_and_no_place(reader: AtspiReader, desktop_session: DesktopSession) -> None:
    app = desktop_session.start(["mousepad", "--disable-server"])
    window = await window_of(reader, app)
    [item] = await found_in(reader, window, Query(role="AXMenuItem", title_contains="Select All"))
    assert item.element.frame is None
    assert item.element.actions
    assert [element.role for element in item.ancestors][-2:] == ["AXMenuBar", "AXMenu"]
    assert (await reader.element_at_path(window, item.path)) == item
    desktop_session.end(app)


@pytest.mark.trial("programs", is_long=True)
async def test_libreoffice_is_read_whole(reader: AtspiReader, desktop_session: DesktopSession) -> None:
    file = desktop_session.folder / "letter.txt"
    file.write_text("A letter\nto somebody\n")
    options = ["--norestore", "--nologo", "--nolockcheck"]
    app = desktop_session.start(["soffice", "--writer", *options, str(file)])
    window = await window_of(reader, app, lambda window: "letter" in window.title)
    assert window.app_id == "libreoffice-writer"
    paragraph = (await found_in(reader, window, Query(role="paragraph", value_contains="SOMEBODY")))[0]
    assert paragraph.element.role == "AXTextArea"
    assert paragraph.element.value == "to somebody"
    tree = await reader.tree(window, max_depth=100, max_nodes=10_000)
    assert tree.count > 1000
    assert not tree.is_cut
    assert {(one.element.handle, one.path) for one in await reader.find(window, Query(role="AXButton"))}
    desktop_session.end(app)


@pytest.mark.trial("programs", is_long=True)
async def test_a_page_in_chromium_is_read(reader: AtspiReader, desktop_session: DesktopSession) -> None:
    page = desktop_session.folder / "page.html"
    page.write_text(PAGE)
    options = ["--no-sandbox", "--no-first-run", "--password-store=basic", "--force-renderer-accessibility"]
    data = f"--user-data-dir={desktop_session.folder / 'chromium'}"
    app = desktop_session.start(["chromium", *options, data, page.as_uri()])
    window = await window_of(reader, app, lambda window: window.title.startswith("Page"))
    assert "chromium" in window.ids
    assert window.frame is not None
    [button] = await found_in(reader, window, Query(role="AXButton", title_contains="press me"))
    assert button.element.frame is not None
    assert window.frame.intersection(button.element.frame) == button.element.frame
    assert "AXWebArea" in [element.role for element in button.ancestors]
    for title, role, value in [
        ("Field", "AXTextField", "typed"),
        ("Box", "AXCheckBox", "1"),
        ("Secret", "AXSecureTextField", None),
        ("link", "AXLink", None),
    ]:
        [one] = await found_in(reader, window, Query(role=role, title_contains=title))
        assert one.element.value == value
    desktop_session.end(app)
