"""The tasks. Naming a new one creates it once. Only `Task` changes a task's status."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.kernel import task_ids
from handrail.ports.agent import AgentTask, Run, RunStatus
from handrail.ports.browser import Message, TaskRecord, TaskStatus
from handrail.ports.browser_store import TaskStore
from handrail.ports.errors import Conflict, Failure, NotFound, Offline, Timeout

_TITLE_LENGTH = 80

Now = Callable[[], int]


def milliseconds() -> int:
    return int(time.time() * 1000)


class Task:
    """A task in use. Its status follows from who works on it: a person, browser actions, the agent.

    `is_free` is cleared while a person has taken it over, `may_read` only where that person lets nobody read either.
    The caller stores a change together with its cause.
    """

    def __init__(self, record: TaskRecord, now: Now = milliseconds, *, reads_by_default: bool = False) -> None:
        self.is_free = asyncio.Event()
        self.may_read = asyncio.Event()
        self._reads_by_default = reads_by_default
        self._now = now
        self._actions = 0
        self._agent: RunStatus | None = None
        self.follow(record)

    def follow(self, record: TaskRecord) -> None:
        """It is as this says: from the store, or from another server."""
        self._record = record
        self._is_over = record.status == "completed"
        self._at_rest: TaskStatus = record.status if record.status in ("created", "error") else "ongoing"
        if record.status == "takeover":
            self.is_free.clear()
        else:
            self.is_free.set()
        self._open_for_reading()

    @property
    def is_idle(self) -> bool:
        """Nothing is under way here."""
        return not self._actions and self._agent not in ("running", "paused")

    @property
    def id(self) -> str:
        return self._record.task_id

    @property
    def record(self) -> TaskRecord:
        return self._record

    @property
    def status(self) -> TaskStatus:
        return self._record.status

    @property
    def actions(self) -> int:
        """How many actions run or wait in the browser."""
        return self._actions

    @property
    def client_id(self) -> str | None:
        return None if self._record.selected_client_id is UNSET else self._record.selected_client_id

    def check_is_open(self) -> None:
        if self.status == "completed":
            raise Conflict(
                f"The task {self.id} is over.",
                hint="task_start begins it again; without a task a new one is begun.",
                taskId=self.id,
                status="completed",
            )

    def begin_action(self) -> bool:
        """Reopens a task that had ended; returns whether it had, for `cancel_action`."""
        was_over, self._is_over = self._is_over, False
        self._actions += 1
        self._update()
        return was_over

    def cancel_action(self, *, was_over: bool) -> None:
        """The action could not be stored, so it never started."""
        self._actions -= 1
        self._is_over = self._is_over or was_over
        self._update()

    def end_action(self, failure: Failure | None, *, stops: bool) -> None:
        self._actions -= 1
        if stops:
            self.stop()
        elif self._actions == 0:
            is_lost = isinstance(failure, Offline | Timeout) and self.status == "running"
            self._at_rest = "error" if is_lost else "ongoing"
        self._update()

    def set_agent_status(self, run: Run, status: RunStatus, *, has_begun: bool = True, **changes: Any) -> Run:
        """The run with its new status. If `has_begun` is False, it has no model yet, and the task stays as it is."""
        fresh: dict[str, Any] = {"trouble": "", "is_completed": False, "is_settled": False, "reached": None}
        run = msgspec.structs.replace(run, status=status, **(fresh | changes))
        if has_begun:
            self._agent = status
            self._is_over = run.is_completed or (self._is_over and status == "ended")
            self._at_rest = "error" if status == "waiting" and run.trouble else "ongoing"
            self._update()
        return run

    def receive_message(self, text: str) -> None:
        """A message arrived: a completed task is open again; the first message becomes its title."""
        if self._is_over:
            self._is_over, self._at_rest = False, "ongoing"
        self._update(title=self._record.title or _short(text))

    def take_over(self) -> None:
        """A person controls it: until it is handed back, nothing is sent to the browser but what they let it read."""
        self.check_is_open()
        if self.is_free.is_set():
            self.is_free.clear()
            self._update(reading=self._reads_by_default)
        self._open_for_reading()

    def let_read(self, is_allowed: bool) -> None:
        """Until it is handed back; the next time counts anew."""
        self._check_is_taken_over()
        self._update(reading=is_allowed)
        self._open_for_reading()

    def hand_back(self) -> None:
        self._check_is_taken_over()
        self._at_rest = "error" if self._at_rest == "error" else "ongoing"
        self._release()

    def stop(self) -> None:
        self._is_over = True
        self._release()

    def interrupt(self) -> None:
        """The server ended while something was running."""
        if self.status in ("created", "running", "ongoing"):
            self._at_rest = "error"
            self._update()

    def select(self, client_id: str) -> None:
        self._update(selected_client_id=client_id)

    def rename(self, title: str) -> None:
        self._record = msgspec.structs.replace(self._record, title=_short(title))

    def archive(self, is_archived: bool) -> None:
        self._record = msgspec.structs.replace(self._record, archived=True if is_archived else UNSET)

    def _check_is_taken_over(self) -> None:
        if self.is_free.is_set():
            raise Conflict(f"The task {self.id} is not taken over.", taskId=self.id, status=self.status)

    def _release(self) -> None:
        self.is_free.set()
        self._update(reading=UNSET)
        self._open_for_reading()

    def _open_for_reading(self) -> None:
        if self.is_free.is_set() or self._record.reading is True:
            self.may_read.set()
        else:
            self.may_read.clear()

    def _update(self, **changes: Any) -> None:
        status = self._current()
        self._record = msgspec.structs.replace(self._record, status=status, updated_at=self._now(), **changes)

    def _current(self) -> TaskStatus:
        if not self.is_free.is_set():
            return "takeover"
        if self._is_over:
            return "completed"
        return "running" if self._actions or self._agent == "running" else self._at_rest


class Tasks:
    """`reads_by_default`: whether reading continues in a task that a person takes over, until they say otherwise."""

    def __init__(self, store: TaskStore, now: Now = milliseconds, *, reads_by_default: bool = False) -> None:
        self.reads_by_default = reads_by_default
        self._store = store
        self._now = now
        self._used: dict[str, Task] = {}
        self._own: dict[str, str] = {}
        """Whose task is which, as far as it was asked here."""
        self._making = asyncio.Lock()

    async def end_interrupted(self) -> None:
        """Ends what the last server left running."""
        for record in await self._store.interrupted():
            task = self._use(record)
            task.interrupt()
            await self.save(task)

    async def find(self, task_id: str) -> Task:
        """NotFound if the id is valid but unknown."""
        task = await self._loaded(task_ids.validate_task_id(task_id))
        if task is None:
            raise NotFound(f"There is no task {task_id}.", taskId=task_id)
        return task

    def in_use(self, task_id: str) -> Task | None:
        return self._used.get(task_id)

    async def ensure(self, task_id: str, title: str = "") -> Task:
        """The task, created if it is new; concurrent calls get the same one."""
        task_ids.validate_task_id(task_id)
        if (used := self._used.get(task_id)) is not None:
            return used
        async with self._making:
            if (known := await self._loaded(task_id)) is not None:
                return known
            now = self._now()
            record = TaskRecord(task_id=task_id, title=_short(title), status="created", created_at=now, updated_at=now)
            await self._store.save(record)
            return self._use(record)

    async def own_of(self, caller: str) -> Task:
        """The task of a caller who names none: always the same, until it is over."""
        bound = self._own.get(caller) or await self._store.bound(caller)
        task = None if bound is None else await self.ensure(bound)
        if task is None or task.status == "completed":
            task = await self.ensure(task_ids.new_task_id(), caller.partition(":")[2] or caller)
            await self._store.bind(caller, task.id)
        self._own[caller] = task.id
        return task

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        """With their present status: "running" isn't stored until it ends."""
        stored = await self._store.newest(limit, before, words)
        return [self._used[record.task_id].record if record.task_id in self._used else record for record in stored]

    async def messages(self, task_id: str) -> Sequence[Message]:
        return await self._store.messages(task_id)

    async def save(self, task: AgentTask) -> None:
        await self._store.save(task.record)

    async def _loaded(self, task_id: str) -> Task | None:
        if task_id not in self._used:
            record = await self._store.find(task_id)
            if record is None:
                return None
            self._use(record)
        return self._used[task_id]

    def _use(self, record: TaskRecord) -> Task:
        fresh = Task(record, self._now, reads_by_default=self.reads_by_default)
        return self._used.setdefault(record.task_id, fresh)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
