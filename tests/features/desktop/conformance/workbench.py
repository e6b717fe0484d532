"""Helpers for tests on the window of `desktop_apps.texts`, through the backend under test."""

from collections.abc import Sequence
from typing import TypeVar

from handrail.features.desktop.desktop_port import DesktopPort, Element, LocatedElement, Node, Query, Tree, Window
from tests.desktop_apps import texts
from tests.desktop_session import App
from tests.features.desktop.conformance.grounds import Ground
from tests.waiting import eventually

T = TypeVar("T")


class Workbench:
    def __init__(self, ground: Ground, desktop: DesktopPort, app: App, window: Window) -> None:
        self.ground = ground
        self.desktop = desktop
        self.app = app
        self.window = window

    async def find(
        self, title: str | None = None, role: str | None = None, value: str | None = None
    ) -> Sequence[LocatedElement]:
        return await self.desktop.find(self.window, Query(role, title, value))

    async def find_one(self, title: str, role: str | None = None) -> LocatedElement:
        """Returns the element with exactly this title; the first one if it contains a label with the same text."""
        result = [one for one in await self.find(title, role) if one.element.title == title]
        assert result, f"no {title!r} in {self.window}"
        return result[0]

    async def one(self, title: str, role: str | None = None) -> Element:
        return (await self.find_one(title, role)).element

    async def focus(self, title: str) -> None:
        element = await self.one(title)
        await eventually(lambda: self.desktop.focus(self.window, element), f"focus in {title!r}")

    async def press(self, title: str) -> None:
        await self.desktop.press(self.window, await self.one(title))

    async def wait_for(self, title: str) -> LocatedElement:
        result = await eventually(lambda: self.find(title), f"{title!r} to be shown")
        return result[0]

    async def brought_on_screen(self) -> None:
        """Brings the whole window onto the screen, wherever another test has left it."""
        if self._lies_on_screen():
            return
        self.ground.move(self.app, 100, 100)

        async def has_come() -> bool:
            return self._lies_on_screen()

        await eventually(has_come, "the window to be on the screen")

    async def brought_to_front(self) -> None:
        await self.brought_on_screen()
        await eventually(lambda: self.desktop.bring_to_front(self.window), "the window in front")

    def _lies_on_screen(self) -> bool:
        frame = self.ground.frame(self.app)
        return frame.intersection(self.ground.size) == frame

    async def count(self) -> int:
        """Returns the button's count."""
        return await self._number(texts.COUNTED)

    async def touches(self) -> int:
        """Returns how often the area was clicked."""
        if await self.find(texts.UNTOUCHED):
            return 0
        return await self._number(texts.TOUCHED)

    async def changes(self) -> int:
        if await self.find(texts.UNCHANGED):
            return 0
        return await self._number(texts.CHANGED)

    async def value(self, title: str) -> str:
        return (await self.one(title)).value or ""

    async def wait_for_value(self, title: str, value: str) -> None:
        async def is_there() -> bool:
            return await self.value(title) == value

        await eventually(is_there, f"{value!r} in {title!r}")

    async def empty(self, *titles: str) -> None:
        for title in titles:
            if await self.value(title):
                await self.desktop.type_text(self.window, await self.one(title), "", clear_before=True)
                await self.wait_for_value(title, "")

    async def _number(self, text: str) -> int:
        words = text.format("")
        result = await self.find(words)
        return int(result[0].element.title.removeprefix(words))


async def window_of(desktop: DesktopPort, app: App, title: str | None = None) -> Window:
    pids = app.pids

    async def look() -> list[Window]:
        return [one for one in await desktop.windows() if one.pid in pids and title in (None, one.title)]

    return (await eventually(look, f"a window {title or ''} of {app.name}"))[0]


def nodes(tree: Tree) -> list[Node]:
    matches, queue = [], [tree.root]
    while queue:
        node = queue.pop()
        matches.append(node)
        queue.extend(reversed(node.children))
    return matches


def depth(node: Node) -> int:
    """Returns the number of levels below."""
    return max((1 + depth(child) for child in node.children), default=0)
