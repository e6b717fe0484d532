"""What the agent offers to the browser feature, whose server has its tasks and pages and mounts it."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.ports.agent import AgentTask, AgentTasks, RunStore
from handrail.ports.browser_store import SharedRunStores
from handrail.ports.model import UserTurn

_UNTRUSTED_MARK = re.compile(r'^<untrusted source="[^\n]*">\n|\n</untrusted>$', re.MULTILINE)


def unmarked(text: str) -> str:
    """A text for the model, shown to people: without the marks around untrusted content."""
    return _UNTRUSTED_MARK.sub("", text)


class Chat(Protocol):
    """The agent, which answers messages."""

    def page_followed(self, task_id: str) -> None:
        """A page started to follow the task."""
        ...

    async def receive(self, task_id: str, turn: UserTurn, message: dict[str, Any], speaker: str) -> None:
        """`message` may have more members than the contract's; `speaker` is the sender's identity.

        A Failure refuses the message.
        """
        ...


class Pages(Protocol):
    """The pages that follow a task."""

    def send_event(self, task_id: str, event: dict[str, Any], trace_id: str | None = None) -> None: ...

    def task_changed(self, task: AgentTask, reason: str | None = None) -> None: ...

    def mark_task_changed(self, task_id: str) -> None: ...


class TaskBus(Protocol):
    """The bus, as far as the agent needs it: tasks, runs, artifacts."""

    @property
    def tasks(self) -> AgentTasks: ...

    @property
    def runs(self) -> RunStore: ...

    @property
    def artifacts(self) -> Any: ...

    @property
    def takeover(self) -> Any: ...

    @property
    def shared_runs(self) -> SharedRunStores | None:
        """None unless several servers share their runs."""
        ...


@dataclass(frozen=True, slots=True)
class AgentMount:
    """What the server mounts: the chat, more endpoints, and a context manager that runs as long as the server."""

    chat: Chat
    endpoints: Callable[[Any], Sequence[Any]]
    running: Callable[[], AbstractAsyncContextManager[None]]
