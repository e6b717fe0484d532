"""Which tabs of one browser belong to which task, as action results and the plugin report it.

Not stored, because tab numbers are only valid while that browser runs.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.features.browser.bus.browser_view import BrowserView
from handrail.ports.browser import Actions, ClosedBy, ClosedTab
from handrail.ports.errors import WrongTab

_MAX_CLOSED = 200


class TaskTabs:
    def __init__(self, view: BrowserView) -> None:
        self._view = view
        self._owners: dict[int, str] = {}
        self._closed: dict[int, tuple[str, ClosedBy]] = {}

    def owner_of(self, tab_id: int) -> str | None:
        """The task that owns a tab, also if another tab of the task opened it."""
        seen: set[int] = set()
        tab: int | None = tab_id
        while tab is not None and tab not in seen:
            if tab in self._owners:
                return self._owners[tab]
            seen.add(tab)
            tab = self._view.opener_of(tab)
        return None

    def check(self, tab_id: int, task_id: str) -> None:
        """Raises WrongTab if it doesn't exist or belongs to another task, TabClosed if it was this task's."""
        owner = self.owner_of(tab_id)
        for closed in self.closed_of(task_id):
            if closed.tab_id == tab_id and owner is None:
                raise closed.failure()
        if owner == task_id or (owner is None and (not self._view.is_synced or self._view.has_tab(tab_id))):
            return
        raise WrongTab(
            f"Tab {tab_id} {'does not exist' if owner is None else 'belongs to another task'}.",
            hint="browser_tabs lists the tabs of this task; task_start opens one.",
            tabId=tab_id,
            taskId=task_id,
        )

    def learn_owner(self, task_id: str, result: Mapping[str, Any]) -> None:
        """Notes the tabs that an action used or opened, from its result."""
        changes = result.get("changes")
        for tab in (result.get("tabId"), changes.get("newTab") if isinstance(changes, Mapping) else None):
            if type(tab) is int:
                self._owners.setdefault(tab, task_id)

    def claim(self, task_id: str, tab_ids: Iterable[int]) -> bool:
        """Sets the owner as the plugin reports it, overriding action results. Returns whether that is a change."""
        claimed = dict.fromkeys(tab_ids, task_id)
        is_news = any(self._owners.get(tab_id) != task_id for tab_id in claimed)
        self._owners.update(claimed)
        return is_news

    def let_go(self, task_id: str) -> bool:
        """Returns the task's tabs to the person, because it has ended or moved. Returns whether it had any."""
        before = len(self._owners)
        self._owners = {tab: owner for tab, owner in self._owners.items() if owner != task_id}
        return len(self._owners) < before

    def closed_of(self, task_id: str) -> tuple[ClosedTab, ...]:
        return tuple(ClosedTab(tab_id=tab, by=by) for tab, (task, by) in self._closed.items() if task == task_id)

    def forget_closed(self) -> None:
        """Drops tabs that no longer exist: closed by the person, unless an action's result later differs."""
        if not self._view.is_synced:
            return
        for tab, task in [*self._owners.items()]:
            if not self._view.has_tab(tab):
                del self._owners[tab]
                self._note_closed(tab, task, "person")

    def learn_closed(self, task_id: str, actions: Actions, result: Mapping[str, Any]) -> None:
        """Notes that an action, or the page during it, has closed its tab."""
        changes = result.get("changes")
        is_pages = isinstance(changes, Mapping) and changes.get("closed") is True
        for name, params in actions.items():
            tab = params.get("tabId")
            if type(tab) is int and (name == "browser_tab_close" or is_pages):
                self._owners.pop(tab, None)
                self._note_closed(tab, task_id, "page" if is_pages else "agent")

    def _note_closed(self, tab_id: int, task_id: str, by: ClosedBy) -> None:
        self._closed.pop(tab_id, None)
        self._closed[tab_id] = task_id, by
        if len(self._closed) > _MAX_CLOSED:
            del self._closed[next(iter(self._closed))]
