"""Whose task is which: the first who uses a task owns it, until a person gives it to somebody else."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Owner:
    """`Caller.identity` and `Caller.agent` of who owns a task."""

    identity: str
    agent: str


class TaskOwners(Protocol):
    async def find(self, task: str) -> Owner | None:
        """None: nobody has used it yet."""
        ...

    async def claim(self, task: str, owner: Owner) -> Owner:
        """Who owns it from now on: somebody else, where they were first."""
        ...

    async def give(self, task: str, owner: Owner) -> None:
        """It is theirs now, whoever had it."""
        ...
