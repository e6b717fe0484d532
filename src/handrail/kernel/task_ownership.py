"""Decides who may use a task: its owner and people, but not other agents that know its id.

The owner is a connection. After a stdio session has ended, the next session of the same agent takes over its tasks.
"""

from collections.abc import Callable

from handrail.ports.errors import Declined
from handrail.ports.identity import PERSONS_FACES, Caller
from handrail.ports.task_owners import Owner, TaskOwners


class TaskOwnership:
    """`has_ended` returns whether an identity is no longer in use."""

    def __init__(self, owners: TaskOwners, has_ended: Callable[[str], bool]) -> None:
        self._owners = owners
        self._has_ended = has_ended

    async def check(self, task: str, caller: Caller) -> None:
        """A task without an owner becomes the caller's. Declined: it belongs to another agent."""
        if caller.face in PERSONS_FACES:
            return
        mine = Owner(caller.identity, caller.agent)
        owner = await self._owners.claim(task, mine)
        if owner.identity == caller.identity:
            return
        if not self._can_inherit(owner, caller):
            raise _belongs_to_another(task)
        await self._owners.give(task, mine)

    async def check_visible(self, task: str, caller: Caller) -> None:
        """Declined unless the caller may see the task. Looking at a task doesn't claim it."""
        if not await self.is_visible_to(caller, task):
            raise _belongs_to_another(task)

    async def is_visible_to(self, caller: Caller, task: str) -> bool:
        owner = None if caller.face in PERSONS_FACES else await self._owners.find(task)
        return owner is None or owner.identity == caller.identity or self._can_inherit(owner, caller)

    def _can_inherit(self, owner: Owner, caller: Caller) -> bool:
        return owner.agent == caller.agent and self._has_ended(owner.identity)

    async def claim(self, task: str, caller: Caller) -> None:
        """For a task that was made for the caller, who may be a person. Declined: somebody else was first."""
        owner = await self._owners.claim(task, Owner(caller.identity, caller.agent))
        if owner.identity != caller.identity:
            await self.check(task, caller)

    async def give(self, task: str, identity: str) -> None:
        """A person gives the task to another agent."""
        await self._owners.give(task, Owner(identity, identity))


def _belongs_to_another(task: str) -> Declined:
    return Declined(
        "This task belongs to another agent.",
        hint="Leave the task out to get one of your own. A person can give a task to another agent.",
        reason="task",
        taskId=task,
    )
