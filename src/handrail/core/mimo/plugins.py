"""The browsers that are connected: who is there, who is well, what each one has open, and whom a new task gets."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.contract.browser import BrowserState, PluginLine, PluginRecord, Snapshot
from handrail.contract.errors import Conflict, InvalidParams, Offline, WrongTab
from handrail.core.mimo.action import Exchange
from handrail.core.mimo.browser_view import BrowserView
from handrail.core.mimo.outcome import failed

STALE_AFTER_MS = 30_000
TIMEOUTS_TO_UNHEALTHY = 2


class Plugin:
    """One browser, connected or not. What it had open stays known while it is away."""

    def __init__(self, record: PluginRecord) -> None:
        self.record = record
        self.view = BrowserView()
        self.line: PluginLine | None = None
        self.is_healthy = True
        self.exchanges: dict[str, Exchange] = {}
        self.tabs: dict[int, str] = {}
        """Which task a tab belongs to, as far as it was told here."""
        self._timeouts = 0

    @property
    def client_id(self) -> str:
        return self.record.client_id

    def open_line(self) -> PluginLine:
        if self.line is None:
            raise Offline(
                f"The browser {self.client_id} is not connected.",
                hint="Open the browser that has the extension; it connects by itself.",
                clientId=self.client_id,
            )
        if not self.is_healthy:
            raise Offline(
                f"The browser {self.client_id} no longer answers and must connect again.",
                hint="Reload the extension when it does not come back by itself.",
                clientId=self.client_id,
                reason="unhealthy",
            )
        return self.line

    def note_answer(self) -> None:
        self._timeouts = 0

    def note_timeout(self) -> bool:
        """True when it is one too many: then the plugin is not well until it connects again."""
        self._timeouts += 1
        if self._timeouts < TIMEOUTS_TO_UNHEALTHY or not self.is_healthy:
            return False
        self.is_healthy = False
        return True

    def connect(self, line: PluginLine) -> None:
        self.line, self.is_healthy, self._timeouts = line, True, 0

    def end_exchanges(self, why: str) -> None:
        for exchange in list(self.exchanges.values()):
            exchange.end(failed(Offline(why, clientId=self.client_id)))

    def check_tab(self, tab_id: int, task_id: str) -> None:
        owner = self._owner(tab_id)
        if owner == task_id or (owner is None and (not self.view.is_known or self.view.has_tab(tab_id))):
            return
        raise WrongTab(
            f"Tab {tab_id} is {'not there' if owner is None else 'the tab of another task'}.",
            hint="browser_tabs lists the tabs of this task; task_start opens one.",
            tabId=tab_id,
            taskId=task_id,
        )

    def learn_tabs(self, task_id: str, result: Mapping[str, Any]) -> None:
        """The tab that an action opened belongs to its task, and so do those that such a tab opens."""
        changes = result.get("changes")
        found = (result.get("tabId"), changes.get("newTab") if isinstance(changes, Mapping) else None)
        for tab in found:
            if type(tab) is int:
                self.tabs.setdefault(tab, task_id)

    def forget_closed_tabs(self) -> None:
        if self.view.is_known:
            self.tabs = {tab: task for tab, task in self.tabs.items() if self.view.has_tab(tab)}

    def _owner(self, tab_id: int) -> str | None:
        seen: set[int] = set()
        tab: int | None = tab_id
        while tab is not None and tab not in seen:
            if tab in self.tabs:
                return self.tabs[tab]
            seen.add(tab)
            tab = self.view.opener_of(tab)
        return None

    def state(self) -> BrowserState:
        """What is open, with whose each tab is."""
        state = self.view.state()
        tabs = (msgspec.structs.replace(tab, task_id=self._owner(tab.tab_id) or UNSET) for tab in state.tabs)
        return msgspec.structs.replace(state, tabs=tuple(tabs))

    def snapshot(self, now: int) -> Snapshot:
        age = max(0, now - self.view.last_updated)
        is_connected = self.line is not None
        return Snapshot(
            **msgspec.structs.asdict(self.state()),
            connected=is_connected,
            age_ms=age,
            stale=not is_connected or age > STALE_AFTER_MS,
            client_id=self.client_id,
        )

    def told(self) -> PluginRecord:
        return msgspec.structs.replace(
            self.record, socket_connected=self.line is not None, healthy=self.line is not None and self.is_healthy
        )


class Plugins:
    def __init__(self) -> None:
        self._known: dict[str, Plugin] = {}
        self._last_selected: str | None = None

    def __iter__(self) -> Iterator[Plugin]:
        return iter(list(self._known.values()))

    def find(self, client_id: str) -> Plugin | None:
        return self._known.get(client_id)

    def known(self, client_id: str) -> Plugin:
        """The plugin, which is remembered from now on where it is new."""
        if client_id not in self._known:
            self._known[client_id] = Plugin(PluginRecord(client_id=client_id))
        return self._known[client_id]

    def describe(self, record: PluginRecord) -> Plugin:
        plugin = self.known(record.client_id)
        plugin.record = record
        return plugin

    def connect(self, client_id: str, line: PluginLine) -> tuple[Plugin, PluginLine | None]:
        """The plugin, and the line that this one takes the place of. Conflict: it is there already, and wants it so."""
        plugin = self.known(client_id)
        before = plugin.line
        if before is not None and not plugin.record.allow_other_client:
            raise Conflict(f"A plugin is connected as {client_id} already.", clientId=client_id)
        if before is not None:
            plugin.end_exchanges("Another socket took this plugin's place.")
        plugin.connect(line)
        return plugin, before

    def disconnect(self, client_id: str, line: PluginLine) -> Plugin | None:
        """None when that line is no longer the plugin's."""
        plugin = self._known.get(client_id)
        if plugin is None or plugin.line is not line:
            return None
        plugin.line = None
        plugin.end_exchanges("The browser disconnected before the action had ended.")
        return plugin

    def told(self) -> list[PluginRecord]:
        """The last seen first."""
        preferred = self.preferred()
        records = (msgspec.structs.replace(one.told(), selected=one is preferred) for one in self)
        return sorted(records, key=lambda record: -record.last_seen_at)

    def select(self, client_id: str) -> None:
        if client_id not in self._known:
            raise InvalidParams(
                f"No plugin {client_id!r} is known.",
                fieldErrors=[{"field": "clientId", "message": "is no known plugin's"}],
            )
        self._last_selected = client_id

    def preferred(self) -> Plugin | None:
        """The only one that is there, or else the last selected, or else the last that connected."""
        there = [plugin for plugin in self._known.values() if plugin.line is not None]
        if len(there) == 1:
            return there[0]
        if self._last_selected is not None:
            return self._known[self._last_selected]
        if there:
            return there[-1]
        return max(self._known.values(), key=lambda plugin: plugin.view.last_updated, default=None)

    def choose(self) -> Plugin:
        plugin = self.preferred()
        if plugin is None or plugin.line is None:
            raise Offline(
                "No browser is connected.",
                hint="Install handrail's extension, pair it with this server, and keep the browser open.",
            )
        return plugin
