"""Checks who may control or see a task over HTTP: its owner, a person, and the person's own programs."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET
from starlette.requests import Request

from handrail.faces.http.console_key import HEADER
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import Credential, caller, credential_of
from handrail.faces.http.headers import header
from handrail.kernel.task_ownership import TaskOwnership
from handrail.ports.browser import Snapshot, TaskRecord
from handrail.ports.identity import Caller


class TaskAccess:
    def __init__(self, ownership: TaskOwnership, context: HttpContext) -> None:
        self._ownership = ownership
        self._context = context

    async def check(self, request: Request, task_id: str) -> None:
        """Raises Declined if the task is another agent's. Plugins aren't checked: they only know their own tasks."""
        if (agent := self._agent(request)) is not None:
            await self._ownership.check(task_id, agent)

    async def check_visible(self, request: Request, task_id: str) -> None:
        """The same for reading."""
        if (agent := self._agent(request)) is not None:
            await self._ownership.check_visible(task_id, agent)

    async def visible(self, request: Request, records: Sequence[TaskRecord]) -> Sequence[TaskRecord]:
        agent = self._agent(request)
        if agent is None:
            return records
        return [record for record in records if await self._ownership.is_visible_to(agent, record.task_id)]

    async def visible_windows(self, request: Request, snapshot: Snapshot) -> Snapshot:
        """Hides tabs from an agent that don't belong to its tasks."""
        agent = self._agent(request)
        if agent is None:
            return snapshot
        tabs = [tab for tab in snapshot.tabs if tab.task_id is not UNSET]
        own = tuple([tab for tab in tabs if await self._ownership.is_visible_to(agent, str(tab.task_id))])
        groups = {tab.group_id for tab in own}
        active = snapshot.active_tab_id if snapshot.active_tab_id in {tab.tab_id for tab in own} else None
        return msgspec.structs.replace(
            snapshot,
            tabs=own,
            tab_groups=tuple(group for group in snapshot.tab_groups if group.id in groups),
            active_tab_id=active,
        )

    def _agent(self, request: Request) -> Caller | None:
        """The agent that sent the request; None for people, their programs and plugins."""
        is_persons = self._context.console_key.matches(header(request.scope, HEADER.encode()))
        is_agent = not is_persons and credential_of(request.scope) is Credential.AGENT
        return caller(request, self._context.person) if is_agent else None

    async def give(self, task_id: str, identity: str) -> None:
        await self._ownership.give(task_id, identity)
