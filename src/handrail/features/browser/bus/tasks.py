"""All tasks, which are created when they are first named."""

import asyncio
import re
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
_TOKEN_ID = re.compile(r"\.[0-9a-f]{6}$")
"""What distinguishes the tokens of agents with the same name."""

Now = Callable[[], int]


def milliseconds() -> int:
    return int(time.time() * 1000)


class Task:
    """A loaded task. Its status follows from a takeover, browser actions and the agent's run; only this class sets it.

    `is_free` is cleared while a person has taken it over, `may_read` only if that person doesn't allow reading either.
    Callers store each change together with its cause.
    """

    def __init__(self, record: TaskRecord, now: Now = milliseconds, *, reads_by_default: bool = False) -> None:
        self.is_free = asyncio.Event()
        self.may_read = asyncio.Event()
        self._reads_by_default = reads_by_default
        self._now = now
        self._actions = 0
        self._agent: RunStatus | None = None
        self.update_from(record)

    def update_from(self, record: TaskRecord) -> None:
        """Replaces the state by a record from the store or from another server."""
        self._record = record
        self._is_over = record.status == "completed"
        self._idle_status: TaskStatus = record.status if record.status in ("created", "error") else "ongoing"
        if record.status == "takeover":
            self.is_free.clear()
        else:
            self.is_free.set()
        self._update_may_read()

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs on this server."""
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
                f"The task {self.id} has ended.",
                hint="task_start starts it again; a call without a task starts a new one.",
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
            self._idle_status = "error" if is_lost else "ongoing"
        self._update()

    def set_agent_status(self, run: Run, status: RunStatus, *, has_begun: bool = True, **changes: Any) -> Run:
        """Returns the run with its new status. Without `has_begun` it has no model yet, and the task stays as it is."""
        fresh: dict[str, Any] = {"trouble": "", "is_completed": False, "is_settled": False, "reached": None}
        run = msgspec.structs.replace(run, status=status, **(fresh | changes))
        if has_begun:
            self._agent = status
            self._is_over = run.is_completed or (self._is_over and status == "ended")
            self._idle_status = "error" if status == "waiting" and run.trouble else "ongoing"
            self._update()
        return run

    def receive_message(self, text: str) -> None:
        """Reopens a completed task for a new message; the first message becomes the title."""
        if self._is_over:
            self._is_over, self._idle_status = False, "ongoing"
        self._update(title=self._record.title or _short(text))

    def take_over(self) -> None:
        """Gives the task to a person: until it is handed back, actions wait, except reads that the person allows."""
        self.check_is_open()
        if self.is_free.is_set():
            self.is_free.clear()
            self._update(reading=self._reads_by_default)
        self._update_may_read()

    def let_read(self, is_allowed: bool) -> None:
        """Applies until the task is handed back."""
        self._require_takeover()
        self._update(reading=is_allowed)
        self._update_may_read()

    def hand_back(self) -> None:
        self._require_takeover()
        self._idle_status = "error" if self._idle_status == "error" else "ongoing"
        self._release()

    def stop(self) -> None:
        self._is_over = True
        self._release()

    def interrupt(self) -> None:
        """Called at start if the last server ended while something was running."""
        if self.status in ("created", "running", "ongoing"):
            self._idle_status = "error"
            self._update()

    def select(self, client_id: str) -> None:
        self._update(selected_client_id=client_id)

    def rename(self, title: str) -> None:
        self._record = msgspec.structs.replace(self._record, title=_short(title))

    def archive(self, is_archived: bool) -> None:
        self._record = msgspec.structs.replace(self._record, archived=True if is_archived else UNSET)

    def _require_takeover(self) -> None:
        if self.is_free.is_set():
            raise Conflict(f"The task {self.id} isn't taken over.", taskId=self.id, status=self.status)

    def _release(self) -> None:
        self.is_free.set()
        self._update(reading=UNSET)
        self._update_may_read()

    def _update_may_read(self) -> None:
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
        return "running" if self._actions or self._agent == "running" else self._idle_status


class Tasks:
    """`reads_by_default`: whether reading continues in a task that a person takes over, unless they change that."""

    def __init__(self, store: TaskStore, now: Now = milliseconds, *, reads_by_default: bool = False) -> None:
        self.reads_by_default = reads_by_default
        self._store = store
        self._now = now
        self._tasks: dict[str, Task] = {}
        self._default_ids: dict[str, str] = {}
        """The default tasks' ids by caller, as far as they were asked for here."""
        self._creating = asyncio.Lock()

    async def end_interrupted(self) -> None:
        """Ends what the last server left running."""
        for record in await self._store.interrupted():
            task = self._add(record)
            task.interrupt()
            await self.save(task)

    async def find(self, task_id: str) -> Task:
        """Raises NotFound if the id is valid but unknown."""
        task = await self._load(task_ids.validate_task_id(task_id))
        if task is None:
            raise NotFound(f"There is no task {task_id}.", taskId=task_id)
        return task

    def in_use(self, task_id: str) -> Task | None:
        return self._tasks.get(task_id)

    async def ensure(self, task_id: str, title: str = "") -> Task:
        """The task, which is created if it is new. Concurrent calls get the same one."""
        task_ids.validate_task_id(task_id)
        if (task := self._tasks.get(task_id)) is not None:
            return task
        async with self._creating:
            if (task := await self._load(task_id)) is not None:
                return task
            now = self._now()
            record = TaskRecord(task_id=task_id, title=_short(title), status="created", created_at=now, updated_at=now)
            await self._store.save(record)
            return self._add(record)

    async def own_of(self, caller: str) -> Task:
        """The default task of a caller: the same one until it has ended."""
        bound = self._default_ids.get(caller) or await self._store.bound(caller)
        task = None if bound is None else await self.ensure(bound)
        if task is None or task.status == "completed":
            task = await self.ensure(task_ids.new_task_id(), title_of(caller))
            await self._store.bind(caller, task.id)
        self._default_ids[caller] = task.id
        return task

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        """The tasks with their current status, since "running" isn't stored."""
        stored = await self._store.newest(limit, before, words)
        return [self._tasks[record.task_id].record if record.task_id in self._tasks else record for record in stored]

    async def messages(self, task_id: str) -> Sequence[Message]:
        return await self._store.messages(task_id)

    async def save(self, task: AgentTask) -> None:
        await self._store.save(task.record)

    async def _load(self, task_id: str) -> Task | None:
        if task_id not in self._tasks:
            record = await self._store.find(task_id)
            if record is None:
                return None
            self._add(record)
        return self._tasks[task_id]

    def _add(self, record: TaskRecord) -> Task:
        fresh = Task(record, self._now, reads_by_default=self.reads_by_default)
        return self._tasks.setdefault(record.task_id, fresh)


def title_of(caller: str) -> str:
    """The name that a person gave the agent; empty for a connection, which has only numbers."""
    kind, _, name = caller.partition(":")
    return _TOKEN_ID.sub("", name) if kind == "agent" else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
