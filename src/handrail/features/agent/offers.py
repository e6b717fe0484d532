"""What the agent offers to whoever has its tasks and pages: contract 2's server mounts it."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.ports.agent import AgentTask, AgentTasks, RunStore
from handrail.ports.model import UserTurn

_MARK = re.compile(r'^<untrusted source="[^\n]*">\n|\n</untrusted>$', re.MULTILINE)


def unmarked(text: str) -> str:
    """What a model was told, for people, who see where it comes from."""
    return _MARK.sub("", text)


class Chat(Protocol):
    """Whoever answers messages: the agent."""

    def followed(self, task_id: str) -> None:
        """A page has begun to follow the task."""
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
    """Where the agent's tasks and turns are."""

    @property
    def tasks(self) -> AgentTasks: ...

    @property
    def runs(self) -> RunStore: ...

    @property
    def artifacts(self) -> Any: ...

    @property
    def takeover(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class AgentMount:
    """It hears what pages say, has endpoints of its own, and runs as long as the server."""

    chat: Chat
    endpoints: Callable[[Any], Sequence[Any]]
    running: Callable[[], AbstractAsyncContextManager[None]]
