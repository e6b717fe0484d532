"""Who follows a run: the pages that show the task. What they are told, and nothing of how."""

from typing import Any, Protocol

from handrail.contract.agent import Run
from handrail.contract.errors import Failure
from handrail.contract.model import ToolUse


class Audience(Protocol):
    def hear(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of an answer; an empty one: it begins anew."""
        ...

    async def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """The whole answer, which is remembered; told twice, it is remembered once."""
        ...

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        """running, success or error."""
        ...

    def succeeded(self, task_id: str, target: str, schema: str, data: dict[str, Any]) -> None: ...

    def failed(self, task_id: str, target: str, failure: Failure) -> None: ...

    def waits(self, run: Run) -> None:
        """It goes on by itself; `trouble` says when."""
        ...

    async def changed(self, run: Run) -> None:
        """What it has become, which is on record."""
        ...
