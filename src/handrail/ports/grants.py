"""Grants: what a person has allowed until a task ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handrail.ports.approval_card import Grant


@dataclass(frozen=True, slots=True)
class TaskGrant:
    """A permission for the rest of a task, with who gave it and when. `caller` is a name for people."""

    id: str
    grant: Grant
    caller: str
    at: str
    by: str


class TaskGrants(Protocol):
    async def add(self, grant: Grant, *, caller: str, by: str) -> TaskGrant: ...

    async def for_task(self, identity: str, task: str) -> Sequence[TaskGrant]:
        """The grants of an identity in a task."""
        ...

    async def all(self) -> Sequence[TaskGrant]:
        """All grants, the newest first."""
        ...

    async def revoke(self, id: str) -> bool:
        """Returns whether there was one. Takes effect with the next call, in every process."""
        ...

    async def end_task(self, task: str) -> None:
        """Removes all grants of a task that a person has ended."""
        ...

    async def end_for(self, identity: str, task: str | None) -> int:
        """Removes the identity's grants for a task, or without a task all of them; returns how many."""
        ...
