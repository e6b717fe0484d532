"""What was said and done in a task, as the chat page lists it: an addition to contract 2."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from handrail.features.agent.limits import Limits
from handrail.features.agent.texts import unmarked
from handrail.features.agent.tool_runner import effect_of
from handrail.kernel.registry import Registry
from handrail.ports.agent import Run, StoredTurn
from handrail.ports.browser import Wire
from handrail.ports.model import Attachment, Noted, Replied, Returned, Said, ToolUse

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


def entries(page: Sequence[StoredTurn], registry: Registry) -> list[Entry]:
    outcomes = {one.turn.execution_id: one.turn for one in page if isinstance(one.turn, Returned)}
    return [entry for one in page for entry in _entries(one, outcomes, registry)]


def _entries(one: StoredTurn, outcomes: dict[str, Returned], registry: Registry) -> Iterator[Entry]:
    n, at = one.number * PLACES, one.at
    match one.turn:
        case Said(id=id, text=text, attachments=attachments):
            yield Entry(n=n, kind="user", id=id, at=at, text=text, attachments=attachments or UNSET)
        case Noted(text=text):
            yield Entry(n=n, kind="note", id=f"note_{one.number}", at=at, text=text)
        case Replied(text=text, uses=uses, id=id):
            if text:
                yield Entry(n=n, kind="assistant", id=id, at=at, text=text)
            for index, use in enumerate(uses[: PLACES - 1], 1):
                yield _tool_entry(n + index, at, use, outcomes.get(use.execution_id), registry)


def _tool_entry(n: int, at: int, use: ToolUse, outcome: Returned | None, registry: Registry) -> Entry:
    tool = EntryTool(
        name=use.name,
        arguments=arguments_of(use),
        execution_id=use.execution_id,
        status="running" if outcome is None else "error" if outcome.is_error else "success",
        effect=effect_of(registry, use) or UNSET,
    )
    text = "" if outcome is None else unmarked(outcome.text)[:MOST_TEXT]
    return Entry(n=n, kind="tool", id=use.execution_id, at=at, text=text, tool=tool)


def arguments_of(use: ToolUse) -> dict[str, Any]:
    """For people to look at: long texts by their beginning, and what is no JSON as it was written."""
    try:
        given = json.loads(use.arguments or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return {"": _short(use.arguments)}
    return {name: _short(value) for name, value in given.items()}


def status_of(run: Run, limits: Limits) -> dict[str, Any]:
    """`runStatus`, and `run` of the list."""
    usage: dict[str, Any] = {"inputTokens": run.usage.input_tokens, "outputTokens": run.usage.output_tokens}
    if run.usage.cost is not None:
        usage["cost"] = run.usage.cost
    told: dict[str, Any] = {
        "status": run.status,
        "mode": run.mode,
        "model": run.model or run.used_model,
        "usage": usage,
    }
    most = limits.of(run)
    told |= {"steps": run.steps, "mostSteps": most.steps, "mostCost": most.cost}
    told["canResume"] = run.can_resume
    if run.reached is not None:
        told["reached"] = run.reached
    return {**told, "trouble": run.trouble} if run.trouble else told


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "…"
    if isinstance(value, dict | list) and len(spelled := json.dumps(value, ensure_ascii=False)) > MOST_TEXT:
        return spelled[:MOST_TEXT] + "…"
    return value
