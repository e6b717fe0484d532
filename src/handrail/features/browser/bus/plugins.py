"""The browsers that are connected: who is there, who is well, what each one has open, and whom a new task gets."""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus.action import Exchange
from handrail.features.browser.bus.browser_view import BrowserView
from handrail.features.browser.bus.outcome import failed
from handrail.features.browser.bus.task_tabs import TaskTabs
from handrail.ports.browser import BrowserState, PluginLine, PluginRecord, Snapshot
from handrail.ports.errors import Conflict, InvalidParams, Offline

STALE_AFTER_MS = 30_000
TIMEOUTS_TO_UNHEALTHY = 2
_GO_ON = (
    "It connects by itself when that browser is open. To go on in another one, begin anew with task_start, "
    "or let the person move the task on the console's Browser page."
)


class Plugin:
    """One browser, connected or not. What it had open stays known while it is away."""

    def __init__(self, record: PluginRecord) -> None:
        self.record = record
        self.view = BrowserView()
        self.line: PluginLine | None = None
        self.is_healthy = True
        self.exchanges: dict[str, Exchange] = {}
        self.tabs = TaskTabs(self.view)
        self._timeouts = 0

    @property
    def client_id(self) -> str:
        return self.record.client_id

    def open_line(self) -> PluginLine:
        if self.line is None:
            raise Offline(
                f"The browser {self.client_id} is not connected.",
                hint=_GO_ON,
                clientId=self.client_id,
            )
        if not self.is_healthy:
            raise Offline(
                f"The browser {self.client_id} no longer answers and must connect again.",
                hint=f"Reload the extension when it does not come back by itself. {_GO_ON}",
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

    def state(self) -> BrowserState:
        """What is open, with whose each tab is."""
        state = self.view.state()
        tabs = (msgspec.structs.replace(tab, task_id=self.tabs.owner_of(tab.tab_id) or UNSET) for tab in state.tabs)
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

    def named(self, client_id: str) -> Plugin:
        """InvalidParams: there is none."""
        plugin = self._known.get(client_id)
        if plugin is None:
            raise InvalidParams(
                f"No plugin {client_id!r} is known.",
                fieldErrors=[{"field": "clientId", "message": "is no known plugin's"}],
            )
        return plugin

    def select(self, client_id: str) -> None:
        self._last_selected = self.named(client_id).client_id

    def choose_for_new_tasks(self, client_id: str) -> list[Plugin]:
        """A person's word, which stands until the next one. The plugins whose records have changed."""
        chosen = self.named(client_id)
        changed = [plugin for plugin in self if plugin.record.chosen != (plugin is chosen)]
        for plugin in changed:
            plugin.record = msgspec.structs.replace(plugin.record, chosen=plugin is chosen)
        return changed

    def preferred(self) -> Plugin | None:
        """Of those that are there the chosen one, or else the last selected, or else the last that connected."""
        there = [plugin for plugin in self._known.values() if plugin.line is not None]
        among = there or sorted(self._known.values(), key=lambda plugin: plugin.view.last_updated)
        for plugin in among:
            if plugin.record.chosen:
                return plugin
        last_selected = self._known.get(self._last_selected or "")
        return last_selected if last_selected in among else among[-1] if among else None

    def of_task(self, client_id: str | None, *, begins: bool) -> Plugin:
        """The one that was selected for the task: its tabs are there and nowhere else.

        A task that begins has no tabs yet, and does not wait for a browser that is away while another one is there.
        """
        if client_id is None:
            return self.choose()
        plugin = self.known(client_id)
        other = self.preferred() if begins and plugin.line is None else None
        return plugin if other is None or other.line is None else other

    def choose(self) -> Plugin:
        plugin = self.preferred()
        if plugin is None or plugin.line is None:
            raise Offline(
                "No browser is connected.",
                hint="Install handrail's extension, pair it with this server, and keep the browser open.",
            )
        return plugin
