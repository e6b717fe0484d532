"""Chooses from a window's menu bar by a path of titles, such as File ▸ Save As…."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from handrail.features.desktop.backends.actions.choices import ReadSubtree
from handrail.features.desktop.backends.actions.element_actions import ElementActions
from handrail.features.desktop.backends.actions.keyboard_input import KeyboardInput
from handrail.features.desktop.desktop_port import Delivery, Element, KeyCombination, Node, Window
from handrail.ports.errors import Conflict, Failure, NotFound

_BAR_DEPTH, _ITEM_DEPTH, _MAX_NODES = 12, 3, 3_000
_OPEN_SECONDS = 1.5
_POLL_SECONDS = 0.03
_BARS = frozenset({"menu bar"})
_ITEMS = frozenset({"menu", "menu item", "check menu item", "radio menu item"})
_ENABLED = frozenset({"enabled", "sensitive"})
_ESCAPE = KeyCombination((), "escape")


class Menus:
    def __init__(
        self,
        read_subtree: ReadSubtree,
        look: Callable[[str], Awaitable[Element | None]],
        actions: ElementActions,
        keyboard: KeyboardInput,
    ) -> None:
        self._read_subtree = read_subtree
        self._look = look
        self._actions = actions
        self._keyboard = keyboard

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        """Chooses an item. If the path is wrong, closes the menus that it opened."""
        tree = await self._read_subtree(window.handle, max_depth=_BAR_DEPTH, max_nodes=_MAX_NODES)
        frame_bars = [node for node in _walk(tree.root) if node.element.native_role in _BARS]
        if not frame_bars:
            raise NotFound("The window has no menu bar.", hint="desktop.observe shows its buttons.")
        open_menus = 0
        items = [item for bar in frame_bars for item in _items(bar)]
        try:
            for depth, title in enumerate(path):
                item = _find_item(items, title, path[:depth])
                if depth == len(path) - 1:
                    return await self._press(window, item)
                if not (items := await self._items_of(item)):
                    await self._actions.press(window, item)
                    open_menus += 1
                    items = await self._wait_for_items(item)
        except Failure:
            await self._close(window, open_menus)
            raise
        raise NotFound("The path has no titles.")

    async def _press(self, window: Window, item: Element) -> Delivery:
        current = await self._look(item.handle)
        if current is None or not _ENABLED & current.states:
            raise Conflict(f"{item.title!r} is disabled.", hint="Something else must be done first.")
        return await self._actions.press(window, current)

    async def _items_of(self, item: Element) -> list[Element]:
        tree = await self._read_subtree(item.handle, max_depth=_ITEM_DEPTH, max_nodes=_MAX_NODES)
        return _items(tree.root)

    async def _wait_for_items(self, item: Element) -> list[Element]:
        deadline = time.monotonic() + _OPEN_SECONDS
        while not (items := await self._items_of(item)):
            if time.monotonic() > deadline:
                break
            await asyncio.sleep(_POLL_SECONDS)
        return items

    async def _close(self, window: Window, open_menus: int) -> None:
        for _ in range(open_menus):
            try:
                await self._keyboard.send_keys(window, [_ESCAPE], delay_ms=0)
            except Failure:
                return


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _items(node: Node) -> list[Element]:
    """Returns the nearest items below: a menu contains them itself, or in an untitled list."""
    items: list[Element] = []
    for child in node.children:
        if child.element.native_role in _ITEMS and child.element.title:
            items.append(child.element)
        else:
            items += _items(child)
    return items


def _find_item(items: Sequence[Element], title: str, above: Sequence[str]) -> Element:
    """Finds an item by its whole title, ignoring case, accelerators and the kind of ellipsis."""
    matches = [item for item in items if _plain(item.title) == _plain(title)]
    if not matches:
        place = " ▸ ".join(above) or "the menu bar"
        names = ", ".join(dict.fromkeys(item.title for item in items))
        raise NotFound(f"There is no {title!r} in {place}.", hint=f"There are: {names[:500]}" if names else None)
    return matches[0]


def _plain(title: str) -> str:
    text = title.partition("\t")[0].replace("...", "…").replace("_", "").replace("&", "")
    return text.strip().removesuffix("…").strip().casefold()
