"""One run of the agent: asks the model and carries out its tool calls until a person is needed.

Every turn is stored before the next one starts, so a later process can read the turns and continue.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import msgspec

from handrail.features.agent import plan, questions
from handrail.features.agent.context import RunContext
from handrail.features.agent.limits import (
    STOPPED_AFTER,
    WARNED_AFTER,
    InCircles,
    LimitReached,
    check_may_mend,
    repetitions,
)
from handrail.features.agent.model_client import ModelRequest
from handrail.features.agent.pictures import drop_old_pictures
from handrail.features.agent.texts import instructions, result_of
from handrail.features.agent.turns import ENDING, check_is_whole, is_done, last_reply, numbered, pending
from handrail.features.agent.user_message import caller
from handrail.kernel.call import Progress
from handrail.ports.agent import AgentTask, Run, RunOptions, RunStatus
from handrail.ports.errors import Conflict, Failure, Internal, Unsupported
from handrail.ports.model import AssistantTurn, Model, Note, ToolOffer, ToolResult, ToolUse, Turn, UserTurn

_EMPTY = "You answered with nothing. Go on, or call attempt_completion, or ask the person."
_CIRCLES = "You have made this very call several times with the same outcome. Try something else, or ask the person."

logger = logging.getLogger(__name__)


class AgentRun:
    def __init__(self, task: AgentTask, run: Run, turns: Sequence[Turn], model: Model, context: RunContext) -> None:
        self.task = task
        self.run = run
        self._turns = list(turns)
        self._model = model
        self._at = context
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._changing = asyncio.Lock()
        self._caller = caller(run, model.name)
        if run.status == "paused":
            self._is_free.clear()

    async def pause(self, trouble: str = "") -> None:
        """Finishes the current step and waits before the next one."""
        if self.run.status not in ("running", "paused"):
            raise Conflict("The agent has just come to an end.", taskId=self.run.task_id)
        self._is_free.clear()
        await self._become("paused", trouble)

    async def go_on(self) -> None:
        if self.run.status == "paused":
            self._is_free.set()
            await self._become("running")

    async def choose(self, limits: RunOptions) -> None:
        """Changes the model or the mode from the next step on."""
        await self._note(**limits.chosen)

    async def hear(self, said: UserTurn) -> bool:
        async with self._changing:
            if self.run.status not in ("running", "paused"):
                return False
            queued = (*self.run.queued, said)
            self.run = await self._at.change(self.task, self.run, self.run.status, trouble="", queued=queued)
            return True

    async def go(self) -> None:
        """Runs until a person is needed. Reports errors that the agent can't fix, and then stops."""
        try:
            await self._settle()
            while await self._step():
                pass
        except Failure as failure:
            await self._fail(failure)
        except Exception as fault:
            logger.exception("a run failed")
            await self._fail(Internal(f"handrail failed: {type(fault).__name__}.", hint="Please report this."))

    async def _step(self) -> bool:
        """Makes one step. True if another one follows."""
        await self._is_free.wait()
        if calls := pending(self._turns):
            return await self._carry_out(calls)
        if self.run.queued:
            await self._read_queued()
        last = self._turns[-1] if self._turns else None
        if isinstance(last, AssistantTurn):
            return await self._rest(last)
        if is_done(self._turns):
            return await self._end(is_completed=True, is_settled=True)
        if self.run.mode == "plan" and last is not None and questions.is_confirmation(last):
            await self._note(mode="act")
        await self._warn_of_circles()
        await self._think()
        return True

    async def _think(self) -> None:
        task_id, message_id, target = self.run.task_id, f"msg_{uuid4().hex}", self.run.target
        listener, run = self._at.listener, self.run
        self._at.limits.check(run)
        asked = ModelRequest(
            task_id,
            self._model,
            instructions(run.mode, self._at.project, await self._at.max_auto_fix()),
            self._turns,
            self._offers(),
            lambda text: listener.hear(task_id, message_id, target, text),
            self._tell_of_waiting,
            lambda text: listener.thinks(task_id, message_id, target, text),
        )
        try:
            reply = await self._at.model_client.reply(asked)
        except BaseException:  # a reply that was stopped has its price, too
            await self._note(usage=self.run.usage + asked.spent)
            raise
        replied = numbered(reply, message_id)
        if replied.text or replied.uses:
            await self._add(replied)
        await self._note(usage=self.run.usage + asked.spent, steps=self.run.steps + 1)
        if replied.text:
            listener.said(task_id, message_id, target, replied.text)
        check_is_whole(reply)
        if not replied.text and not replied.uses:
            await self._take_silence()

    def _offers(self) -> Sequence[ToolOffer]:
        offered = self._at.offers.in_mode(self.run.mode)
        has_plan = self.run.mode == "act" and plan.confirmed_steps(self._turns)
        return [*offered, plan.CHECK_OFF] if has_plan else offered

    async def _read_queued(self) -> None:
        async with self._changing:
            said = self.run.queued
            run = msgspec.structs.replace(self.run, queued=(), target=said[-1].id, steps=0)
            await questions.withdraw_plan(self._at.queue, last_reply(self._turns))
            saving = self._at.store.save(run, self.task.record, said)
            unread, self.run = self.run, run  # before it is waited for: who stops here must not queue them once more
            try:
                await saving
            except Failure:
                self.run = unread
                raise
            self._turns += said

    async def _carry_out(self, calls: Sequence[ToolUse]) -> bool:
        task_id, listener, reply = self.run.task_id, self._at.listener, last_reply(self._turns)
        message_id = "" if reply is None else reply.id
        for use in calls:
            await self._is_free.wait()
            listener.tool_used(task_id, message_id, use, "running")

            async def progress(message: str, use: ToolUse = use) -> None:
                listener.tool_used(task_id, message_id, use, "running", message)

            await self._come_back(message_id, use, await self._outcome(use, progress))
        return True

    async def _outcome(self, use: ToolUse, progress: Progress) -> ToolResult:
        if use.name == plan.CHECK_OFF.name:
            return plan.check_off(self._turns, use)
        if (refused := check_may_mend(self._turns, use, await self._at.max_auto_fix())) is not None:
            return refused
        return await self._at.tools.run(self.run.task_id, use, self.run.mode, self._caller, progress)

    async def _come_back(self, message_id: str, use: ToolUse, returned: ToolResult) -> None:
        await self._add(returned)
        status = "error" if returned.is_error else "success"
        self._at.listener.tool_used(self.run.task_id, message_id, use, status, returned.text)
        if use.name == ENDING and not returned.is_error:
            self._at.listener.succeeded(self.run.task_id, self.run.target, ENDING, {"result": result_of(use)})

    async def _rest(self, last: AssistantTurn) -> bool:
        """Shows a plan to the person; otherwise waits for the person's next message."""
        if self.run.mode == "act" or not questions.steps_of(last.text):
            return await self._end(is_settled=True)
        answer = await questions.confirm(self._at.queue, self.run.task_id, last)
        await self._add(Note(questions.confirmed(answer)))
        if answer.response.status != "ok" and not answer.response.remark:
            return await self._end(is_settled=True)
        return True

    async def _end(self, **changes: Any) -> bool:
        """Waits for the person's next message, unless one has come meanwhile: then True."""
        async with self._changing:
            if self.run.queued:
                return True
            self.run = await self._at.change(self.task, self.run, "waiting", trouble="", **changes)
            return False

    async def _settle(self) -> None:
        """Records outcomes for calls that an earlier process left without one. Known outcomes are not repeated."""
        reply = last_reply(self._turns)
        if reply is None:
            return
        if reply.text:
            self._at.listener.said(self.run.task_id, reply.id, self.run.target, reply.text)
        if not (calls := pending(self._turns)):
            return
        past = await asyncio.to_thread(self._at.recovery.past_calls, calls)
        if unknown := [use.name for use in calls if past.is_unknown(use)]:  # paused first: a crash here loses nothing
            await self.pause(f"handrail was interrupted during {', '.join(unknown)}: check what happened, then resume.")
        for use in calls:
            if (known := await asyncio.to_thread(self._at.recovery.outcome, use, past)) is not None:
                await self._come_back(reply.id, use, known)

    async def _take_silence(self) -> None:
        if self._turns and self._turns[-1] == Note(_EMPTY):
            raise Unsupported("The model's answer is empty.", hint="Tell it how to continue.")
        await self._add(Note(_EMPTY))

    async def _warn_of_circles(self) -> None:
        count = repetitions(self._turns)
        if count >= STOPPED_AFTER:
            raise InCircles
        if count == WARNED_AFTER and isinstance(self._turns[-1], ToolResult):
            await self._add(Note(_CIRCLES))

    def _tell_of_waiting(self, seconds: float) -> None:
        trouble = f"The model's provider wants {seconds:.0f} s of patience."
        self._at.listener.run_changed(msgspec.structs.replace(self.run, trouble=trouble))

    async def _fail(self, failure: Failure) -> None:
        self._at.listener.failed(self.run.task_id, self.run.target, failure)
        reached = failure.limit if isinstance(failure, LimitReached) else None
        needs_words = isinstance(failure, InCircles) or not questions.is_something_left(self._turns, self.run.mode)
        await self._become("waiting", failure.message, reached=reached, is_settled=needs_words)

    async def _add(self, turn: Turn) -> None:
        await self._at.store.add(self.run.task_id, turn)
        self._turns.append(turn)
        if isinstance(turn, ToolResult) and turn.pictures:
            drop_old_pictures(self._turns)

    async def _become(self, status: RunStatus, trouble: str = "", **changes: Any) -> None:
        async with self._changing:
            self.run = await self._at.change(self.task, self.run, status, trouble=trouble, **changes)

    async def _note(self, **changes: Any) -> None:
        """Changes what is known of the run, and not whether it runs."""
        async with self._changing:
            run = self.run
            self.run = await self._at.change(self.task, run, run.status, trouble=run.trouble, **changes)
