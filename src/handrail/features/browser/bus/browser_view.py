"""The windows, tabs and groups of one browser, kept up to date by its plugin: a full state first, then each change."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from handrail.ports.browser import BrowserState, OpenTab, TabGroup, Window
from handrail.ports.errors import InvalidParams

T = TypeVar("T")
_NO_GROUP = -1

TAB_EVENTS = ("tab_created", "tab_updated", "tab_activated", "tab_removed")
WINDOW_EVENTS = ("window_created", "window_removed", "window_focused")
GROUP_EVENTS = ("tab_group_created", "tab_group_updated", "tab_group_removed", "tab_group_moved")
STATE_EVENTS = TAB_EVENTS + WINDOW_EVENTS + GROUP_EVENTS


class BrowserView:
    def __init__(self) -> None:
        self.is_synced = False
        """Whether the full state has arrived. Before that, a tab that is missing here may exist."""
        self.last_updated = 0
        self._windows: dict[int, Window] = {}
        self._tabs: dict[int, OpenTab] = {}
        self._groups: dict[int, TabGroup] = {}
        self._active_window: int | None = None
        self._active_tab: int | None = None

    def has_tab(self, tab_id: int) -> bool:
        return tab_id in self._tabs

    def opener_of(self, tab_id: int) -> int | None:
        tab = self._tabs.get(tab_id)
        return tab.opener_tab_id if tab is not None and isinstance(tab.opener_tab_id, int) else None

    def state(self) -> BrowserState:
        return BrowserState(
            windows=tuple(self._windows.values()),
            tabs=tuple(sorted(self._tabs.values(), key=lambda tab: (tab.window_id, tab.index))),
            tab_groups=tuple(self._groups.values()),
            active_window_id=self._active_window,
            active_tab_id=self._active_tab,
            last_updated=self.last_updated,
        )

    def replace(self, message: Mapping[str, Any], now: int) -> None:
        """Applies a `full_state_sync`. InvalidParams changes nothing."""
        state = _convert({"windows": (), "tabs": (), "tabGroups": (), **message}, BrowserState)
        self._windows = {window.window_id: window for window in state.windows}
        self._tabs = {tab.tab_id: tab for tab in state.tabs}
        self._groups = {group.id: group for group in state.tab_groups}
        self._active_window, self._active_tab = state.active_window_id, state.active_tab_id
        self.is_synced, self.last_updated = True, now

    def apply(self, message: Mapping[str, Any], now: int) -> None:
        """Applies a `tab_event`. InvalidParams changes nothing."""
        kind = message.get("eventType")
        if kind in TAB_EVENTS:
            self._apply_tab(kind, message)
        elif kind in WINDOW_EVENTS:
            self._apply_window(kind, message)
        elif kind in GROUP_EVENTS:
            self._apply_group(kind, message)
        else:
            raise InvalidParams(f"`eventType` must be one of {', '.join(STATE_EVENTS)}.")
        self.last_updated = now

    def _apply_tab(self, kind: str, message: Mapping[str, Any]) -> None:
        changes = message.get("tab")
        id = _id(message, changes, "tabId")
        if kind == "tab_removed":
            self._tabs.pop(id, None)
            self._active_tab = None if self._active_tab == id else self._active_tab
            return
        tab = self._updated(OpenTab, self._tabs.get(id), changes, {"tabId": id, **_member(message, "windowId")})
        if tab is not None:
            if kind == "tab_activated":
                tab = msgspec.structs.replace(tab, active=True)
            self._tabs[id] = tab
        window = tab.window_id if tab is not None else message.get("windowId")
        if kind == "tab_activated":
            self._activate(id, window)
        elif tab is not None and tab.active and self._is_front(tab.window_id):
            self._activate(id, tab.window_id)

    def _activate(self, id: int, window: int | None) -> None:
        """Deactivates the other tabs of its window."""
        for other in list(self._tabs.values()):
            if other.active and other.tab_id != id and other.window_id == window:
                self._tabs[other.tab_id] = msgspec.structs.replace(other, active=False)
        if window is None or self._is_front(window):
            self._active_tab = id

    def _is_front(self, window: int) -> bool:
        return self._active_window is None or self._active_window == window

    def _apply_window(self, kind: str, message: Mapping[str, Any]) -> None:
        changes = message.get("window")
        id = _id(message, changes, "windowId")
        if kind == "window_removed":
            self._windows.pop(id, None)
            self._tabs = {tab.tab_id: tab for tab in self._tabs.values() if tab.window_id != id}
            self._groups = {group.id: group for group in self._groups.values() if group.window_id != id}
            if self._active_window == id:
                self._active_window = self._active_tab = None
            return
        window = self._updated(Window, self._windows.get(id), changes, {"windowId": id})
        if window is not None:
            self._windows[id] = window
        if kind == "window_focused":
            self._focus(id)

    def _focus(self, id: int) -> None:
        """-1 means that no window of the browser has the focus; the last one stays active."""
        for window in list(self._windows.values()):
            if window.focused != (window.window_id == id):
                self._windows[window.window_id] = msgspec.structs.replace(window, focused=window.window_id == id)
        if id >= 0:
            self._active_window = id
            self._active_tab = next(
                (tab.tab_id for tab in self._tabs.values() if tab.window_id == id and tab.active), None
            )

    def _apply_group(self, kind: str, message: Mapping[str, Any]) -> None:
        changes = message.get("tabGroup", message.get("group"))
        id = _id(message, changes, "groupId", inside="id")
        if kind == "tab_group_removed":
            self._groups.pop(id, None)
            for tab in list(self._tabs.values()):
                if tab.group_id == id:
                    self._tabs[tab.tab_id] = msgspec.structs.replace(tab, group_id=_NO_GROUP)
            return
        group = self._updated(TabGroup, self._groups.get(id), changes, {"id": id, **_member(message, "windowId")})
        if group is not None:
            self._groups[id] = group

    @staticmethod
    def _updated(type: type[T], current: T | None, changes: Any, ids: Mapping[str, Any]) -> T | None:
        """The current state with the event's changes; None for something new that the event doesn't describe."""
        if changes is None and current is None:
            return None
        before = msgspec.to_builtins(current) if current is not None else {}
        return _convert({**before, **ids, **(changes if isinstance(changes, Mapping) else {})}, type)


def _id(message: Mapping[str, Any], changes: Any, name: str, inside: str | None = None) -> int:
    id = changes.get(inside or name) if isinstance(changes, Mapping) else message.get(name)
    if type(id) is not int:
        raise InvalidParams(f"`{name}` must be a whole number.", fieldErrors=[{"field": name, "message": "is missing"}])
    return id


def _member(message: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: message[name]} if name in message else {}


def _convert(changes: Any, type: type[T]) -> T:
    try:
        return msgspec.convert(changes, type)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"{error}.") from None
