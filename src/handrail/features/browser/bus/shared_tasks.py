"""Tasks that several servers know: what is stored counts, but for those that have something under way here."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from handrail.features.browser.bus.dispatcher import Dispatcher
from handrail.features.browser.bus.plugins import Plugins
from handrail.features.browser.bus.takeover import Takeover
from handrail.features.browser.bus.tasks import Now, Task, Tasks
from handrail.kernel import task_ids
from handrail.ports.browser import TaskRecord
from handrail.ports.errors import NotFound


class SharedTasks(Tasks):
    async def find(self, task_id: str) -> Task:
        record = await self._store.find(task_ids.validate_task_id(task_id))
        if record is None:
            raise NotFound(f"There is no task {task_id}.", taskId=task_id)
        return self.renew(record)

    async def find_or_make(self, task_id: str, title: str = "") -> Task:
        """`ensure`, as it is stored now."""
        task_ids.validate_task_id(task_id)
        record = await self._store.find(task_id)
        return await self.ensure(task_id, title) if record is None else self.renew(record)

    async def own_of(self, caller: str) -> Task:
        bound = await self._store.bound(caller)
        task = None if bound is None else await self.find_or_make(bound)
        if task is None or task.status == "completed":
            task = await self.ensure(task_ids.new_task_id(), caller.partition(":")[2] or caller)
            await self._store.bind(caller, task.id)
        return task

    def renew(self, record: TaskRecord) -> Task:
        task = self._use(record)
        if task.is_idle:
            task.follow(record)
        return task


Elsewhere = Callable[[str | None, Mapping[str, Any]], Awaitable[TaskRecord | None]]
"""What the server that holds a browser makes of what was said; None where this server is to do it."""


class SharedTakeover(Takeover):
    """A person's control of a task reaches the server that holds its browser."""

    def __init__(
        self, tasks: SharedTasks, plugins: Plugins, dispatcher: Dispatcher, now: Now, elsewhere: Elsewhere
    ) -> None:
        super().__init__(tasks, plugins, dispatcher, now)
        self._elsewhere = elsewhere

    async def take_over(self, task: Task, reason: str = "console") -> None:
        await self._steered(task, "take_over", reason)

    async def let_read(self, task: Task, is_allowed: bool) -> None:
        await self._steered(task, "let_read", is_allowed)

    async def hand_back(self, task: Task) -> None:
        await self._steered(task, "hand_back", None)

    async def stop(self, task: Task) -> None:
        await self._steered(task, "stop", None)

    async def move(self, task: Task, client_id: str) -> None:
        """What the previous browser has of the task ends there; the next action goes to the other one."""
        if task.client_id not in (None, client_id):
            await self._steered(task, "let_go", None)
        task.select(client_id)
        await self._tasks.save(task)
        self._plugins.listener.plugins_changed()
        self._plugins.listener.task_changed(task)

    async def steer(self, task: Task, verb: str, value: Any) -> None:
        """Here."""
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

    async def _steered(self, task: Task, verb: str, value: Any) -> None:
        said = {"task": msgspec.to_builtins(task.record), "control": verb, "value": value}
        record = await self._elsewhere(task.client_id, said)
        if record is None:
            await self.steer(task, verb, value)
        else:
            task.follow(record)
