"""Which of one browser's tabs belong to which task: as actions told, and as the plugin says itself.

Numbers of tabs mean something only while that browser runs, so nothing of this is stored.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.features.browser.bus.browser_view import BrowserView
from handrail.ports.errors import WrongTab


class TaskTabs:
    def __init__(self, view: BrowserView) -> None:
        self._view = view
        self._owners: dict[int, str] = {}

    def owner_of(self, tab_id: int) -> str | None:
        """A tab that a task's tab has opened is the task's as well."""
        seen: set[int] = set()
        tab: int | None = tab_id
        while tab is not None and tab not in seen:
            if tab in self._owners:
                return self._owners[tab]
            seen.add(tab)
            tab = self._view.opener_of(tab)
        return None

    def check(self, tab_id: int, task_id: str) -> None:
        """WrongTab: it is not there, or another task's."""
        owner = self.owner_of(tab_id)
        if owner == task_id or (owner is None and (not self._view.is_known or self._view.has_tab(tab_id))):
            return
        raise WrongTab(
            f"Tab {tab_id} is {'not there' if owner is None else 'the tab of another task'}.",
            hint="browser_tabs lists the tabs of this task; task_start opens one.",
            tabId=tab_id,
            taskId=task_id,
        )

    def learn(self, task_id: str, result: Mapping[str, Any]) -> None:
        """From an action's result: the tab that it was about or opened."""
        changes = result.get("changes")
        found = (result.get("tabId"), changes.get("newTab") if isinstance(changes, Mapping) else None)
        for tab in found:
            if type(tab) is int:
                self._owners.setdefault(tab, task_id)

    def claim(self, task_id: str, tab_ids: Iterable[int]) -> bool:
        """What the plugin itself says of its tabs counts more than what was concluded here. True: it is news."""
        claimed = dict.fromkeys(tab_ids, task_id)
        is_news = any(self._owners.get(tab_id) != task_id for tab_id in claimed)
        self._owners.update(claimed)
        return is_news

    def let_go(self, task_id: str) -> bool:
        """The task is over, or goes on elsewhere: its tabs are the person's again."""
        before = len(self._owners)
        self._owners = {tab: owner for tab, owner in self._owners.items() if owner != task_id}
        return len(self._owners) < before

    def forget_closed(self) -> None:
        if self._view.is_known:
            self._owners = {tab: owner for tab, owner in self._owners.items() if self._view.has_tab(tab)}
