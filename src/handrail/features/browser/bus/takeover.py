"""A person's control of a task: taken over, handed back, stopped or moved, in the console or in the browser itself.

The plugin is notified by `task_status`, an addition to the contract. A plugin that doesn't know that message still gets
no work while a task is taken over or after it has ended.
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


class HeldTask(Wire, frozen=True, kw_only=True):
    """A task as a plugin has it: `tasks` in its `full_state_sync`, an addition to the contract."""

    task_id: str
    status: Literal["running", "takeover"]
    tab_ids: tuple[int, ...] = ()


async def _nothing_to_do(task_id: str) -> None:
    """Where there is no agent, or nothing is allowed for a task."""


class Takeover:
    """`stop_agent` stops the agent that works on a task, `end_grants` ends what was allowed for it."""

    def __init__(self, tasks: Tasks, plugins: Plugins, dispatcher: Dispatcher, now: Now) -> None:
        self.stop_agent: Callable[[str], Awaitable[None]] = _nothing_to_do
        self.end_grants: Callable[[str], Awaitable[None]] = _nothing_to_do
        self._tasks = tasks
        self._plugins = plugins
        self._dispatcher = dispatcher
        self._now = now
        self._telling: set[asyncio.Task[None]] = set()

    async def take_over(self, task: Task, reason: str = "console") -> None:
        """Until the task is handed back, sends nothing more but what the person lets it read."""
        task.take_over()
        await self._changed(task, reason)

    async def let_read(self, task: Task, is_allowed: bool) -> None:
        """Whether what only reads continues in a task that a person has taken over."""
        task.let_read(is_allowed)
        await self._changed(task)

    async def hand_back(self, task: Task) -> None:
        task.hand_back()
        await self._changed(task)

    async def stop(self, task: Task) -> None:
        """Ends everything that waits or runs; nothing more starts."""
        await self.end_grants(task.id)
        await self.stop_agent(task.id)
        self._dispatcher.stop(task, "The task was stopped.")
        self._let_go(task.client_id, task.id)
        task.stop()
        await self._changed(task)
        self._windows_changed(task.client_id)

    async def select(self, task: Task, client_id: str) -> None:
        """Moves the task to this browser; what waits or runs in another one ends."""
        self._plugins.select(client_id)
        if task.client_id not in (None, client_id):
            self.let_go(task)
        task.select(client_id)
        await self._tasks.save(task)

    def let_go(self, task: Task) -> None:
        """What waits or runs in its browser ends."""
        self._dispatcher.stop(task, "The task continues in another browser.")
        self._let_go(task.client_id, task.id)

    async def move(self, task: Task, client_id: str) -> None:
        """Moves the task to another browser and ends it in the previous one."""
        before = task.client_id
        await self.select(task, client_id)
        self._plugins.listener.plugins_changed()
        self._plugins.listener.task_changed(task)
        if before is not None and before != client_id:
            self._send(before, task.id, "completed")
            self._windows_changed(before)

    async def of_plugin(self, plugin: Plugin, task_id: str) -> Task:
        """The task that the plugin's person controls. InvalidParams if it is another plugin's."""
        task = await self._tasks.find(task_id)
        if task.client_id != plugin.client_id:
            raise InvalidParams("The task is another plugin's.")
        return task

    async def sync(self, plugin: Plugin, message: Mapping[str, Any], held: Sequence[HeldTask]) -> None:
        """`full_state_sync` of contract 2. Corrects the plugin if it is wrong about a task."""
        plugin.view.replace(message, self._now())
        plugin.tabs.forget_closed()
        for one in held:
            task = await self._known(one.task_id)
            if task is None or task.client_id != plugin.client_id or task.status == "completed":
                plugin.tabs.let_go(one.task_id)
                self._send(plugin.client_id, one.task_id, "completed")
                continue
            plugin.tabs.claim(task.id, one.tab_ids)
            if (one.status == "takeover") != (task.status == "takeover"):
                self.tell_plugin(task)
        self._plugins.listener.snapshot_changed(plugin, "full_state_sync")

    def tell_plugin(self, task: Task) -> None:
        if task.client_id is not None:
            self._send(task.client_id, task.id, task.status, reading=task.record.reading is True)

    async def _known(self, task_id: str) -> Task | None:
        try:
            return await self._tasks.find(task_id)
        except (NotFound, InvalidParams):
            return None

    async def _changed(self, task: Task, reason: str | None = None) -> None:
        await self._tasks.save(task)
        self._plugins.listener.task_changed(task, reason)
        self.tell_plugin(task)

    def _let_go(self, client_id: str | None, task_id: str) -> None:
        if client_id is not None and (plugin := self._plugins.find(client_id)) is not None:
            plugin.tabs.let_go(task_id)

    def _windows_changed(self, client_id: str | None) -> None:
        plugin = None if client_id is None else self._plugins.find(client_id)
        if plugin is not None:
            self._plugins.listener.snapshot_changed(plugin, "tabs of a task")

    def _send(self, client_id: str, task_id: str, status: TaskStatus, *, reading: bool = False) -> None:
        plugin = self._plugins.find(client_id)
        if plugin is None or plugin.connection is None:
            return  # it is told once it is back
        head = {"v": PROTOCOL, "type": "task_status", "id": f"status-{secrets.token_hex(8)}", "taskId": task_id}
        message = {**head, "clientId": client_id, "status": status, "timestamp": self._now()}
        if reading:
            message["reading"] = True

        async def send() -> None:
            with suppress(Failure):
                if plugin.connection is not None:
                    await plugin.connection.send(message, lambda _: None)

        telling = asyncio.get_running_loop().create_task(send())
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)
