"""Who may use a task: its owner, and people. Naming another agent's task is not enough.

The owner is a connection. When a stdio session has ended, the next session of the same agent takes its tasks over.
"""

from collections.abc import Callable

from handrail.ports.errors import Declined
from handrail.ports.identity import PERSONS_FACES, Caller
from handrail.ports.task_owners import Owner, TaskOwners


class TaskOwnership:
    """`has_ended` tells whether nobody uses an identity any more."""

    def __init__(self, owners: TaskOwners, has_ended: Callable[[str], bool]) -> None:
        self._owners = owners
        self._has_ended = has_ended

    async def check(self, task: str, caller: Caller) -> None:
        """A task that is nobody's becomes the caller's. Declined: it is another's."""
        if caller.face in PERSONS_FACES:
            return
        mine = Owner(caller.identity, caller.agent)
        owner = await self._owners.claim(task, mine)
        if owner.identity == caller.identity:
            return
        if not self._is_left_to(owner, caller):
            raise _another_agents(task)
        await self._owners.give(task, mine)

    async def check_sight(self, task: str, caller: Caller) -> None:
        """Whoever may use it may see it; looking alone makes it nobody's own. Declined."""
        if not await self.is_seen_by(caller, task):
            raise _another_agents(task)

    async def is_seen_by(self, caller: Caller, task: str) -> bool:
        owner = None if caller.face in PERSONS_FACES else await self._owners.find(task)
        return owner is None or owner.identity == caller.identity or self._is_left_to(owner, caller)

    def _is_left_to(self, owner: Owner, caller: Caller) -> bool:
        return owner.agent == caller.agent and self._has_ended(owner.identity)

    async def claim(self, task: str, caller: Caller) -> None:
        """For a task that was made for the caller, also where that is a person. Declined: somebody else was first."""
        owner = await self._owners.claim(task, Owner(caller.identity, caller.agent))
        if owner.identity != caller.identity:
            await self.check(task, caller)

    async def give(self, task: str, identity: str) -> None:
        """A person's word."""
        await self._owners.give(task, Owner(identity, identity))


def _another_agents(task: str) -> Declined:
    return Declined(
        "This task belongs to another agent.",
        hint="Leave the task out to get one of your own. A person can give a task to another agent.",
        reason="task",
        taskId=task,
    )
