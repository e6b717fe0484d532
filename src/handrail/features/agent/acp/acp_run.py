"""One run of another vendor's agent: forwards the person's message and stores what the agent says and does as turns."""

import asyncio
import json
import logging
import re
from dataclasses import replace
from typing import Any
from uuid import uuid4

import msgspec

from handrail.features.agent.acp.permission import FACE, NAME, FileChange, Params
from handrail.features.agent.acp.session import AcpSession, AcpSessions
from handrail.features.agent.context import RunContext
from handrail.features.agent.user_message import caller
from handrail.kernel.call import Call, new_execution_id
from handrail.kernel.gate import Gate
from handrail.ports.agent import AgentTask, Run, RunOptions
from handrail.ports.errors import Conflict, Declined, Failure, Internal
from handrail.ports.model import AssistantTurn, ToolResult, ToolUse, Turn, UserTurn

_MAX_RESULT_LENGTH = 20_000
_OUTPUT_KEYS = ("formatted_output", "aggregated_output", "output")
_FENCED = re.compile(r"\A(`{3,})[\w-]*\n(.*?)\n?\1\s*\Z", re.DOTALL)
"""Some agents report what a tool printed as a code block, for editors that show Markdown."""
_MARKS = {"completed": "x", "in_progress": "~"}
_STOP_REASONS = {
    "max_tokens": "reached its limit of tokens",
    "max_turn_requests": "reached its limit of steps",
    "refusal": "refuses to continue",
}

logger = logging.getLogger(__name__)


class AcpRun:
    def __init__(
        self, task: AgentTask, run: Run, message: UserTurn, sessions: AcpSessions, gate: Gate, context: RunContext
    ) -> None:
        self.task = task
        self.run = run
        self._message = message
        self._sessions = sessions
        self._gate = gate
        self._context = context
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

    async def resume(self) -> None:
        """Does nothing: such a run is never paused."""

    async def apply_options(self, options: RunOptions) -> None:
        async with self._changing:
            run = options.apply_to(self.run)
            self.run = await self._context.change(self.task, run, run.status, trouble=run.trouble)

    async def queue_message(self, message: UserTurn) -> bool:
        async with self._changing:
            if self.run.status != "running":
                return False
            queued = (*self.run.queued, message)
            self.run = await self._context.change(self.task, self.run, "running", trouble="", queued=queued)
            return True

    async def execute(self) -> None:
        try:
            session = await self._sessions.open(self.task.id, self.run.used_model)
            while await self._continue_or_end(session, await self._prompt(session)):
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
        """Returns the reason why the agent stopped."""
        text = "\n\n".join(part for part in (self._message.text, self._message.attached) if part)
        reason = await session.prompt(text, self._handle_update, lambda call: self._is_allowed(session, call))
        await self._end_message()
        return reason

    async def _continue_or_end(self, session: AcpSession, stop_reason: str) -> bool:
        """Takes the next queued message and returns True, or ends the run: this agent answers one message at a time."""
        async with self._changing:
            if self.run.queued:
                self._message, *rest = self.run.queued
                run = msgspec.structs.replace(self.run, queued=tuple(rest), target=self._message.id)
                saving = self._context.store.save(run, self.task.record, [self._message])
                self.run, self._message_id = run, _new_id()  # before waiting, so that a stop here can't queue it again
                await saving
                return True
            problem = _STOP_REASONS.get(stop_reason, "")
            trouble = f"{session.agent.title} {problem}." if problem else ""
            self.run = await self._context.change(self.task, self.run, "waiting", trouble=trouble, is_settled=True)
            return False

    async def _handle_update(self, update: Any) -> None:
        kind = update.session_update
        if kind == "agent_message_chunk" and (text := getattr(update.content, "text", "")):
            self._text += text
            self._context.listener.text_streamed(self.task.id, self._message_id, self.run.target, text)
        elif kind == "agent_thought_chunk" and (text := getattr(update.content, "text", "")):
            self._thinking += text
            self._context.listener.thinking_streamed(self.task.id, self._message_id, self.run.target, text)
        elif kind in ("tool_call", "tool_call_update"):
            await self._handle_call_update(update)
        elif kind == "plan":
            self._plan = "\n".join(f"- [{_MARKS.get(entry.status, ' ')}] {entry.content}" for entry in update.entries)
            self._context.listener.reply_completed(self.task.id, self._plan_id, self.run.target, self._plan)

    async def _handle_call_update(self, update: Any) -> None:
        """Merges an update, which has only what changed. A call is shown once it has parameters or is running."""
        call = self._calls.setdefault(update.tool_call_id, {"execution_id": new_execution_id()})
        call.update(update.model_dump(mode="json", exclude_none=True))
        use = _use(call)
        status = call.get("status", "pending")
        if status in ("completed", "failed"):
            del self._calls[update.tool_call_id]
            await self._end_call(use, _result(call), is_error=status == "failed")
        elif update.tool_call_id not in self._shown and (call.get("raw_input") or status == "in_progress"):
            self._shown.add(update.tool_call_id)
            self._context.listener.tool_used(self.task.id, self._message_id, use, "running")

    async def _end_call(self, use: ToolUse, text: str, *, is_error: bool) -> None:
        reply = AssistantTurn(self._text, (use,), id=self._message_id, thinking=self._thinking)
        result = ToolResult(use.id, use.execution_id, use.name, text, is_error=is_error)
        await self._context.store.add(self.task.id, reply, result)  # together, so that no call is left without a result
        if self._text:
            self._context.listener.reply_completed(self.task.id, self._message_id, self.run.target, self._text)
        status = "error" if is_error else "success"
        self._context.listener.tool_used(self.task.id, self._message_id, use, status, text)
        self._text, self._thinking, self._message_id = "", "", _new_id()

    async def _end_message(self) -> None:
        """Stores the message so far. Calls that haven't finished are stored as failed."""
        for call in list(self._calls.values()):
            await self._end_call(_use(call), "The agent stopped before this came to an end.", is_error=True)
        self._calls.clear()
        turns: list[Turn] = []
        if self._plan:
            turns.append(AssistantTurn(self._plan, id=self._plan_id))
        if self._text:
            turns.append(AssistantTurn(self._text, id=self._message_id, thinking=self._thinking))
            self._context.listener.reply_completed(self.task.id, self._message_id, self.run.target, self._text)
        if turns:
            await self._context.store.add(self.task.id, *turns)
        self._plan, self._text, self._thinking = "", "", ""

    async def _is_allowed(self, session: AcpSession, tool_call: Any) -> bool:
        """Asks the policy, or the person. The approval shows everything that the agent reported, and is bound to it."""
        call = {**self._calls.get(tool_call.tool_call_id, {}), **tool_call.model_dump(mode="json", exclude_none=True)}
        params = Params(
            session.agent.title,
            str(call.get("title") or "use a tool"),
            str(call.get("kind") or "other"),
            _json(call.get("raw_input")),
            [
                FileChange(part["path"], part["new_text"], part.get("old_text") or "")
                for part in call.get("content", [])
                if part.get("type") == "diff"
            ],
            [location["path"] for location in call.get("locations", [])],
        )
        try:
            await self._gate.run(Call(NAME, msgspec.to_builtins(params), self._caller, self.task.id))
        except Declined:
            return False
        except Failure as failure:
            logger.error("%s's request could not be shown to a person: %s", session.agent.title, failure.message)
            return False
        return True

    async def _fail(self, failure: Failure) -> None:
        await self._end_message()
        self._context.listener.failed(self.run.task_id, self.run.target, failure)
        trouble = f"{failure.message} {failure.hint}".strip()
        async with self._changing:
            self.run = await self._context.change(self.task, self.run, "waiting", trouble=trouble, is_settled=True)


def _new_id() -> str:
    return f"msg_{uuid4().hex}"


def _use(call: dict[str, Any]) -> ToolUse:
    title, execution_id = str(call.get("title") or "Tool"), call["execution_id"]
    return ToolUse(call["tool_call_id"], title, _json(call.get("raw_input")), execution_id)


def _json(value: Any) -> str:
    return "" if value in (None, {}) else json.dumps(value, ensure_ascii=False)


def _output(raw: Any) -> str:
    """The text that a command printed, if the agent reports it as one member of an object."""
    if isinstance(raw, dict):
        raw = next((raw[name] for name in _OUTPUT_KEYS if isinstance(raw.get(name), str)), raw)
    return raw if isinstance(raw, str) else _json(raw)


def _result(call: dict[str, Any]) -> str:
    parts = [part["content"].get("text", "") for part in call.get("content", []) if part.get("type") == "content"]
    texts = [_FENCED.sub(r"\2", text) for text in parts]
    if not any(texts) and call.get("raw_output") is not None:
        texts = [_output(call["raw_output"])]
    return "\n".join(filter(None, texts))[:_MAX_RESULT_LENGTH]
