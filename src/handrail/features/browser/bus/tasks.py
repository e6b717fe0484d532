"""The tasks: made once, however often they are named; paused while a person has taken over; over when stopped."""

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus import task_ids
from handrail.ports.browser import Message, TaskRecord, TaskStatus
from handrail.ports.browser_store import TaskStore
from handrail.ports.errors import Conflict, NotFound

_TITLE_LENGTH = 80

Now = Callable[[], int]


def milliseconds() -> int:
    return int(time.time() * 1000)


class Task:
    """A task that is in use. `is_free` is clear while a person has it."""

    def __init__(self, record: TaskRecord) -> None:
        self.record = record
        self.is_free = asyncio.Event()
        self.running = 0
        if record.status != "takeover":
            self.is_free.set()

    @property
    def id(self) -> str:
        return self.record.task_id

    @property
    def client_id(self) -> str | None:
        return None if self.record.selected_client_id is UNSET else self.record.selected_client_id

    def become(self, status: TaskStatus, now: int) -> TaskRecord:
        self.record = msgspec.structs.replace(self.record, status=status, updated_at=now)
        self.is_free.set() if status != "takeover" else self.is_free.clear()
        return self.record

    def check_is_open(self) -> None:
        if self.record.status == "completed":
            raise Conflict(
                f"The task {self.id} is over.",
                hint="task_start begins it again; without a task a new one is begun.",
                taskId=self.id,
                status="completed",
            )


class Tasks:
    def __init__(self, store: TaskStore, now: Now = milliseconds) -> None:
        self._store = store
        self._now = now
        self._used: dict[str, Task] = {}
        self._own: dict[str, str] = {}
        """Whose task is which, as far as it was asked here."""
        self._making = asyncio.Lock()

    async def find(self, task_id: str) -> Task:
        """NotFound: a valid id of no task."""
        task = await self._loaded(task_ids.checked(task_id))
        if task is None:
            raise NotFound(f"There is no task {task_id}.", taskId=task_id)
        return task

    def in_use(self, task_id: str) -> Task | None:
        return self._used.get(task_id)

    async def ensure(self, task_id: str, title: str = "") -> Task:
        """The task, made where it is new: two who name it at once get the same one."""
        task_ids.checked(task_id)
        if (used := self._used.get(task_id)) is not None:
            return used
        async with self._making:
            if (known := await self._loaded(task_id)) is not None:
                return known
            now = self._now()
            record = TaskRecord(task_id=task_id, title=_short(title), status="created", created_at=now, updated_at=now)
            await self._store.save(record)
            return self._used.setdefault(task_id, Task(record))

    async def own_of(self, caller: str) -> Task:
        """The task of a caller who names none: always the same, until it is over."""
        bound = self._own.get(caller) or await self._store.bound(caller)
        task = None if bound is None else await self.ensure(bound)
        if task is None or task.record.status == "completed":
            task = await self.ensure(task_ids.new_task_id(), caller.partition(":")[2] or caller)
            await self._store.bind(caller, task.id)
        self._own[caller] = task.id
        return task

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        """As they are now: that one runs is not written down before it has ended."""
        stored = await self._store.newest(limit, before, words)
        return [self._used[record.task_id].record if record.task_id in self._used else record for record in stored]

    async def messages(self, task_id: str) -> Sequence[Message]:
        return await self._store.messages(task_id)

    async def add_message(self, task: Task, message: Message) -> bool:
        """Whether it is new; one whose id is known was said before."""
        _, is_new = await asyncio.gather(self.note_message(task, message), self._store.add_message(task.id, message))
        return is_new

    async def note_message(self, task: Task, message: Message) -> None:
        """One that is remembered already: what the task becomes by it."""
        title = task.record.title or _short(message.content)
        task.record = msgspec.structs.replace(task.record, title=title, updated_at=self._now())
        if task.record.status == "completed":
            task.become("ongoing", self._now())
        await self._store.save(task.record)

    async def rename(self, task: Task, title: str) -> None:
        task.record = msgspec.structs.replace(task.record, title=_short(title))
        await self._store.save(task.record)

    async def archive(self, task: Task, is_archived: bool) -> None:
        task.record = msgspec.structs.replace(task.record, archived=True if is_archived else UNSET)
        await self._store.save(task.record)

    async def select(self, task: Task, client_id: str) -> None:
        task.record = msgspec.structs.replace(task.record, selected_client_id=client_id, updated_at=self._now())
        await self._store.save(task.record)

    async def become(self, task: Task, status: TaskStatus) -> None:
        await self._store.save(task.become(status, self._now()))

    async def _loaded(self, task_id: str) -> Task | None:
        if task_id not in self._used:
            record = await self._store.find(task_id)
            if record is None:
                return None
            self._used.setdefault(task_id, Task(record))
        return self._used[task_id]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
