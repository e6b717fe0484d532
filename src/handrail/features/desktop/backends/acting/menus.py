"""Chooses from a window's menu bar by the titles on the way, such as File ▸ Save As…."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from handrail.features.desktop.backends.acting.choices import Below
from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.keyboard_input import KeyboardInput
from handrail.features.desktop.platform import Combination, Delivery, Element, Node, Window
from handrail.ports.errors import Conflict, Failure, NotFound

_BAR_DEPTH, _ITEM_DEPTH, _NODES = 12, 3, 3_000
_OPEN_SECONDS = 1.5
_LOOK_EVERY = 0.03
_BARS = frozenset({"menu bar"})
_ITEMS = frozenset({"menu", "menu item", "check menu item", "radio menu item"})
_ENABLED = frozenset({"enabled", "sensitive"})
_ESCAPE = Combination((), "escape")


class Menus:
    def __init__(
        self,
        below: Below,
        look: Callable[[str], Awaitable[Element | None]],
        actions: ElementActions,
        keyboard: KeyboardInput,
    ) -> None:
        self._below = below
        self._look = look
        self._actions = actions
        self._keyboard = keyboard

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        """What is opened on the way is closed again if the rest is missing."""
        tree = await self._below(window.handle, max_depth=_BAR_DEPTH, max_nodes=_NODES)
        bars = [node for node in _walk(tree.root) if node.element.native_role in _BARS]
        if not bars:
            raise NotFound("The window has no menu bar.", hint="desktop.observe shows its buttons.")
        opened = 0
        items = [item for bar in bars for item in _items(bar)]
        try:
            for depth, title in enumerate(path):
                item = _named(items, title, path[:depth])
                if depth == len(path) - 1:
                    return await self._press(window, item)
                if not (items := await self._inside(item)):
                    await self._actions.press(window, item)
                    opened += 1
                    items = await self._wait_for_items(item)
        except Failure:
            await self._close(window, opened)
            raise
        raise NotFound("The path has no titles.")

    async def _press(self, window: Window, item: Element) -> Delivery:
        now = await self._look(item.handle)
        if now is None or not _ENABLED & now.states:
            raise Conflict(f"{item.title!r} is switched off.", hint="Something else must be done first.")
        return await self._actions.press(window, now)

    async def _inside(self, item: Element) -> list[Element]:
        tree = await self._below(item.handle, max_depth=_ITEM_DEPTH, max_nodes=_NODES)
        return _items(tree.root)

    async def _wait_for_items(self, item: Element) -> list[Element]:
        deadline = time.monotonic() + _OPEN_SECONDS
        while not (items := await self._inside(item)):
            if time.monotonic() > deadline:
                break
            await asyncio.sleep(_LOOK_EVERY)
        return items

    async def _close(self, window: Window, opened: int) -> None:
        for _ in range(opened):
            try:
                await self._keyboard.send_keys(window, [_ESCAPE], delay_ms=0)
            except Failure:
                return


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _items(node: Node) -> list[Element]:
    """The nearest below: a menu may hold its items itself, or in a list of its own without a title."""
    found: list[Element] = []
    for child in node.children:
        if child.element.native_role in _ITEMS and child.element.title:
            found.append(child.element)
        else:
            found += _items(child)
    return found


def _named(items: Sequence[Element], title: str, above: Sequence[str]) -> Element:
    """By its whole title, without regard to case, accelerators and the kind of ellipsis."""
    found = [item for item in items if _plain(item.title) == _plain(title)]
    if not found:
        place = " ▸ ".join(above) or "the menu bar"
        names = ", ".join(dict.fromkeys(item.title for item in items))
        raise NotFound(f"There is no {title!r} in {place}.", hint=f"There are: {names[:500]}" if names else None)
    return found[0]


def _plain(title: str) -> str:
    text = title.partition("\t")[0].replace("...", "…").replace("_", "").replace("&", "")
    return text.strip().removesuffix("…").strip().casefold()
