"""The known browsers: which are connected and healthy, what each has open, and which one a new task gets."""

from asyncio import Future, gather
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus import numbered_elements
from handrail.features.browser.bus.action import Action, Exchange
from handrail.features.browser.bus.browser_view import BrowserView
from handrail.features.browser.bus.outcome import End, failed
from handrail.features.browser.bus.task_tabs import TaskTabs
from handrail.features.browser.bus.tasks import Now
from handrail.ports.agent import AgentTask
from handrail.ports.browser import BrowserState, PluginConnection, PluginRecord, Snapshot
from handrail.ports.browser_store import PluginStore
from handrail.ports.errors import Conflict, InvalidParams, Offline

STALE_AFTER_MS = 30_000
TIMEOUTS_TO_UNHEALTHY = 2
_RECONNECT_HINT = (
    "It connects automatically when that browser is open. To continue in another one, start again with task_start, "
    "or let the person move the task on the console's Browser page."
)


class Plugin:
    """One browser, connected or not. Its last state is kept while it is offline."""

    def __init__(self, record: PluginRecord) -> None:
        self.record = record
        self.view = BrowserView()
        self.connection: PluginConnection | None = None
        self.is_healthy = True
        self.exchanges: dict[str, Exchange] = {}
        self.tabs = TaskTabs(self.view)
        self.has_numbers = False
        """Whether it writes element ids as numbers."""
        self._timeouts = 0

    @property
    def client_id(self) -> str:
        return self.record.client_id

    @property
    def is_connected(self) -> bool:
        return self.connection is not None

    def require_connection(self) -> PluginConnection:
        if self.connection is None:
            raise Offline(
                f"The browser {self.client_id} is not connected.",
                hint=_RECONNECT_HINT,
                clientId=self.client_id,
            )
        if not self.is_healthy:
            raise Offline(
                f"The browser {self.client_id} isn't responding and must reconnect.",
                hint=f"Reload the extension if it doesn't reconnect automatically. {_RECONNECT_HINT}",
                clientId=self.client_id,
                reason="unhealthy",
            )
        return self.connection

    def record_answer(self, end: End) -> None:
        self._timeouts = 0
        self.has_numbers = numbered_elements.has_numbers(end.result, self.has_numbers)

    def record_timeout(self) -> bool:
        """Returns True if the plugin became unhealthy by this timeout; it stays so until it reconnects."""
        self._timeouts += 1
        if self._timeouts < TIMEOUTS_TO_UNHEALTHY or not self.is_healthy:
            return False
        self.is_healthy = False
        return True

    def connect(self, connection: PluginConnection) -> None:
        self.connection, self.is_healthy, self._timeouts = connection, True, 0

    def end_exchanges(self, why: str) -> None:
        for exchange in list(self.exchanges.values()):
            exchange.end(failed(Offline(why, clientId=self.client_id)))

    def state(self) -> BrowserState:
        """The browser's state, with the task that owns each tab."""
        state = self.view.state()
        tabs = (msgspec.structs.replace(tab, task_id=self.tabs.owner_of(tab.tab_id) or UNSET) for tab in state.tabs)
        return msgspec.structs.replace(state, tabs=tuple(tabs))

    def snapshot(self, now: int) -> Snapshot:
        age = max(0, now - self.view.last_updated)
        return Snapshot(
            **msgspec.structs.asdict(self.state()),
            connected=self.is_connected,
            age_ms=age,
            stale=not self.is_connected or age > STALE_AFTER_MS,
            client_id=self.client_id,
        )

    def current_record(self) -> PluginRecord:
        return msgspec.structs.replace(
            self.record, socket_connected=self.is_connected, healthy=self.is_connected and self.is_healthy
        )


class BusListener:
    """Receives the events of the bus. This base class ignores them."""

    def action_changed(self, action: Action, end: End | None) -> None: ...

    def task_changed(self, task: AgentTask, reason: str | None = None) -> None: ...

    def plugins_changed(self) -> None: ...

    def snapshot_changed(self, plugin: Plugin, what: str) -> None: ...


class Plugins:
    def __init__(self, store: PluginStore, now: Now) -> None:
        self.listener = BusListener()
        self._store = store
        self._now = now
        self._known: dict[str, Plugin] = {}
        self._last_selected: str | None = None

    def __iter__(self) -> Iterator[Plugin]:
        return iter(list(self._known.values()))

    async def load(self) -> None:
        for record in await self._store.all():
            self.get_or_add(record.client_id).record = record

    def find(self, client_id: str) -> Plugin | None:
        return self._known.get(client_id)

    def get_or_add(self, client_id: str) -> Plugin:
        """The plugin with this id, added if it is new."""
        if client_id not in self._known:
            self._known[client_id] = Plugin(PluginRecord(client_id=client_id))
        return self._known[client_id]

    def touch(self, client_id: str, **members: Any) -> Plugin:
        """Records that the plugin sent something."""
        plugin = self.get_or_add(client_id)
        plugin.record = msgspec.structs.replace(plugin.record, last_seen_at=self._now(), **members)
        return plugin

    def describe(self, client_id: str, **members: Any) -> Future[None]:
        """Updates the plugin's record. The future is done once it is stored."""
        plugin = self.touch(client_id, **members)
        stored = self._store.save(plugin.record)
        self.listener.plugins_changed()
        if plugin.view.is_synced:  # this may change which browser pages show
            self.listener.snapshot_changed(plugin, "presence")
        return stored

    def connect(self, client_id: str, connection: PluginConnection) -> Plugin:
        """Replaces an earlier connection. Raises Conflict if the plugin doesn't allow that."""
        plugin = self.get_or_add(client_id)
        if (before := plugin.connection) is not None:
            if not plugin.record.allow_other_client:
                raise Conflict(f"A plugin is already connected as {client_id}.", clientId=client_id)
            plugin.end_exchanges("The plugin connected again with another socket.")
            before.drop()
        plugin.connect(connection)
        self.describe(client_id)
        return plugin

    def disconnect(self, client_id: str, connection: PluginConnection) -> bool:
        """Returns False and does nothing if the plugin has another connection by now."""
        plugin = self._known.get(client_id)
        if plugin is None or plugin.connection is not connection:
            return False
        plugin.connection = None
        plugin.end_exchanges("The browser disconnected before the action ended.")
        self.describe(client_id)
        return True

    def drop(self, client_id: str) -> None:
        """Disconnects a plugin whose token is no longer valid."""
        if (plugin := self._known.get(client_id)) is not None and plugin.connection is not None:
            plugin.connection.drop()

    def change_tab(self, plugin: Plugin, message: Mapping[str, Any]) -> None:
        """Applies a `tab_event` of contract 2."""
        plugin.view.apply(message, self._now())
        if str(message["eventType"]).endswith("removed"):
            plugin.tabs.forget_closed()
        self.listener.snapshot_changed(plugin, str(message["eventType"]))

    def records(self) -> list[PluginRecord]:
        """All plugins, the most recently seen first."""
        preferred = self.preferred()
        records = (msgspec.structs.replace(one.current_record(), selected=one is preferred) for one in self)
        return sorted(records, key=lambda record: -record.last_seen_at)

    def require(self, client_id: str) -> Plugin:
        """Raises InvalidParams if there is no such plugin."""
        plugin = self._known.get(client_id)
        if plugin is None:
            raise InvalidParams(
                f"Unknown plugin {client_id!r}.",
                fieldErrors=[{"field": "clientId", "message": "isn't a known plugin's"}],
            )
        return plugin

    def select(self, client_id: str) -> None:
        self._last_selected = self.require(client_id).client_id

    async def choose_for_new_tasks(self, client_id: str) -> PluginRecord:
        """A person's choice, valid until the next one."""
        chosen = self.require(client_id)
        changed = [plugin for plugin in self if plugin.record.chosen != (plugin is chosen)]
        for plugin in changed:
            plugin.record = msgspec.structs.replace(plugin.record, chosen=plugin is chosen)
        await gather(*(self._store.save(plugin.record) for plugin in changed))
        self.listener.plugins_changed()
        return next(record for record in self.records() if record.client_id == client_id)

    def preferred(self) -> Plugin | None:
        """The connected plugin that was chosen, otherwise selected last, otherwise connected last."""
        connected = [plugin for plugin in self._known.values() if plugin.is_connected]
        candidates = connected or sorted(self._known.values(), key=lambda plugin: plugin.view.last_updated)
        for plugin in candidates:
            if plugin.record.chosen:
                return plugin
        last_selected = self._known.get(self._last_selected or "")
        return last_selected if last_selected in candidates else candidates[-1] if candidates else None

    def of_task(self, client_id: str | None, *, begins: bool) -> Plugin:
        """The task's plugin, since its tabs exist only there.

        A task that begins has no tabs yet, so it gets another plugin if its own isn't connected.
        """
        if client_id is None:
            return self.choose()
        plugin = self.get_or_add(client_id)
        other = self.preferred() if begins and not plugin.is_connected else None
        return plugin if other is None or not other.is_connected else other

    def choose(self) -> Plugin:
        plugin = self.preferred()
        if plugin is None or not plugin.is_connected:
            raise Offline(
                "No browser is connected.",
                hint="Install handrail's extension, pair it with this server, and keep the browser open.",
            )
        return plugin
