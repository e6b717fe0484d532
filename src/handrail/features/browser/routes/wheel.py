"""A person's hand on a task, from the console or from the browser itself: the other one and all pages hear of it.

An addition to the contract is the message `task_status` to a plugin. Who does not know it loses nothing: no work comes
while a task is taken over, and none of a task that is over.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import msgspec

from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.tasks import Task
from handrail.features.browser.routes.messages import new_id
from handrail.features.browser.routes.news import News
from handrail.ports.browser import PROTOCOL, TaskStatus, Wire
from handrail.ports.errors import Failure, InvalidParams, NotFound


class HeldTask(Wire, frozen=True, kw_only=True):
    """A task as a plugin has it: `tasks` of its `full_state_sync`, an addition to the contract."""

    task_id: str
    status: Literal["running", "takeover"]
    tab_ids: tuple[int, ...] = ()


def held_tasks(message: Mapping[str, Any]) -> Sequence[HeldTask]:
    try:
        return msgspec.convert(message.get("tasks", ()), tuple[HeldTask, ...])
    except msgspec.ValidationError as error:
        raise InvalidParams(f"`tasks`: {error}.") from None


StopAgent = Callable[[str], Awaitable[None]]


async def _nobody_at_work(task_id: str) -> None:
    """Where no agent of our own is."""


class Wheel:
    def __init__(self, bus: LocalBus, news: News) -> None:
        self._bus = bus
        self._news = news
        self._telling: set[asyncio.Task[None]] = set()
        self.stop_agent: StopAgent = _nobody_at_work

    async def take_over(self, task: Task, reason: str) -> None:
        await self._bus.take_over(task)
        self._changed(task, reason)

    async def hand_back(self, task: Task) -> None:
        await self._bus.hand_back(task)
        self._changed(task)

    async def stop(self, task: Task) -> None:
        await self.stop_agent(task.id)
        await self._bus.stop(task)
        self._changed(task)
        self._windows_changed(task.client_id)

    async def move(self, task: Task, client_id: str) -> None:
        """To another browser; in the one before, it is over."""
        before = task.client_id
        await self._bus.select(task, client_id)
        self._news.plugins_changed()
        self._news.task_changed(task)
        if before is not None and before != client_id:
            self._tell(before, task.id, "completed")
            self._windows_changed(before)

    async def compare(self, plugin: Plugin, held: Sequence[HeldTask]) -> None:
        """What the plugin has is marked as such; where it is mistaken about a task, it is told."""
        for one in held:
            task = await self._known(one.task_id)
            if task is None or task.client_id != plugin.client_id or task.record.status == "completed":
                plugin.tabs.let_go(one.task_id)
                self._tell(plugin.client_id, one.task_id, "completed")
                continue
            plugin.tabs.claim(task.id, one.tab_ids)
            if (one.status == "takeover") != (task.record.status == "takeover"):
                self.tell(task)

    def tell(self, task: Task) -> None:
        if task.client_id is not None:
            self._tell(task.client_id, task.id, task.record.status)

    async def _known(self, task_id: str) -> Task | None:
        try:
            return await self._bus.tasks.find(task_id)
        except (NotFound, InvalidParams):
            return None

    def _changed(self, task: Task, reason: str | None = None) -> None:
        self._news.task_changed(task, reason)
        self.tell(task)

    def _windows_changed(self, client_id: str | None) -> None:
        plugin = None if client_id is None else self._bus.plugins.find(client_id)
        if plugin is not None:
            self._news.snapshot_changed(plugin, "tabs of a task")

    def _tell(self, client_id: str, task_id: str, status: TaskStatus) -> None:
        plugin = self._bus.plugins.find(client_id)
        if plugin is None or plugin.line is None:
            return  # it is told once it is back
        head = {"v": PROTOCOL, "type": "task_status", "id": new_id("status"), "taskId": task_id}
        message = {**head, "clientId": client_id, "status": status, "timestamp": self._bus.now()}

        async def send() -> None:
            with suppress(Failure):
                if plugin.line is not None:
                    await plugin.line.send(message, lambda _: None)

        telling = asyncio.get_running_loop().create_task(send())
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)
