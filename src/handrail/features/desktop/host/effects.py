"""What an action changed: compares the window and the list of windows before and after. Never fails.

The first look is before the action, the second when the app reports a change, and the last when no more changes
come; half a second at most.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from handrail.features.desktop.host.refs import spelled_frame
from handrail.features.desktop.host.selection import flattened
from handrail.features.desktop.platform import Changes, Element, Reader, Window
from handrail.ports.errors import Failure

MOST_CHANGES = 30
WATCHED_SECONDS = 0.5
_REST_SECONDS = 0.06
_LOOK_SECONDS = 1.0
_LOOK_NODES = 600
_LOOK_DEPTH = 40
_LONGEST_VALUE = 200
_UNTOLD_STATES = frozenset({"armed", "has-tooltip", "transient", "stale"})


@dataclass(frozen=True, slots=True)
class Look:
    """None means that it could not be read, not that there is nothing."""

    windows: Mapping[str, Window] | None = None
    elements: Mapping[str, Element] | None = None
    is_cut: bool = False
    """There are more elements, so one that is missing here may still exist."""
    seconds: float = 0.0
    """How long the app took to answer."""


class Watch:
    def __init__(self, reader: Reader, window: Window, changes: Changes, before: Look) -> None:
        self._reader = reader
        self._window = window
        self._changes = changes
        self._before = before

    @property
    def may_be_blind(self) -> bool:
        """The window can hardly be read in time, so what happens in it may go unnoticed."""
        return self._before.elements is None or self._before.seconds > _LOOK_SECONDS / 2

    async def outcome(self, within: float = WATCHED_SECONDS) -> list[dict[str, Any]]:
        """What was seen to have changed; empty when nothing was."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while not (changed := await self._difference()):
            if (left := until - loop.time()) <= 0:
                return []
            await self._changes.next(left)
        is_resting = False
        while not is_resting and (left := until - loop.time()) > 0:
            is_resting = not await self._changes.next(min(left, _REST_SECONDS))
        return await self._difference() or changed

    async def _difference(self) -> list[dict[str, Any]]:
        return difference(self._before, await look(self._reader, self._window))


@asynccontextmanager
async def watching(reader: Reader, window: Window) -> AsyncIterator[Watch]:
    """Begins before the action, so that nothing is missed."""
    async with reader.changes(window) as changes:
        yield Watch(reader, window, changes, await look(reader, window))


async def look(reader: Reader, window: Window) -> Look:
    """As much as the app answers in time."""
    windows: Mapping[str, Window] | None = None
    elements: Mapping[str, Element] | None = None
    is_cut, clock = False, asyncio.get_running_loop().time
    began = clock()
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            windows = {one.handle: one for one in await reader.windows()}
            tree = await reader.tree(window, max_depth=_LOOK_DEPTH, max_nodes=_LOOK_NODES)
            elements = {found.element.handle: found.element for found in flattened(tree.root)}
            is_cut = tree.is_cut
    except (Failure, TimeoutError):
        pass
    return Look(windows, elements, is_cut, clock() - began)


def difference(before: Look, after: Look) -> list[dict[str, Any]]:
    """Windows first, then texts, then states, then elements that appeared or disappeared."""
    changed = [*_windows(before, after), *_elements(before, after)]
    if len(changed) > MOST_CHANGES:
        changed[MOST_CHANGES:] = [{"what": "more", "count": len(changed) - MOST_CHANGES}]
    return changed


def _windows(before: Look, after: Look) -> list[dict[str, Any]]:
    if before.windows is None or after.windows is None:
        return []
    changed: list[dict[str, Any]] = []
    for handle, window in after.windows.items():
        old = before.windows.get(handle)
        if old is None:
            changed.append({"what": "window", "change": "appeared", **_window(window)})
        elif old.title != window.title:
            changed.append({"what": "windowTitle", "from": old.title, "to": window.title})
        elif window.is_front and not old.is_front:
            changed.append({"what": "window", "change": "cameToFront", **_window(window)})
    gone = [window for handle, window in before.windows.items() if handle not in after.windows]
    return changed + [{"what": "window", "change": "disappeared", **_window(window)} for window in gone]


def _elements(before: Look, after: Look) -> list[dict[str, Any]]:
    if before.elements is None or after.elements is None:
        return []
    is_whole = not before.is_cut and not after.is_cut
    texts, states, came_and_went = [], [], []
    for handle, new in after.elements.items():
        old = before.elements.get(handle)
        if old is None:
            if is_whole and _is_shown(new):
                came_and_went.append({"what": "element", "change": "appeared", **_element(new)})
            continue
        if not _is_shown(old) and not _is_shown(new):
            continue  # a closed menu's items are nobody's business
        if old.value != new.value:
            texts.append({"what": "value", **_element(new), "from": _short(old.value), "to": _short(new.value)})
        if old.title != new.title and new.role != "AXWindow":  # whose title is told among the windows
            texts.append({"what": "title", **_element(new), "from": _short(old.title), "to": _short(new.title)})
        if (turned := (old.states ^ new.states) - _UNTOLD_STATES) and old.states and new.states:
            gained, lost = sorted(turned & new.states), sorted(turned & old.states)
            states.append({"what": "state", **_element(new), "gained": gained, "lost": lost})
    for handle, old in before.elements.items():
        if is_whole and handle not in after.elements and _is_shown(old):
            came_and_went.append({"what": "element", "change": "disappeared", **_element(old)})
    return [*texts, *states, *came_and_went]


def _is_shown(element: Element) -> bool:
    return "showing" in element.states


def _window(window: Window) -> dict[str, Any]:
    return {"title": window.title, "isModal": window.is_modal, "frame": spelled_frame(window.frame)}


def _element(element: Element) -> dict[str, Any]:
    return {"role": element.role, "title": _short(element.title)}


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
