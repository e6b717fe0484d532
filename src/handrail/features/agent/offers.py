"""What the agent offers to the feature that has its tasks and pages: the server of contract 2 mounts it."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.ports.agent import AgentTask, AgentTasks, RunStore
from handrail.ports.browser_store import SharedRunStores
from handrail.ports.model import UserTurn

_MARK = re.compile(r'^<untrusted source="[^\n]*">\n|\n</untrusted>$', re.MULTILINE)


def unmarked(text: str) -> str:
    """A text for the model without its marks for untrusted content, for people, who see where it comes from."""
    return _MARK.sub("", text)


class Chat(Protocol):
    """Answers messages: the agent."""

    def followed(self, task_id: str) -> None:
        """A page started to follow the task."""
        ...

    async def hear(self, task_id: str, said: UserTurn, message: dict[str, Any], speaker: str) -> None:
        """`speaker` is the identity of who speaks. `message` may have more members than the contract's.

        A Failure refuses it.
        """
        ...


class Pages(Protocol):
    """The pages that follow a task."""

    def tell(self, task_id: str, event: dict[str, Any], trace_id: str | None = None) -> None: ...

    def task_changed(self, task: AgentTask, reason: str | None = None) -> None: ...

    def task_noted(self, task_id: str) -> None: ...


class TaskBus(Protocol):
    """Stores the agent's tasks and turns."""

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
        """Where several servers have runs in common."""
        ...


@dataclass(frozen=True, slots=True)
class AgentMount:
    """Receives messages of pages, has its own endpoints, and runs as long as the server."""

    chat: Chat
    endpoints: Callable[[Any], Sequence[Any]]
    running: Callable[[], AbstractAsyncContextManager[None]]
