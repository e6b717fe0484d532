"""One run of another agent: the person's words go to it, and what it says and does becomes turns of the task."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any
from uuid import uuid4

import msgspec

from handrail.features.agent.acp.permission import FACE, NAME, FileChange, Params
from handrail.features.agent.acp.session import AcpSession
from handrail.features.agent.acp.sessions import AcpSessions
from handrail.features.agent.context import RunContext
from handrail.features.agent.user_message import caller
from handrail.kernel.call import Call
from handrail.kernel.gate import Gate
from handrail.ports.agent import AgentTask, Run, RunOptions, RunStatus
from handrail.ports.errors import Conflict, Declined, Failure, Internal
from handrail.ports.model import AssistantTurn, ToolResult, ToolUse, Turn, UserTurn

_LONGEST_RESULT = 20_000
_PRINTED = ("formatted_output", "aggregated_output", "output")
_MARKS = {"completed": "x", "in_progress": "~"}
_STOPPED = {
    "max_tokens": "reached its limit of tokens",
    "max_turn_requests": "reached its limit of steps",
    "refusal": "refuses to continue",
}

logger = logging.getLogger(__name__)


class AcpRun:
    def __init__(
        self, task: AgentTask, run: Run, said: UserTurn, sessions: AcpSessions, gate: Gate, context: RunContext
    ) -> None:
        self.task = task
        self.run = run
        self._said = said
        self._sessions = sessions
        self._gate = gate
        self._at = context
        self._caller = replace(caller(run, run.used_model), face=FACE)
        self._message_id = _new_id()
        self._plan_id = _new_id()
        self._changing = asyncio.Lock()
        self._plan = ""
        self._text = ""
        self._thinking = ""
        self._calls: dict[str, dict[str, Any]] = {}
        self._shown: set[str] = set()

    async def pause(self, trouble: str = "") -> None:
        raise Conflict("This agent can't be paused.", hint="Stop it; your next message continues.", taskId=self.task.id)

    async def go_on(self) -> None:
        """It is never paused."""

    async def choose(self, limits: RunOptions) -> None:
        async with self._changing:
            chosen = limits.applied(self.run)
            self.run = await self._at.change(self.task, chosen, chosen.status, trouble=chosen.trouble)

    async def hear(self, said: UserTurn) -> bool:
        async with self._changing:
            if self.run.status != "running":
                return False
            queued = (*self.run.queued, said)
            self.run = await self._at.change(self.task, self.run, "running", trouble="", queued=queued)
            return True

    async def go(self) -> None:
        try:
            session = await self._sessions.of(self.task.id, self.run.used_model)
            while not await self._has_ended(session, await self._prompt(session)):
                pass
        except asyncio.CancelledError:
            await self._end_message()
            raise
        except Failure as failure:
            await self._fail(failure)
        except Exception as fault:
            logger.exception("a run of another agent failed")
            await self._fail(Internal(f"handrail failed: {type(fault).__name__}.", hint="Please report this."))

    async def _prompt(self, session: AcpSession) -> str:
        """Why it stopped."""
        stopped = await session.prompt(self._words(), self._hear, lambda call: self._may(session, call))
        await self._end_message()
        return stopped

    async def _has_ended(self, session: AcpSession, stopped: str) -> bool:
        """Another agent takes a message when it has answered the one before."""
        async with self._changing:
            if self.run.queued:
                self._said, *rest = self.run.queued
                run = msgspec.structs.replace(self.run, queued=tuple(rest), target=self._said.id)
                saving = self._at.store.save(run, self.task.record, [self._said])
                self.run, self._message_id = run, _new_id()  # at once: who stops here must not queue it once more
                await saving
                return False
            why = _STOPPED.get(stopped, "")
            trouble = f"{session.agent.title} {why}." if why else ""
            self.run = await self._at.change(self.task, self.run, "waiting", trouble=trouble, is_settled=True)
            return True

    def _words(self) -> str:
        return "\n\n".join(part for part in (self._said.text, self._said.attached) if part)

    async def _hear(self, update: Any) -> None:
        kind = update.session_update
        if kind == "agent_message_chunk" and (text := getattr(update.content, "text", "")):
            self._text += text
            self._at.listener.hear(self.task.id, self._message_id, self.run.target, text)
        elif kind == "agent_thought_chunk" and (text := getattr(update.content, "text", "")):
            self._thinking += text
            self._at.listener.thinks(self.task.id, self._message_id, self.run.target, text)
        elif kind in ("tool_call", "tool_call_update"):
            await self._hear_of_call(update)
        elif kind == "plan":
            self._plan = "\n".join(f"- [{_MARKS.get(each.status, ' ')}] {each.content}" for each in update.entries)
            self._at.listener.said(self.task.id, self._plan_id, self.run.target, self._plan)

    async def _hear_of_call(self, update: Any) -> None:
        """An update names what has changed; a call is shown once it has its parameters or runs."""
        told = update.model_dump(mode="json", exclude_none=True)
        known = self._calls.setdefault(update.tool_call_id, {})
        known.update(told)
        use = _use(known)
        status = known.get("status", "pending")
        if status in ("completed", "failed"):
            del self._calls[update.tool_call_id]
            await self._end_call(use, _result(known), is_error=status == "failed")
        elif update.tool_call_id not in self._shown and (known.get("raw_input") or status == "in_progress"):
            self._shown.add(update.tool_call_id)
            self._at.listener.tool_used(self.task.id, self._message_id, use, "running")

    async def _end_call(self, use: ToolUse, text: str, *, is_error: bool) -> None:
        said = AssistantTurn(self._text, (use,), id=self._message_id, thinking=self._thinking)
        returned = ToolResult(use.id, use.execution_id, use.name, text, is_error=is_error)
        await self._at.store.add(self.task.id, said, returned)  # together: no call is left without its outcome
        if self._text:
            self._at.listener.said(self.task.id, self._message_id, self.run.target, self._text)
        status = "error" if is_error else "success"
        self._at.listener.tool_used(self.task.id, self._message_id, use, status, text)
        self._text, self._thinking, self._message_id = "", "", _new_id()

    async def _end_message(self) -> None:
        """Calls that came to no end are on record as such."""
        for known in list(self._calls.values()):
            await self._end_call(_use(known), "The agent stopped before this came to an end.", is_error=True)
        self._calls.clear()
        turns: list[Turn] = []
        if self._plan:
            turns.append(AssistantTurn(self._plan, id=self._plan_id))
        if self._text:
            turns.append(AssistantTurn(self._text, id=self._message_id, thinking=self._thinking))
            self._at.listener.said(self.task.id, self._message_id, self.run.target, self._text)
        if turns:
            await self._at.store.add(self.task.id, *turns)
        self._plan, self._text, self._thinking = "", "", ""

    async def _may(self, session: AcpSession, tool_call: Any) -> bool:
        """Whether the rules or the person allow it. The approval shows and binds everything that the agent said."""
        known = {**self._calls.get(tool_call.tool_call_id, {}), **tool_call.model_dump(mode="json", exclude_none=True)}
        asked = Params(
            session.agent.title,
            str(known.get("title") or "use a tool"),
            str(known.get("kind") or "other"),
            _json(known.get("raw_input")),
            [
                FileChange(each["path"], each["new_text"], each.get("old_text") or "")
                for each in known.get("content", [])
                if each.get("type") == "diff"
            ],
            [each["path"] for each in known.get("locations", [])],
        )
        try:
            await self._gate.run(Call(NAME, msgspec.to_builtins(asked), self._caller, self.task.id))
        except Declined:
            return False
        except Failure as failure:
            logger.error("what %s asked could not be put to a person: %s", session.agent.title, failure.message)
            return False
        return True

    async def _fail(self, failure: Failure) -> None:
        await self._end_message()
        self._at.listener.failed(self.run.task_id, self.run.target, failure)
        await self._become("waiting", f"{failure.message} {failure.hint}".strip(), is_settled=True)

    async def _become(self, status: RunStatus, trouble: str = "", **changes: Any) -> None:
        async with self._changing:
            self.run = await self._at.change(self.task, self.run, status, trouble=trouble, **changes)


def _new_id() -> str:
    return f"msg_{uuid4().hex}"


def _use(known: dict[str, Any]) -> ToolUse:
    return ToolUse(known["tool_call_id"], str(known.get("title") or "Tool"), _json(known.get("raw_input")))


def _json(value: Any) -> str:
    return "" if value in (None, {}) else json.dumps(value, ensure_ascii=False)


def _output(raw: Any) -> str:
    """What a command printed, where the agent says that among other things."""
    if isinstance(raw, dict):
        raw = next((raw[name] for name in _PRINTED if isinstance(raw.get(name), str)), raw)
    return raw if isinstance(raw, str) else _json(raw)


def _result(known: dict[str, Any]) -> str:
    texts = [each["content"].get("text", "") for each in known.get("content", []) if each.get("type") == "content"]
    if not any(texts) and known.get("raw_output") is not None:
        texts = [_output(known["raw_output"])]
    return "\n".join(filter(None, texts))[:_LONGEST_RESULT]
