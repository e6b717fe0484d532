"""The agent's runs as pages see them: contract 2's chat events (§3.4), and the task's status kept in step.

Additions to the contract: `runStatus`, `restart` of a chatDelta, and what stands in `toolUsed` beside its state.
"""

from dataclasses import dataclass, field
from typing import Any

from handrail.faces.http.dialect import http_envelope
from handrail.features.agent.limits import Limits
from handrail.features.agent.routes.entries import MOST_TEXT, arguments_of, status_of
from handrail.features.agent.texts import unmarked
from handrail.features.agent.tool_runner import effect_of
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.tasks import Task
from handrail.features.browser.routes.news import News
from handrail.kernel.registry import Registry
from handrail.ports.agent import Run
from handrail.ports.browser import Message, TaskStatus
from handrail.ports.errors import Failure
from handrail.ports.model import ToolUse


@dataclass(slots=True)
class _Growing:
    """A reply that is being written."""

    message_id: str
    target: str
    pieces: list[str] = field(default_factory=list)


class AgentEvents:
    def __init__(self, bus: LocalBus, news: News, registry: Registry, limits: Limits) -> None:
        self._bus = bus
        self._news = news
        self._registry = registry
        self._limits = limits
        self._at_work: set[str] = set()
        self._traces: dict[str, str | None] = {}
        self._growing: dict[str, _Growing] = {}

    def trace(self, task_id: str, trace_id: str | None) -> None:
        """What comes of the words that are about to be heard bears their trace (contract 2 §0.4)."""
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

    async def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        self._growing.pop(task_id, None)
        task = await self._bus.tasks.ensure(task_id)
        message = Message(id=message_id, role="assistant", content=text, timestamp=self._bus.now())
        await self._bus.tasks.add_message(task, message)
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

    def waits(self, run: Run) -> None:
        self._tell(run.task_id, {"type": "runStatus", **status_of(run, self._limits)})

    async def changed(self, run: Run) -> None:
        if run.status != "running":
            self._growing.pop(run.task_id, None)
        self.waits(run)
        task = await self._bus.tasks.ensure(run.task_id)
        self._count(task, is_busy=run.status in ("running", "paused"))
        wanted = _status(run)
        if task.record.status in ("takeover", wanted) or (run.status == "ended" and task.record.status == "completed"):
            return  # a person has it, or has ended it
        await self._bus.tasks.become(task, wanted)
        self._news.task_changed(task)

    def _tell(self, task_id: str, event: dict[str, Any]) -> None:
        self._news.tell(task_id, event, self._traces.get(task_id))

    def _count(self, task: Task, *, is_busy: bool) -> None:
        """A task with an agent at work is running, whatever its browser does."""
        if is_busy and task.id not in self._at_work:
            self._at_work.add(task.id)
            task.running += 1
        elif not is_busy and task.id in self._at_work:
            self._at_work.discard(task.id)
            task.running -= 1


def _status(run: Run) -> TaskStatus:
    if run.status == "running":
        return "running"
    if run.is_completed:
        return "completed"
    return "error" if run.status == "waiting" and run.trouble else "ongoing"


def _piece(message_id: str, target: str, text: str) -> dict[str, Any]:
    again = {} if text else {"restart": True}
    return _chat(message_id, target, {"finished": False, "delta": {"content": text}, **again})


def _chat(message_id: str, target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chatDelta", "sender": "assistant", "targetEventId": target, "messageId": message_id, **members}


def _output(target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "structuredOutput", **members, "isComplete": True, "targetEventId": target}
