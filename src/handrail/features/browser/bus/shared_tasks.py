"""Tasks that several servers share: always loaded from the store, except while something runs here."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from handrail.features.browser.bus.dispatcher import Dispatcher
from handrail.features.browser.bus.plugins import Plugins
from handrail.features.browser.bus.takeover import Takeover
from handrail.features.browser.bus.tasks import Now, Task, Tasks, title_of
from handrail.kernel import task_ids
from handrail.ports.browser import TaskRecord
from handrail.ports.errors import NotFound


class SharedTasks(Tasks):
    async def find(self, task_id: str) -> Task:
        record = await self._store.find(task_ids.validate_task_id(task_id))
        if record is None:
            raise NotFound(f"There is no task {task_id}.", taskId=task_id)
        return self.refresh(record)

    async def find_or_create(self, task_id: str, title: str = "") -> Task:
        """Like `ensure`, but with the state in the store."""
        task_ids.validate_task_id(task_id)
        record = await self._store.find(task_id)
        return await self.ensure(task_id, title) if record is None else self.refresh(record)

    async def own_of(self, caller: str) -> Task:
        bound = await self._store.bound(caller)
        task = None if bound is None else await self.find_or_create(bound)
        if task is None or task.status == "completed":
            task = await self.ensure(task_ids.new_task_id(), title_of(caller))
            await self._store.bind(caller, task.id)
        return task

    def refresh(self, record: TaskRecord) -> Task:
        task = self._add(record)
        if task.is_idle:
            task.update_from(record)
        return task


SteerRemotely = Callable[[str | None, Mapping[str, Any]], Awaitable[TaskRecord | None]]
"""Has a browser's server change a task and returns it; None if this server has to do that."""


class SharedTakeover(Takeover):
    """Forwards a person's control of a task to the server that its browser is connected to."""

    def __init__(
        self, tasks: SharedTasks, plugins: Plugins, dispatcher: Dispatcher, now: Now, steer_remotely: SteerRemotely
    ) -> None:
        super().__init__(tasks, plugins, dispatcher, now)
        self._steer_remotely = steer_remotely

    async def take_over(self, task: Task, reason: str = "console") -> None:
        await self._steer_anywhere(task, "take_over", reason)

    async def let_read(self, task: Task, is_allowed: bool) -> None:
        await self._steer_anywhere(task, "let_read", is_allowed)

    async def hand_back(self, task: Task) -> None:
        await self._steer_anywhere(task, "hand_back", None)

    async def stop(self, task: Task) -> None:
        await self._steer_anywhere(task, "stop", None)

    async def move(self, task: Task, client_id: str) -> None:
        """Ends the task's actions in the previous browser; the next one goes to the other browser."""
        if task.client_id not in (None, client_id):
            await self._steer_anywhere(task, "let_go", None)
        task.select(client_id)
        await self._tasks.save(task)
        self._plugins.listener.plugins_changed()
        self._plugins.listener.task_changed(task)

    async def steer(self, task: Task, verb: str, value: Any) -> None:
        """Changes a task on this server."""
        if verb == "take_over":
            await super().take_over(task, value)
        elif verb == "let_read":
            await super().let_read(task, value)
        elif verb == "hand_back":
            await super().hand_back(task)
        elif verb == "stop":
            await super().stop(task)
        elif verb == "let_go":
            self.let_go(task)

    async def _steer_anywhere(self, task: Task, verb: str, value: Any) -> None:
        params = {"task": msgspec.to_builtins(task.record), "control": verb, "value": value}
        record = await self._steer_remotely(task.client_id, params)
        if record is None:
            await self.steer(task, verb, value)
        else:
            task.update_from(record)
