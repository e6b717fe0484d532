"""A run of the agent: what is remembered of it, and the port to where it is remembered.

The turns alone say how far a run has come. What a tool did is in the audit, under an execution id that stands in the
turns before the call is made: after a crash both together tell what is left to do.
"""

from asyncio import Future
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from handrail.ports.browser import Message
from handrail.ports.model import Turn, Usage

Mode = Literal["plan", "act"]
RunStatus = Literal["running", "paused", "waiting", "ended"]
"""waiting: for the person's next words. ended: the person stopped it."""
Limit = Literal["mostSteps", "mostCost"]
Voice = Literal["person", "program"]
"""Who holds the token alone is a program."""


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
    voice: Voice = "person"
    """Who spoke last: once a person has, no program does."""
    is_settled: bool = True
    """It came to its end by itself, so nothing is left to go on with."""

    @property
    def can_resume(self) -> bool:
        return self.status == "paused" or (self.status in ("waiting", "ended") and not self.is_settled)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a person sets for a task; what is left out stays."""

    mode: Mode | UnsetType = UNSET
    model: str | UnsetType = UNSET
    most_steps: int | UnsetType | None = UNSET
    most_cost: float | UnsetType | None = UNSET

    @property
    def is_of_limits_alone(self) -> bool:
        """Those may change while the agent is at work."""
        return self.mode is UNSET and self.model is UNSET

    def applied(self, run: Run) -> Run:
        chosen = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not UNSET}
        return msgspec.structs.replace(run, **chosen)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A turn as people look at it: its number in the order of all turns, and when it was, in milliseconds."""

    number: int
    at: int
    turn: Turn


class RunStore(Protocol):
    def save(self, run: Run) -> Future[None]: ...

    async def find(self, task_id: str) -> Run | None: ...

    async def unfinished(self) -> Sequence[Run]:
        """Those that ran, or were paused, when the process ended."""
        ...

    def add(self, task_id: str, *turns: Turn) -> Future[None]: ...

    async def remembers(self, task_id: str, message_id: str) -> bool:
        """Whether a message of this id was said in the task."""
        ...

    def begin(self, run: Run, turns: Sequence[Turn], message: Message) -> Future[None]:
        """All of it or nothing."""
        ...

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """In order. A compaction replaces what it stands for."""
        ...

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[Remembered]:
        """The newest turns before that number, oldest first; what was compacted too. No outcome without its wish."""
        ...

    def compact(self, task_id: str, keep_from: int, note: str) -> Future[None]:
        """The turns before the one of this index give way to a note; the record of what was said stays."""
        ...
