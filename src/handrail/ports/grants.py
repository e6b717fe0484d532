"""What a person has allowed until a task ends. Knows no store and no prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handrail.ports.approval_card import Grant


@dataclass(frozen=True, slots=True)
class TaskGrant:
    """A yes for the rest of a task, who gave it and when. `caller` is what people read of who got it."""

    id: str
    grant: Grant
    caller: str
    at: str
    by: str


class TaskGrants(Protocol):
    async def add(self, grant: Grant, *, caller: str, by: str) -> TaskGrant: ...

    async def for_task(self, identity: str, task: str) -> Sequence[TaskGrant]:
        """What one identity may do in one task."""
        ...

    async def all(self) -> Sequence[TaskGrant]:
        """All of them, the newest first."""
        ...

    async def revoke(self, id: str) -> bool:
        """Whether there was one. It counts for the next call, in every process."""
        ...

    async def end_task(self, task: str) -> None:
        """A person has ended the task, whoever works on it."""
        ...

    async def end_for(self, identity: str, task: str | None) -> int:
        """The task is over, or without one, all of the identity's tasks. How many grants went with it."""
        ...
