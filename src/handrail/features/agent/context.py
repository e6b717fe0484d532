"""What every run of the agent works with, and who is told about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.features.agent.limits import Limits
from handrail.features.agent.model_client import ModelClient
from handrail.features.agent.recovery import Recovery
from handrail.features.agent.tool_runner import ToolOffers, ToolRunner
from handrail.ports.agent import Run, RunStore
from handrail.ports.errors import Failure
from handrail.ports.model import ToolUse
from handrail.ports.prompts import PromptQueue


class RunListener(Protocol):
    """Follows runs: the pages that show the task."""

    def hear(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of an answer; an empty one means that the answer starts again."""
        ...

    async def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """The whole answer, which is remembered; told twice, it is remembered once."""
        ...

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        """`status` is running, success or error."""
        ...

    def succeeded(self, task_id: str, target: str, schema: str, data: dict[str, Any]) -> None: ...

    def failed(self, task_id: str, target: str, failure: Failure) -> None: ...

    def waits(self, run: Run) -> None:
        """It goes on by itself; `trouble` says when."""
        ...

    async def changed(self, run: Run) -> None:
        """What it has become, which is on record."""
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    store: RunStore
    listener: RunListener
    tools: ToolRunner
    recovery: Recovery
    model_client: ModelClient
    queue: PromptQueue
    offers: ToolOffers
    project: str
    max_auto_fix: Callable[[], int]
    limits: Limits
