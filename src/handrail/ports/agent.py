"""Runs of handrail's own agent: what is stored of them, and the ports to their stores.

The turns show how far a run has come. What a tool did is in the audit, under an execution id that is in the turns
before the call is made. After a crash, the two together show what is left to do.
"""

from asyncio import Future
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from handrail.ports.browser import TaskRecord
from handrail.ports.errors import Conflict
from handrail.ports.model import Turn, Usage, UserTurn

Mode = Literal["plan", "act"]
RunStatus = Literal["running", "paused", "waiting", "ended"]
"""waiting: for the person's next message. ended: the person stopped it."""
Limit = Literal["mostSteps", "mostCost"]
Speaker = Literal["person", "program"]
"""Somebody who uses a token counts as a program."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    task_id: str
    status: RunStatus
    mode: Mode = "act"
    model: str = ""
    """Empty means the configured one."""
    used_model: str = ""
    """The model that was used last."""
    usage: Usage = Usage()
    trouble: str = ""
    """Why it stopped, for people."""
    target: str = ""
    """The event of the person's last message."""
    is_completed: bool = False
    """The agent reported that the work is done."""
    steps: int = 0
    """The number of replies to the person's last message."""
    most_steps: int | None = None
    """None means the configured limit, also for `most_cost`."""
    most_cost: float | None = None
    reached: Limit | None = None
    """The limit that has stopped it."""
    project: str = ""
    """The project in which it was started and continues."""
    voice: Speaker = "person"
    """Who wrote last. After a person has written, programs can't."""
    speaker: str = ""
    """The identity of who wrote last; empty in runs of older versions."""
    is_settled: bool = True
    """It finished normally, so there is nothing to resume."""
    queued: tuple[UserTurn, ...] = ()
    """Messages that arrived while it was working; it reads them at its next step."""

    @property
    def can_resume(self) -> bool:
        is_at_rest = self.status in ("waiting", "ended")
        return self.status == "paused" or (is_at_rest and (not self.is_settled or bool(self.queued)))


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person changes for a task; UNSET leaves a setting as it is."""

    mode: Mode | UnsetType = UNSET
    model: str | UnsetType = UNSET
    most_steps: int | UnsetType | None = UNSET
    most_cost: float | UnsetType | None = UNSET

    @property
    def changes_only_limits(self) -> bool:
        """Limits may be changed while the agent is working."""
        return self.mode is UNSET and self.model is UNSET

    @property
    def changes(self) -> dict[str, Any]:
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not UNSET}

    def apply_to(self, run: Run) -> Run:
        return msgspec.structs.replace(run, **self.changes)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with its number and its time in milliseconds since 1970."""

    number: int
    at: int
    turn: Turn


class ActiveRun(Protocol):
    """A run in progress: of handrail's own agent, or of another vendor's over a protocol."""

    @property
    def run(self) -> Run: ...

    async def execute(self) -> None:
        """Runs until a person is needed. Reports errors, and then stops."""
        ...

    async def pause(self, trouble: str = "") -> None:
        """Raises Conflict if this agent can't be paused."""
        ...

    async def resume(self) -> None: ...

    async def apply_options(self, options: RunOptions) -> None: ...

    async def queue_message(self, message: UserTurn) -> bool:
        """Queues a message for the next step. False if the run has just ended."""
        ...


class AgentTask(Protocol):
    """A task, as far as the agent needs it. It owns its own status and its run's."""

    @property
    def id(self) -> str: ...

    @property
    def record(self) -> TaskRecord: ...

    def set_agent_status(self, run: Run, status: RunStatus, *, has_begun: bool = True, **changes: Any) -> Run:
        """Returns the run with its new status. Without `has_begun` it has no model yet, and the task stays as it is."""
        ...

    def receive_message(self, text: str) -> None:
        """Reopens a completed task for a new message; the first message becomes its title."""
        ...

    def rename(self, title: str) -> None: ...

    def archive(self, is_archived: bool) -> None: ...


class AgentTasks(Protocol):
    async def find(self, task_id: str) -> AgentTask:
        """NotFound."""
        ...

    async def ensure(self, task_id: str) -> AgentTask:
        """The task, created if it is new."""
        ...

    async def save(self, task: AgentTask) -> None: ...


class RunStore(Protocol):
    """Runs with their tasks and conversations. What is written in one call is stored completely or not at all."""

    def save(self, run: Run, task: TaskRecord, turns: Sequence[Turn] = ()) -> Future[None]: ...

    async def find(self, task_id: str) -> Run | None: ...

    async def unfinished(self) -> Sequence[Run]:
        """The runs that were running or paused when the process ended."""
        ...

    def add(self, task_id: str, *turns: Turn) -> Future[None]: ...

    def add_answer(self, task: TaskRecord, said: UserTurn) -> Future[None]:
        """Adds a message that answered a question. It isn't a turn, because the model reads it as a tool's result."""
        ...

    async def remembers(self, task_id: str, message_id: str) -> bool:
        """Whether the task has a message with this id."""
        ...

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """The turns in order; a compaction replaces the turns that it summarizes."""
        ...

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        """The newest turns before a number, the oldest first, including compacted ones. No result without its call."""
        ...

    def compact(self, task_id: str, keep_from: int, note: str) -> Future[None]:
        """Replaces the turns before this index by a note for the model; the history for people stays."""
        ...


class RunLost(Conflict):
    """Another server has taken over the run, or may have, so this one can't write about it any more."""


class RunLeases(Protocol):
    """Which of a team's servers works on which run. A server needs the run's lease to write about it."""

    async def take(self, task_id: str) -> bool:
        """Returns False while another server has it."""
        ...

    def has(self, task_id: str) -> bool:
        """Whether this server has the lease, as far as it knows."""
        ...

    async def keep(self) -> Collection[str]:
        """Renews all of this server's leases; returns the tasks whose leases are lost."""
        ...

    async def give_back(self, task_id: str) -> None: ...
