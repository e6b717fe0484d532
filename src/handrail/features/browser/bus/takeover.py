"""A person's control of a task: take over, hand back, stop or move it, in the console or in the browser itself.

The plugin is notified by `task_status`, an addition to the contract. Plugins that don't know it get no actions either
while a task is taken over or after it has ended.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from handrail.features.browser.bus.dispatcher import Dispatcher
from handrail.features.browser.bus.plugins import Plugin, Plugins
from handrail.features.browser.bus.tasks import Now, Task, Tasks
from handrail.ports.browser import PROTOCOL, TaskStatus, Wire
from handrail.ports.errors import Failure, InvalidParams, NotFound


class PluginTask(Wire, frozen=True, kw_only=True):
    """A task as a plugin reports it: `tasks` of a `full_state_sync`, an addition to the contract."""

    task_id: str
    status: Literal["running", "takeover"]
    tab_ids: tuple[int, ...] = ()


async def _do_nothing(task_id: str) -> None:
    """The default, for a server without an agent or grants."""


class Takeover:
    """`stop_agent` stops the agent that works on a task, `end_grants` ends the permissions for it."""

    def __init__(self, tasks: Tasks, plugins: Plugins, dispatcher: Dispatcher, now: Now) -> None:
        self.stop_agent: Callable[[str], Awaitable[None]] = _do_nothing
        self.end_grants: Callable[[str], Awaitable[None]] = _do_nothing
        self._tasks = tasks
        self._plugins = plugins
        self._dispatcher = dispatcher
        self._now = now
        self._notifying: set[asyncio.Task[None]] = set()

    async def take_over(self, task: Task, reason: str = "console") -> None:
        """Until the task is handed back, no more actions are sent, except reads that the person allows."""
        task.take_over()
        await self._changed(task, reason)

    async def let_read(self, task: Task, is_allowed: bool) -> None:
        """Sets whether actions that only read continue in a task that a person has taken over."""
        task.let_read(is_allowed)
        await self._changed(task)

    async def hand_back(self, task: Task) -> None:
        task.hand_back()
        await self._changed(task)

    async def stop(self, task: Task) -> None:
        """Ends all waiting and running actions; no more are started."""
        await self.end_grants(task.id)
        await self.stop_agent(task.id)
        self._dispatcher.stop(task, "The task was stopped.")
        self._release_tabs(task.client_id, task.id)
        task.stop()
        await self._changed(task)
        self._report_tabs(task.client_id)

    async def select(self, task: Task, client_id: str) -> None:
        """Moves the task to this browser and ends its actions in another one."""
        self._plugins.select(client_id)
        if task.client_id not in (None, client_id):
            self.let_go(task)
        task.select(client_id)
        await self._tasks.save(task)

    def let_go(self, task: Task) -> None:
        """Ends the task's actions in its browser and releases its tabs."""
        self._dispatcher.stop(task, "The task continues in another browser.")
        self._release_tabs(task.client_id, task.id)

    async def move(self, task: Task, client_id: str) -> None:
        """Moves the task to another browser and ends it in the previous one."""
        before = task.client_id
        await self.select(task, client_id)
        self._plugins.listener.plugins_changed()
        self._plugins.listener.task_changed(task)
        if before is not None and before != client_id:
            self._send(before, task.id, "completed")
            self._report_tabs(before)

    async def task_of_plugin(self, plugin: Plugin, task_id: str) -> Task:
        """The task that a person controls in this browser. Raises InvalidParams if it is in another one."""
        task = await self._tasks.find(task_id)
        if task.client_id != plugin.client_id:
            raise InvalidParams("The task belongs to another plugin.")
        return task

    async def sync(self, plugin: Plugin, message: Mapping[str, Any], reported: Sequence[PluginTask]) -> None:
        """Applies a `full_state_sync` of contract 2, and corrects the plugin if it has a task's state wrong."""
        plugin.view.replace(message, self._now())
        plugin.tabs.forget_closed()
        for one in reported:
            task = await self._find(one.task_id)
            if task is None or task.client_id != plugin.client_id or task.status == "completed":
                plugin.tabs.let_go(one.task_id)
                self._send(plugin.client_id, one.task_id, "completed")
                continue
            plugin.tabs.claim(task.id, one.tab_ids)
            if (one.status == "takeover") != (task.status == "takeover"):
                self.notify_plugin(task)
        self._plugins.listener.snapshot_changed(plugin, "full_state_sync")

    def notify_plugin(self, task: Task) -> None:
        if task.client_id is not None:
            self._send(task.client_id, task.id, task.status, reading=task.record.reading is True)

    async def _find(self, task_id: str) -> Task | None:
        try:
            return await self._tasks.find(task_id)
        except (NotFound, InvalidParams):
            return None

    async def _changed(self, task: Task, reason: str | None = None) -> None:
        await self._tasks.save(task)
        self._plugins.listener.task_changed(task, reason)
        self.notify_plugin(task)

    def _release_tabs(self, client_id: str | None, task_id: str) -> None:
        if client_id is not None and (plugin := self._plugins.find(client_id)) is not None:
            plugin.tabs.let_go(task_id)

    def _report_tabs(self, client_id: str | None) -> None:
        plugin = None if client_id is None else self._plugins.find(client_id)
        if plugin is not None:
            self._plugins.listener.snapshot_changed(plugin, "tabs of a task")

    def _send(self, client_id: str, task_id: str, status: TaskStatus, *, reading: bool = False) -> None:
        plugin = self._plugins.find(client_id)
        if plugin is None or plugin.connection is None:
            return  # it gets the status when it reconnects
        head = {"v": PROTOCOL, "type": "task_status", "id": f"status-{secrets.token_hex(8)}", "taskId": task_id}
        message = {**head, "clientId": client_id, "status": status, "timestamp": self._now()}
        if reading:
            message["reading"] = True

        async def send() -> None:
            with suppress(Failure):
                if plugin.connection is not None:
                    await plugin.connection.send(message, lambda _: None)

        sending = asyncio.get_running_loop().create_task(send())
        self._notifying.add(sending)
        sending.add_done_callback(self._notifying.discard)
