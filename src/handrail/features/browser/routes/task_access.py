"""Who may have a hand on a task over HTTP: its owner, a person, and a person's own programs."""

from starlette.requests import Request

from handrail.faces.http.console_key import HEADER
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import Credential, caller, shown
from handrail.faces.http.headers import header
from handrail.kernel.task_ownership import TaskOwnership


class TaskAccess:
    def __init__(self, ownership: TaskOwnership, context: HttpContext) -> None:
        self._ownership = ownership
        self._context = context

    async def check(self, request: Request, task_id: str) -> None:
        """Declined: it is another agent's. A plugin is not asked here: it knows only the tasks that it was given."""
        is_persons = self._context.console_key.is_right(header(request.scope, HEADER.encode()))
        if not is_persons and shown(request.scope) is Credential.AGENT:
            await self._ownership.check(task_id, caller(request, self._context.person))

    async def give(self, task_id: str, identity: str) -> None:
        await self._ownership.give(task_id, identity)
