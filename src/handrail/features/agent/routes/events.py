"""The agent's runs as pages see them: contract 2's chat events (§3.4).

Additions to the contract: `runStatus`, `restart` of a chatDelta, and what stands in `toolUsed` beside its state.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from handrail.faces.http.dialect import http_envelope
from handrail.features.agent.limits import Limits
from handrail.features.agent.routes.entries import MOST_TEXT, Entry, arguments_of, entries, status_of
from handrail.features.agent.texts import unmarked
from handrail.features.agent.tool_runner import effect_of
from handrail.kernel.registry import Registry
from handrail.ports.agent import AgentTask, Run, StoredTurn
from handrail.ports.errors import Failure
from handrail.ports.model import ToolUse


@dataclass(slots=True)
class _Growing:
    """A reply that is being written."""

    message_id: str
    target: str
    pieces: list[str] = field(default_factory=list)


class Pages(Protocol):
    """The pages that follow a task."""

    def tell(self, task_id: str, event: dict[str, Any], trace_id: str | None = None) -> None: ...

    def task_changed(self, task: AgentTask, reason: str | None = None) -> None: ...

    def task_noted(self, task_id: str) -> None: ...


class AgentEvents:
    def __init__(self, pages: Pages, registry: Registry, limits: Limits) -> None:
        self._pages = pages
        self._registry = registry
        self._limits = limits
        self._traces: dict[str, str | None] = {}
        self._growing: dict[str, _Growing] = {}

    def begins(self, task_id: str, trace_id: str | None) -> None:
        self._traces[task_id] = trace_id

    def followed(self, task_id: str) -> None:
        """A page has come in the middle of a reply: what was told of it is told again, as a new beginning."""
        if (growing := self._growing.get(task_id)) is not None:
            for text in ("", "".join(growing.pieces)):
                self._tell(task_id, _piece(growing.message_id, growing.target, text))

    def hear(self, task_id: str, message_id: str, target: str, text: str) -> None:
        growing = self._growing.get(task_id)
        if growing is None or growing.message_id != message_id or not text:
            growing = self._growing[task_id] = _Growing(message_id, target)
        growing.pieces.append(text)
        self._tell(task_id, _piece(message_id, target, text))

    def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        self._growing.pop(task_id, None)
        self._tell(task_id, _chat(message_id, target, {"finished": True, "delta": {"content": ""}, "content": text}))

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        event: dict[str, Any] = {"type": "toolUsed", "name": use.name, "actionId": use.execution_id, "status": status}
        if message_id:
            event |= {"messageId": message_id, "arguments": arguments_of(use)}
        if text:
            event["text"] = unmarked(text)[:MOST_TEXT]
        if (effect := effect_of(self._registry, use)) is not None:
            event["effect"] = effect
        self._tell(task_id, event)

    def succeeded(self, task_id: str, target: str, schema: str, data: dict[str, Any]) -> None:
        self._tell(task_id, _output(target, {"status": "success", "schemaName": schema, "data": data}))

    def failed(self, task_id: str, target: str, failure: Failure) -> None:
        error = http_envelope(failure)["error"]
        if failure.hint is not None:
            error["details"]["hint"] = failure.hint
        self._tell(task_id, _output(target, {"status": "error", "error": error}))

    def run_changed(self, run: Run) -> None:
        if run.status != "running":
            self._growing.pop(run.task_id, None)
        self._tell(run.task_id, {"type": "runStatus", **self.status(run)})

    def task_changed(self, task: AgentTask) -> None:
        self._pages.task_changed(task)

    def task_noted(self, task_id: str) -> None:
        self._pages.task_noted(task_id)

    def status(self, run: Run) -> dict[str, Any]:
        return status_of(run, self._limits)

    def entries(self, page: Sequence[StoredTurn]) -> list[Entry]:
        return entries(page, self._registry)

    def _tell(self, task_id: str, event: dict[str, Any]) -> None:
        """With the trace of the words that it answers (contract 2 §0.4)."""
        self._pages.tell(task_id, event, self._traces.get(task_id))


def _piece(message_id: str, target: str, text: str) -> dict[str, Any]:
    again = {} if text else {"restart": True}
    return _chat(message_id, target, {"finished": False, "delta": {"content": text}, **again})


def _chat(message_id: str, target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chatDelta", "sender": "assistant", "targetEventId": target, "messageId": message_id, **members}


def _output(target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "structuredOutput", **members, "isComplete": True, "targetEventId": target}
