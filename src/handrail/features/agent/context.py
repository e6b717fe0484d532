"""What all runs of the agent share: stores, tools, limits, and the listener that is notified of events."""

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
    """Receives the events of runs, for the pages that show them."""

    def run_started(self, task_id: str, trace_id: str | None) -> None:
        """The next events belong to the message with this trace id."""
        ...

    def text_streamed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of a reply. An empty piece means that the reply starts again."""
        ...

    def thinking_streamed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """A piece of the model's thinking. An empty piece means that it starts again."""
        ...

    def reply_completed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        """The whole reply. May be called twice for the same one."""
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
