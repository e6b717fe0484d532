"""What every run of the agent works with, and who is notified of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.features.agent.limits import Limits
from handrail.features.agent.model_client import ModelClient
from handrail.features.agent.recovery import Recovery
from handrail.features.agent.tool_runner import ToolOffers, ToolRunner
from handrail.ports.agent import AgentTask, AgentTasks, Run, RunStatus, RunStore
from handrail.ports.errors import Failure
from handrail.ports.model import ToolUse
from handrail.ports.prompt_queue import PromptQueue


class RunListener(Protocol):
    """Follows runs, for the pages that show the task."""

    def begins(self, task_id: str, trace_id: str | None) -> None:
        """What comes next answers the message with this trace id."""
        ...

    def hear(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of an answer. An empty piece means that the answer starts again."""
        ...

    def thinks(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of what the model thinks before it answers. An empty piece means that it starts again."""
        ...

    def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """The whole answer. It may come twice."""
        ...

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        """`status` is running, success or error."""
        ...

    def succeeded(self, task_id: str, target: str, schema: str, data: dict[str, Any]) -> None: ...

    def failed(self, task_id: str, target: str, failure: Failure) -> None: ...

    def run_changed(self, run: Run) -> None: ...

    def task_changed(self, task: AgentTask) -> None: ...


@dataclass(frozen=True, slots=True)
class RunContext:
    tasks: AgentTasks
    store: RunStore
    listener: RunListener
    tools: ToolRunner
    recovery: Recovery
    model_client: ModelClient
    queue: PromptQueue
    offers: ToolOffers
    project: str
    max_auto_fix: Callable[[], Awaitable[int]]
    limits: Limits

    async def change(self, task: AgentTask, run: Run, status: RunStatus, **changes: Any) -> Run:
        """Stores the run's new status with its task, then notifies the listeners."""
        before = task.record.status
        run = task.set_agent_status(run, status, **changes)
        await self.store.save(run, task.record)
        self.listener.run_changed(run)
        if task.record.status != before:
            self.listener.task_changed(task)
        return run
