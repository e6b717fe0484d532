"""Apps that report nonsense: reading always ends, and bad answers are ignored."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.desktop_port import Query, Window
from handrail.ports.errors import Gone
from tests.desktop_session import DesktopSession
from tests.features.desktop.backends.odd_app import BUTTON, FRAME, NULL, ROOT, TEXT, WINDOW, Oddity, odd_app

EVERYTHING = {"max_depth": 100, "max_nodes": 10_000}
TITLE = "Odd window"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def reader(desktop_session: DesktopSession) -> AsyncIterator[AtspiReader]:
    with desktop_session.entered():
        bus = AccessibilityBus()
        yield AtspiReader(bus)
        await bus.close()


def window_with(*children: str) -> dict[str, Oddity]:
    return {WINDOW: Oddity(TITLE, FRAME, children, "/org/a11y/atspi/accessible/root")}


async def the_window(reader: AtspiReader) -> Window:
    return next(window for window in await reader.windows() if window.title == TITLE)


async def test_a_tree_that_leads_back_into_itself_ends(reader: AtspiReader) -> None:
    round_trip = {"/a": Oddity("a", children=["/b"]), "/b": Oddity("b", BUTTON, ["/a", WINDOW], "/a")}
    async with odd_app({**window_with("/a"), **round_trip}):
        window = await the_window(reader)
        tree = await reader.tree(window, **EVERYTHING)
        below = tree.root.children[0].children[0]
        assert below.element.title == "b"
        assert [node.element.title for node in below.children] == ["a", TITLE]
        assert not any(node.children for node in below.children)
        assert [matches.path for matches in await reader.find(window, Query(role="AXButton"))] == [(0, 0)]


@pytest.mark.parametrize(("program", "is_asked"), [("odd", True), ("soffice", False)])
async def test_libreoffice_is_not_asked_for_all_its_objects_at_once(
    reader: AtspiReader, program: str, is_asked: bool
) -> None:
    """It lists objects there that it has freed, and crashes."""
    button = {"/a": Oddity("a", BUTTON)}
    async with odd_app({ROOT: Oddity(program, 75, [WINDOW]), **window_with("/a"), **button}) as app:
        window = await the_window(reader)
        await reader.tree(window, **EVERYTHING)
        assert await reader.find(window, Query(title_contains="a", role="push button"))
        assert ("GetItems" in app.asked) is is_asked


async def test_parents_in_a_ring_are_walked_around(reader: AtspiReader) -> None:
    ring = {"/a": Oddity("a", children=["/b"], parent="/b"), "/b": Oddity("b", BUTTON, parent="/a")}
    async with odd_app({**window_with("/a"), **ring}):
        [matches] = await reader.find(await the_window(reader), Query(title_contains="b", role="push button"))
        assert matches.path == (0, 0)
        assert [element.title for element in matches.ancestors] == [TITLE, "a"]


async def test_a_child_that_is_none_keeps_its_place(reader: AtspiReader) -> None:
    async with odd_app({**window_with(NULL, "/missing", "/b"), "/b": Oddity("b", BUTTON)}):
        window = await the_window(reader)
        tree = await reader.tree(window, **EVERYTHING)
        assert [node.element.role for node in tree.root.children] == ["AXUnknown", "AXUnknown", "AXButton"]
        assert await reader.element_at_path(window, [0]) is None
        assert await reader.element_at_path(window, [1]) is None
        third = await reader.element_at_path(window, [2])
        assert third is not None
        assert third.element.title == "b"
        for node in tree.root.children[:2]:
            assert await reader.read_element(node.element.handle) is None


async def test_answers_of_the_wrong_type_are_none(reader: AtspiReader) -> None:
    odd = {"/name": Oddity(7, BUTTON), "/role": Oddity("role", "a button"), "/b": Oddity("b", 4_000_000)}
    async with odd_app({**window_with(*odd), **odd}):
        tree = await reader.tree(await the_window(reader), **EVERYTHING)
        read = [(node.element.role, node.element.title) for node in tree.root.children]
        assert read == [("AXButton", ""), ("AXUnknown", ""), ("AXUnknown", "b")]


async def test_an_endless_text_is_cut_and_marked(reader: AtspiReader) -> None:
    endless = Oddity("n" * 50_000, TEXT, text="t" * 50_000)
    async with odd_app({**window_with("/t"), "/t": endless}):
        tree = await reader.tree(await the_window(reader), **EVERYTHING)
        element = tree.root.children[0].element
        assert element.value == "t" * 4096 + "…"
        assert element.title == "n" * 4096 + "…"


async def test_a_chain_of_a_thousand_is_cut_where_the_bound_is(reader: AtspiReader) -> None:
    chain = {f"/c{depth}": Oddity(f"c{depth}", children=[f"/c{depth + 1}"]) for depth in range(1500)}
    async with odd_app({**window_with("/c0"), **chain}):
        tree = await reader.tree(await the_window(reader), max_depth=900, max_nodes=10_000)
        assert tree.count == 901
        assert tree.is_cut


async def test_a_window_is_gone_with_its_app(reader: AtspiReader) -> None:
    async with odd_app(window_with()):
        window = await the_window(reader)
    assert await reader.read_element(window.handle) is None
    with pytest.raises(Gone):
        await reader.tree(window, **EVERYTHING)
    with pytest.raises(Gone):
        await reader.find(window, Query(role="AXButton"))
    assert TITLE not in [one.title for one in await reader.windows()]


@pytest.mark.parametrize("handle", ["", "1", "1:1.1", "nonsense", "1:/", "99:1.1/org/a11y/atspi/accessible/root"])
async def test_a_handle_that_is_none_is_nothing(reader: AtspiReader, handle: str) -> None:
    assert await reader.read_element(handle) is None


async def test_nothing_stays_registered_when_the_listening_ends(reader: AtspiReader) -> None:
    async with odd_app(window_with()) as app:
        window = await the_window(reader)
        assert await app.registered() == []
        async with reader.changes(window) as changes, reader.changes(window):
            assert len({event for _, event in await app.registered()}) > 5
            while await changes.next(0):
                pass  # Others on the bus may have something to tell, too.
            app.tell_of_a_change()
            assert await changes.next(10)
        async with asyncio.timeout(10):
            while await app.registered():
                pass
