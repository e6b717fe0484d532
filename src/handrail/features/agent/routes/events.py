"""Sends the agent's runs to pages as chat events of contract 2 (§3.4).

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

MOST_TEXT = 2_000
PLACES = 1_000
"""A reply's words and its tools have one number in the store and several here."""


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

    def begins(self, task_id: str, trace_id: str | None) -> None:
        self._traces[task_id] = trace_id

    def followed(self, task_id: str) -> None:
        """A page has come in the middle of a reply: what was told of it is told again, as a new beginning."""
        if (partial := self._partial.get(task_id)) is None:
            return
        for told, make in ((partial.thoughts, _thought), (partial.pieces, _piece)):
            if told:
                for text in ("", "".join(told)):
                    self._tell(task_id, make(partial.message_id, partial.target, text))

    def hear(self, task_id: str, message_id: str, target: str, text: str) -> None:
        partial = self._partial_of(task_id, message_id, target)
        _take(partial.pieces, text)
        self._tell(task_id, _piece(message_id, target, text))

    def thinks(self, task_id: str, message_id: str, target: str, text: str) -> None:
        partial = self._partial_of(task_id, message_id, target)
        _take(partial.thoughts, text)
        self._tell(task_id, _thought(message_id, target, text))

    def said(self, task_id: str, message_id: str, target: str, text: str) -> None:
        self._partial.pop(task_id, None)
        self._tell(task_id, _chat(message_id, target, {"finished": True, "delta": {"content": ""}, "content": text}))

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        event: dict[str, Any] = {"type": "toolUsed", "name": use.name, "actionId": use.execution_id, "status": status}
        if message_id:
            event |= {"messageId": message_id, "arguments": _arguments(use)}
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
            self._partial.pop(run.task_id, None)
        self._tell(run.task_id, {"type": "runStatus", **self.status(run)})

    def task_changed(self, task: AgentTask) -> None:
        self._pages.task_changed(task)

    def task_noted(self, task_id: str) -> None:
        self._pages.task_noted(task_id)

    def status(self, run: Run) -> dict[str, Any]:
        """`runStatus`, and `run` of a task's page."""
        usage: dict[str, Any] = {"inputTokens": run.usage.input_tokens, "outputTokens": run.usage.output_tokens}
        if run.usage.cost is not None:
            usage["cost"] = run.usage.cost
        if run.usage.is_estimated:
            usage["estimated"] = True
        told: dict[str, Any] = {
            "status": run.status,
            "mode": run.mode,
            "model": run.model or run.used_model,
            "usage": usage,
        }
        most = self._limits.of(run)
        told |= {"steps": run.steps, "mostSteps": most.steps, "mostCost": most.cost}
        told["canResume"] = run.can_resume
        if run.reached is not None:
            told["reached"] = run.reached
        return {**told, "trouble": run.trouble} if run.trouble else told

    def entries(self, page: Sequence[StoredTurn]) -> list[Entry]:
        """What was said and done in a task, as the chat page lists it. An addition to contract 2."""
        outcomes = {one.turn.execution_id: one.turn for one in page if isinstance(one.turn, ToolResult)}
        return [entry for one in page for entry in _entries(one, outcomes, self._registry)]

    def _partial_of(self, task_id: str, message_id: str, target: str) -> _PartialReply:
        partial = self._partial.get(task_id)
        if partial is None or partial.message_id != message_id:
            partial = self._partial[task_id] = _PartialReply(message_id, target)
        return partial

    def _tell(self, task_id: str, event: dict[str, Any]) -> None:
        """Sends an event with the trace id of the message that it answers (contract 2 §0.4)."""
        self._pages.tell(task_id, event, self._traces.get(task_id))


def _take(told: list[str], text: str) -> None:
    """An empty piece means that it starts again."""
    told.append(text) if text else told.clear()


def _piece(message_id: str, target: str, text: str) -> dict[str, Any]:
    again = {} if text else {"restart": True}
    return _chat(message_id, target, {"finished": False, "delta": {"content": text}, **again})


def _thought(message_id: str, target: str, text: str) -> dict[str, Any]:
    again = {} if text else {"restart": True}
    return {
        "type": "thinkingDelta",
        "targetEventId": target,
        "messageId": message_id,
        "delta": {"content": text},
        **again,
    }


def _chat(message_id: str, target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chatDelta", "sender": "assistant", "targetEventId": target, "messageId": message_id, **members}


def _output(target: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "structuredOutput", **members, "isComplete": True, "targetEventId": target}


def _entries(one: StoredTurn, outcomes: dict[str, ToolResult], registry: Registry) -> Iterator[Entry]:
    n, at = one.number * PLACES, one.at
    match one.turn:
        case UserTurn(id=id, text=text, attachments=attachments):
            yield Entry(n=n, kind="user", id=id, at=at, text=text, attachments=attachments or UNSET)
        case Note(text=text):
            yield Entry(n=n, kind="note", id=f"note_{one.number}", at=at, text=text)
        case AssistantTurn(text=text, uses=uses, id=id, thinking=thinking):
            if text or thinking:
                yield Entry(n=n, kind="assistant", id=id, at=at, text=text, thinking=thinking or UNSET)
            for index, use in enumerate(uses[: PLACES - 1], 1):
                yield _tool_entry(n + index, at, use, outcomes.get(use.execution_id), registry)


def _tool_entry(n: int, at: int, use: ToolUse, outcome: ToolResult | None, registry: Registry) -> Entry:
    tool = EntryTool(
        name=use.name,
        arguments=_arguments(use),
        execution_id=use.execution_id,
        status="running" if outcome is None else "error" if outcome.is_error else "success",
        effect=effect_of(registry, use) or UNSET,
    )
    text = "" if outcome is None else unmarked(outcome.text)[:MOST_TEXT]
    return Entry(n=n, kind="tool", id=use.execution_id, at=at, text=text, tool=tool)


def _arguments(use: ToolUse) -> dict[str, Any]:
    """Arguments for people: long texts are cut, and what is not JSON is shown as it was written."""
    try:
        given = json.loads(use.arguments or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return {"": _short(use.arguments)}
    return {name: _short(value) for name, value in given.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "…"
    if isinstance(value, dict | list) and len(spelled := json.dumps(value, ensure_ascii=False)) > MOST_TEXT:
        return spelled[:MOST_TEXT] + "…"
    return value
