"""Reports what an action changed, by comparing the window and the list of windows before and after. Never fails.

The first snapshot is taken before the action, the next one when the app reports a change, and the last one when it
stops reporting changes, which takes half a second at most.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from handrail.features.desktop.desktop_port import Changes, Element, Reader, Window
from handrail.features.desktop.host.refs import frame_to_wire
from handrail.features.desktop.host.selection import flatten
from handrail.ports.errors import Failure

MAX_CHANGES = 30
WATCHED_SECONDS = 0.5
_QUIET_SECONDS = 0.06
_SNAPSHOT_SECONDS = 1.0
_SNAPSHOT_NODES = 600
_SNAPSHOT_DEPTH = 40
_MAX_VALUE = 200
_IGNORED_STATES = frozenset({"armed", "has-tooltip", "transient", "stale"})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Windows and elements at one moment. None means that they could not be read, not that there are none."""

    windows: Mapping[str, Window] | None = None
    elements: Mapping[str, Element] | None = None
    is_cut: bool = False
    """There are more elements, so one that is missing here may exist."""
    hanging: frozenset[int] = frozenset()
    """Processes whose windows could not be listed."""
    seconds: float = 0.0
    """How long the app took to answer."""


class Watch:
    def __init__(self, reader: Reader, window: Window, changes: Changes, before: Snapshot) -> None:
        self._reader = reader
        self._window = window
        self._changes = changes
        self._before = before

    @property
    def may_miss_changes(self) -> bool:
        """Whether changes may go unnoticed because the window can't be read quickly enough."""
        return self._before.elements is None or self._before.seconds > _SNAPSHOT_SECONDS / 2

    async def outcome(self, within: float = WATCHED_SECONDS) -> list[dict[str, Any]]:
        """Returns the observed changes."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        looked_at = loop.time()
        while not (changed := await self._difference()):
            if looked_at >= until:  # a look at a slow app may show how it was long before
                return []
            await self._changes.next(max(until - loop.time(), 0))
            looked_at = loop.time()
        is_quiet = False
        while not is_quiet and (remaining := until - loop.time()) > 0:
            is_quiet = not await self._changes.next(min(remaining, _QUIET_SECONDS))
        return await self._difference() or changed

    async def _difference(self) -> list[dict[str, Any]]:
        return difference(self._before, await take_snapshot(self._reader, self._window))


@asynccontextmanager
async def watch_changes(reader: Reader, window: Window) -> AsyncIterator[Watch]:
    """Starts to watch before the action, so that no change is missed."""
    async with reader.changes(window) as changes:
        yield Watch(reader, window, changes, await take_snapshot(reader, window))


async def take_snapshot(reader: Reader, window: Window) -> Snapshot:
    """Reads as much as the app answers in time."""
    windows: Mapping[str, Window] | None = None
    elements: Mapping[str, Element] | None = None
    hanging: frozenset[int] = frozenset()
    is_cut, clock = False, asyncio.get_running_loop().time
    began = clock()
    try:
        async with asyncio.timeout(_SNAPSHOT_SECONDS):
            windows = {window.handle: window for window in await reader.windows()}
            hanging = frozenset(reader.unresponsive_pids())
            tree = await reader.tree(window, max_depth=_SNAPSHOT_DEPTH, max_nodes=_SNAPSHOT_NODES)
            elements = {located.element.handle: located.element for located in flatten(tree.root)}
            is_cut = tree.is_cut
    except (Failure, TimeoutError):
        pass
    return Snapshot(windows, elements, is_cut, hanging, clock() - began)


def difference(before: Snapshot, after: Snapshot) -> list[dict[str, Any]]:
    """Lists changes of windows, then of texts, then of states, then elements that appeared or disappeared."""
    changed = [*_windows(before, after), *_elements(before, after)]
    if len(changed) > MAX_CHANGES:
        changed[MAX_CHANGES:] = [{"what": "more", "count": len(changed) - MAX_CHANGES}]
    return changed


def _windows(before: Snapshot, after: Snapshot) -> list[dict[str, Any]]:
    if before.windows is None or after.windows is None:
        return []
    changed: list[dict[str, Any]] = []
    for handle, window in after.windows.items():
        old = before.windows.get(handle)
        if old is None and window.pid in before.hanging:
            continue
        if old is None:
            changed.append({"what": "window", "change": "appeared", **_window(window)})
            continue
        if old.title != window.title:
            changed.append({"what": "windowTitle", "from": old.title, "to": window.title})
        changed += [{"what": "window", "change": change, **_window(window)} for change in _arranged(old, window)]
    missing = [window for handle, window in before.windows.items() if handle not in after.windows]
    hanging = {window.pid: window.app_name for window in missing if window.pid in after.hanging}
    changed += [{"what": "app", "title": name, "change": "stoppedResponding"} for name in hanging.values()]
    closed = [window for window in missing if window.pid not in hanging]
    return changed + [{"what": "window", "change": "disappeared", **_window(window)} for window in closed]


def _arranged(old: Window, new: Window) -> Iterator[str]:
    if new.is_front and not old.is_front:
        yield "cameToFront"
    if new.is_minimized is not old.is_minimized:
        yield "minimized" if new.is_minimized else "restored"
    elif old.frame is not None and new.frame is not None and old.frame != new.frame:
        same_size = (old.frame.width, old.frame.height) == (new.frame.width, new.frame.height)
        yield "moved" if same_size else "resized"


def _elements(before: Snapshot, after: Snapshot) -> list[dict[str, Any]]:
    if before.elements is None or after.elements is None:
        return []
    is_complete = not before.is_cut and not after.is_cut
    text_changes, state_changes, other_changes = [], [], []
    for handle, new in after.elements.items():
        old = before.elements.get(handle)
        if old is None:
            if is_complete and _is_shown(new):
                other_changes.append({"what": "element", "change": "appeared", **_element(new)})
            continue
        if not _is_shown(old) and not _is_shown(new):
            continue  # an item of a closed menu
        if old.value != new.value:
            text_changes.append({"what": "value", **_element(new), "from": _short(old.value), "to": _short(new.value)})
        if old.title != new.title and new.role != "AXWindow":  # window titles are reported with the windows
            text_changes.append({"what": "title", **_element(new), "from": _short(old.title), "to": _short(new.title)})
        if (toggled := (old.states ^ new.states) - _IGNORED_STATES) and old.states and new.states:
            gained, lost = sorted(toggled & new.states), sorted(toggled & old.states)
            state_changes.append({"what": "state", **_element(new), "gained": gained, "lost": lost})
    for handle, old in before.elements.items():
        if is_complete and handle not in after.elements and _is_shown(old):
            other_changes.append({"what": "element", "change": "disappeared", **_element(old)})
    return [*text_changes, *state_changes, *other_changes]


def _is_shown(element: Element) -> bool:
    return "showing" in element.states


def _window(window: Window) -> dict[str, Any]:
    return {"title": window.title, "isModal": window.is_modal, "frame": frame_to_wire(window.frame)}


def _element(element: Element) -> dict[str, Any]:
    return {"role": element.role, "title": _short(element.title)}


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _MAX_VALUE else text[:_MAX_VALUE] + "…"
