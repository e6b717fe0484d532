"""A run of the agent: what is remembered of it, and the port to where it is remembered.

The turns alone say how far a run has come. What a tool did is in the audit, under an execution id that stands in the
turns before the call is made: after a crash both together tell what is left to do.
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
"""waiting: for the person's next words. ended: the person stopped it."""
Limit = Literal["mostSteps", "mostCost"]
Speaker = Literal["person", "program"]
"""Who comes with a token is a program."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    task_id: str
    status: RunStatus
    mode: Mode = "act"
    model: str = ""
    """Empty: the one that is set."""
    used_model: str = ""
    """The one that was asked last."""
    usage: Usage = Usage()
    trouble: str = ""
    """Why it does not go on, for people."""
    target: str = ""
    """The event that brought the person's last words."""
    is_completed: bool = False
    """The agent said that the work is done."""
    steps: int = 0
    """Replies to the person's last words."""
    most_steps: int | None = None
    """None, here and of the cost: the one that is set."""
    most_cost: float | None = None
    reached: Limit | None = None
    """The limit that keeps it from going on."""
    project: str = ""
    """Where it was begun, and goes on."""
    voice: Speaker = "person"
    """Who spoke last: once a person has, no program does."""
    speaker: str = ""
    """The identity of who spoke last; empty where an older version did not keep it."""
    is_settled: bool = True
    """It came to its end by itself, so nothing is left to go on with."""
    queued: tuple[UserTurn, ...] = ()
    """Messages that came while it was at work; it reads them at its next step."""

    @property
    def can_resume(self) -> bool:
        is_at_rest = self.status in ("waiting", "ended")
        return self.status == "paused" or (is_at_rest and (not self.is_settled or bool(self.queued)))


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person sets for a task; what is left out stays."""

    mode: Mode | UnsetType = UNSET
    model: str | UnsetType = UNSET
    most_steps: int | UnsetType | None = UNSET
    most_cost: float | UnsetType | None = UNSET

    @property
    def changes_only_limits(self) -> bool:
        """Those may change while the agent is at work."""
        return self.mode is UNSET and self.model is UNSET

    @property
    def changes(self) -> dict[str, Any]:
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not UNSET}

    def apply_to(self, run: Run) -> Run:
        return msgspec.structs.replace(run, **self.changes)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as people look at it: its number in the order of all turns, and when it was, in milliseconds."""

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
    """Runs with their tasks, and conversations. What is written together is on disk together or not at all."""

    def save(self, run: Run, task: TaskRecord, turns: Sequence[Turn] = ()) -> Future[None]: ...

    async def find(self, task_id: str) -> Run | None: ...

    async def unfinished(self) -> Sequence[Run]:
        """Those that ran, or were paused, when the process ended."""
        ...

    def add(self, task_id: str, *turns: Turn) -> Future[None]: ...

    def add_answer(self, task: TaskRecord, said: UserTurn) -> Future[None]:
        """Words that answered a question: a message of the task, but no turn, as the model reads them as a result."""
        ...

    async def remembers(self, task_id: str, message_id: str) -> bool:
        """Whether a message of this id was said in the task."""
        ...

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """In order. A compaction replaces what it stands for."""
        ...

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        """The newest turns before that number, oldest first; compacted ones too. No outcome without its call."""
        ...

    def compact(self, task_id: str, keep_from: int, note: str) -> Future[None]:
        """The turns before the one of this index give way to a note; the record of what was said stays."""
        ...


class RunLost(Conflict):
    """Another server has taken the run over, or may have: what this one writes about it is refused."""


class RunLeases(Protocol):
    """Which of a team's servers works on which run. Without its lease, nothing is written about a run."""

    async def take(self, task_id: str) -> bool:
        """False while another server has it."""
        ...

    def has(self, task_id: str) -> bool:
        """As far as this server knows."""
        ...

    async def keep(self) -> Collection[str]:
        """All that this server has, for longer; the tasks of those that are lost."""
        ...

    async def give_back(self, task_id: str) -> None: ...
