"""Sends the events of the agent's runs to pages as chat events of contract 2 (§3.4).

Additions to the contract: `runStatus`, `thinkingDelta`, `restart` of a chatDelta, and more members of `toolUsed`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from handrail.faces.http.answers import http_envelope
from handrail.features.agent.limits import Limits
from handrail.features.agent.offers import Pages, unmarked
from handrail.features.agent.tool_runner import effect_of
from handrail.kernel.registry import Registry
from handrail.ports.agent import AgentTask, Run, StoredTurn
from handrail.ports.browser import Wire
from handrail.ports.errors import Failure
from handrail.ports.model import AssistantTurn, Attachment, Note, ToolResult, ToolUse, UserTurn

MAX_TEXT_LENGTH = 2_000
NUMBERS_PER_TURN = 1_000
"""A reply and its tool calls are one turn in the store, and several entries here."""


class EntryTool(Wire, frozen=True, kw_only=True):
    name: str
    arguments: dict[str, Any]
    execution_id: str
    status: Literal["running", "success", "error"]
    effect: str | UnsetType = UNSET


class Entry(Wire, frozen=True, kw_only=True):
    n: int
    kind: Literal["user", "assistant", "tool", "note"]
    id: str
    at: int
    text: str
    tool: EntryTool | UnsetType = UNSET
    attachments: tuple[Attachment, ...] | UnsetType = UNSET
    thinking: str | UnsetType = UNSET


@dataclass(slots=True)
class _PartialReply:
    """A reply that is still being written."""

    message_id: str
    target: str
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)


class AgentEvents:
    def __init__(self, pages: Pages, registry: Registry, limits: Limits) -> None:
        self._pages = pages
        self._registry = registry
        self._limits = limits
        self._traces: dict[str, str | None] = {}
        self._partial: dict[str, _PartialReply] = {}

    def run_started(self, task_id: str, trace_id: str | None) -> None:
        self._traces[task_id] = trace_id

    def page_followed(self, task_id: str) -> None:
        """Sends the current reply again from its start, because another page has begun to follow the task."""
        if (partial := self._partial.get(task_id)) is None:
            return
        for pieces, make in ((partial.thoughts, _thought), (partial.pieces, _piece)):
            if pieces:
                for text in ("", "".join(pieces)):
                    self._send(task_id, make(partial.message_id, partial.target, text))

    def text_streamed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        partial = self._partial_of(task_id, message_id, target)
        _add_piece(partial.pieces, text)
        self._send(task_id, _piece(message_id, target, text))

    def thinking_streamed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        partial = self._partial_of(task_id, message_id, target)
        _add_piece(partial.thoughts, text)
        self._send(task_id, _thought(message_id, target, text))

    def reply_completed(self, task_id: str, message_id: str, target: str, text: str) -> None:
        self._partial.pop(task_id, None)
        self._send(task_id, _chat(message_id, target, {"finished": True, "delta": {"content": ""}, "content": text}))

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        event: dict[str, Any] = {"type": "toolUsed", "name": use.name, "actionId": use.execution_id, "status": status}
        if message_id:
            event |= {"messageId": message_id, "arguments": _arguments(use)}
        if text:
            event["text"] = unmarked(text)[:MAX_TEXT_LENGTH]
        if (effect := effect_of(self._registry, use)) is not None:
            event["effect"] = effect
        self._send(task_id, event)

    def succeeded(self, task_id: str, target: str, schema: str, data: dict[str, Any]) -> None:
        self._send(task_id, _output(target, {"status": "success", "schemaName": schema, "data": data}))

    def failed(self, task_id: str, target: str, failure: Failure) -> None:
        error = http_envelope(failure)["error"]
        if failure.hint is not None:
            error["details"]["hint"] = failure.hint
        self._send(task_id, _output(target, {"status": "error", "error": error}))

    def run_changed(self, run: Run) -> None:
        if run.status != "running":
            self._partial.pop(run.task_id, None)
        self._send(run.task_id, {"type": "runStatus", **self.status(run)})

    def task_changed(self, task: AgentTask) -> None:
        self._pages.task_changed(task)

    def mark_task_changed(self, task_id: str) -> None:
        self._pages.mark_task_changed(task_id)

    def status(self, run: Run) -> dict[str, Any]:
        """The members of `runStatus`, also for a task's page."""
        usage: dict[str, Any] = {"inputTokens": run.usage.input_tokens, "outputTokens": run.usage.output_tokens}
        if run.usage.cost is not None:
            usage["cost"] = run.usage.cost
        if run.usage.is_estimated:
            usage["estimated"] = True
        status: dict[str, Any] = {
            "status": run.status,
            "mode": run.mode,
            "model": run.model or run.used_model,
            "usage": usage,
        }
        most = self._limits.of(run)
        status |= {"steps": run.steps, "mostSteps": most.steps, "mostCost": most.cost}
        status["canResume"] = run.can_resume
        if run.reached is not None:
            status["reached"] = run.reached
        return {**status, "trouble": run.trouble} if run.trouble else status

    def entries(self, page: Sequence[StoredTurn]) -> list[Entry]:
        """A page of a task's conversation, as the chat shows it. An addition to contract 2."""
        results = {stored.turn.execution_id: stored.turn for stored in page if isinstance(stored.turn, ToolResult)}
        return [entry for stored in page for entry in _entries(stored, results, self._registry)]

    def _partial_of(self, task_id: str, message_id: str, target: str) -> _PartialReply:
        partial = self._partial.get(task_id)
        if partial is None or partial.message_id != message_id:
            partial = self._partial[task_id] = _PartialReply(message_id, target)
        return partial

    def _send(self, task_id: str, event: dict[str, Any]) -> None:
        """Sends an event with the trace id of the message that it answers (contract 2 §0.4)."""
        self._pages.send_event(task_id, event, self._traces.get(task_id))


def _add_piece(pieces: list[str], text: str) -> None:
    """An empty piece means that the reply starts again."""
    pieces.append(text) if text else pieces.clear()


def _piece(message_id: str, target: str, text: str) -> dict[str, Any]:
    restart = {} if text else {"restart": True}
    return _chat(message_id, target, {"finished": False, "delta": {"content": text}, **restart})


def _thought(message_id: str, target: str, text: str) -> dict[str, Any]:
    restart = {} if text else {"restart": True}
    return {
        "type": "thinkingDelta",
        "targetEventId": target,
        "messageId": message_id,
        "delta": {"content": text},
        **restart,
    }


def _chat(message_id: str, target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chatDelta", "sender": "assistant", "targetEventId": target, "messageId": message_id, **members}


def _output(target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "structuredOutput", **members, "isComplete": True, "targetEventId": target}


def _entries(stored: StoredTurn, results: dict[str, ToolResult], registry: Registry) -> Iterator[Entry]:
    n, at = stored.number * NUMBERS_PER_TURN, stored.at
    match stored.turn:
        case UserTurn(id=id, text=text, attachments=attachments):
            yield Entry(n=n, kind="user", id=id, at=at, text=text, attachments=attachments or UNSET)
        case Note(text=text):
            yield Entry(n=n, kind="note", id=f"note_{stored.number}", at=at, text=text)
        case AssistantTurn(text=text, uses=uses, id=id, thinking=thinking):
            if text or thinking:
                yield Entry(n=n, kind="assistant", id=id, at=at, text=text, thinking=thinking or UNSET)
            for index, use in enumerate(uses[: NUMBERS_PER_TURN - 1], 1):
                yield _tool_entry(n + index, at, use, results.get(use.execution_id), registry)


def _tool_entry(n: int, at: int, use: ToolUse, result: ToolResult | None, registry: Registry) -> Entry:
    tool = EntryTool(
        name=use.name,
        arguments=_arguments(use),
        execution_id=use.execution_id,
        status="running" if result is None else "error" if result.is_error else "success",
        effect=effect_of(registry, use) or UNSET,
    )
    text = "" if result is None else unmarked(result.text)[:MAX_TEXT_LENGTH]
    return Entry(n=n, kind="tool", id=use.execution_id, at=at, text=text, tool=tool)


def _arguments(use: ToolUse) -> dict[str, Any]:
    """Arguments as people see them: long texts are cut, and invalid JSON is shown as a text."""
    try:
        arguments = json.loads(use.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return {"": _short(use.arguments)}
    return {name: _short(value) for name, value in arguments.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT_LENGTH else value[:MAX_TEXT_LENGTH] + "…"
    if isinstance(value, dict | list) and len(text := json.dumps(value, ensure_ascii=False)) > MAX_TEXT_LENGTH:
        return text[:MAX_TEXT_LENGTH] + "…"
    return value
