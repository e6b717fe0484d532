"""The owners of tasks: the first caller that uses a task owns it, until a person gives it to another one."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Owner:
    """`Caller.identity` and `Caller.agent` of a task's owner."""

    identity: str
    agent: str


class TaskOwners(Protocol):
    async def find(self, task: str) -> Owner | None:
        """None if the task hasn't been used yet."""
        ...

    async def claim(self, task: str, owner: Owner) -> Owner:
        """Claims the task; returns its owner, who may be another caller that was first."""
        ...

    async def give(self, task: str, owner: Owner) -> None:
        """Makes somebody the owner, whoever it was before."""
        ...
