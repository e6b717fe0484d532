"""What plugins tell: they connect, describe themselves, and say what they have open and what a person did there."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from handrail.features.browser.bus.plugins import Plugin, Plugins
from handrail.features.browser.bus.takeover import BusListener, HeldTask, Takeover
from handrail.features.browser.bus.tasks import Now, Task, Tasks
from handrail.ports.browser import PluginLine, PluginRecord
from handrail.ports.browser_store import PluginStore
from handrail.ports.errors import InvalidParams


class PluginSessions:
    def __init__(self, plugins: Plugins, records: PluginStore, tasks: Tasks, takeover: Takeover, now: Now) -> None:
        self.listener: BusListener | None = None
        self._plugins = plugins
        self._records = records
        self._tasks = tasks
        self._takeover = takeover
        self._now = now

    async def load(self) -> None:
        for record in await self._records.all():
            self._plugins.describe(record)

    def connect(self, client_id: str, line: PluginLine) -> None:
        """Conflict: a plugin is connected under this id already, and does not allow another one."""
        plugin, before = self._plugins.connect(client_id, line)
        if before is not None:
            before.drop()
        self._seen(plugin)

    def disconnect(self, client_id: str, line: PluginLine) -> None:
        if (plugin := self._plugins.disconnect(client_id, line)) is not None:
            self._seen(plugin)

    def drop(self, client_id: str) -> None:
        """Sends a plugin away whose token counts no more."""
        plugin = self._plugins.find(client_id)
        if plugin is not None and plugin.line is not None:
            plugin.line.drop()

    def touch(self, client_id: str) -> Plugin:
        return self._describe(client_id)

    def describe(self, client_id: str, **members: Any) -> asyncio.Future[None]:
        """Can be awaited until it is stored."""
        return self._seen(self._describe(client_id, **members))

    async def choose(self, client_id: str) -> PluginRecord:
        """A person's choice of the browser for new tasks."""
        changed = self._plugins.choose_for_new_tasks(client_id)
        await asyncio.gather(*(self._records.save(plugin.record) for plugin in changed))
        if self.listener is not None:
            self.listener.plugins_changed()
        return next(record for record in self._plugins.told() if record.client_id == client_id)

    async def sync(self, plugin: Plugin, message: Mapping[str, Any], held: Sequence[HeldTask]) -> None:
        plugin.view.replace(message, self._now())
        plugin.tabs.forget_closed()
        await self._takeover.compare(plugin, held)
        self._snapshot_changed(plugin, "full_state_sync")

    def change_tab(self, plugin: Plugin, message: Mapping[str, Any]) -> None:
        plugin.view.apply(message, self._now())
        if str(message["eventType"]).endswith("removed"):
            plugin.tabs.forget_closed()
        self._snapshot_changed(plugin, str(message["eventType"]))

    async def take_over(self, plugin: Plugin, task_id: str, reason: str, *, is_repeated: bool) -> None:
        """Said again, it may have been handed back here since: then the plugin hears that."""
        task = await self._task(plugin, task_id)
        if is_repeated and task.status != "takeover":
            self._takeover.tell_plugin(task)
        else:
            await self._takeover.take_over(task, reason)

    async def hand_back(self, plugin: Plugin, task_id: str) -> None:
        await self._takeover.hand_back(await self._task(plugin, task_id))

    async def stop(self, plugin: Plugin, task_id: str) -> None:
        await self._takeover.stop(await self._task(plugin, task_id))

    async def _task(self, plugin: Plugin, task_id: str) -> Task:
        task = await self._tasks.find(task_id)
        if task.client_id != plugin.client_id:
            raise InvalidParams("The task is another plugin's.")
        return task

    def _describe(self, client_id: str, **members: Any) -> Plugin:
        plugin = self._plugins.known(client_id)
        plugin.record = msgspec.structs.replace(plugin.record, last_seen_at=self._now(), **members)
        return plugin

    def _seen(self, plugin: Plugin) -> asyncio.Future[None]:
        self._describe(plugin.client_id)
        stored = self._records.save(plugin.record)
        if self.listener is not None:
            self.listener.plugins_changed()
        if plugin.view.is_known:  # another browser may be the one that is shown now
            self._snapshot_changed(plugin, "presence")
        return stored

    def _snapshot_changed(self, plugin: Plugin, what: str) -> None:
        if self.listener is not None:
            self.listener.snapshot_changed(plugin, what)
