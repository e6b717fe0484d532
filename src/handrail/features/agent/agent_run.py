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
    STOP_AFTER,
    WARN_AFTER,
    LimitReached,
    LoopDetected,
    check_auto_fix,
    count_repetitions,
)
from handrail.features.agent.model_client import ModelRequest
from handrail.features.agent.pictures import drop_old_pictures
from handrail.features.agent.texts import completion_text, instructions
from handrail.features.agent.turns import (
    ENDING,
    check_is_complete,
    is_done,
    last_reply,
    pending_calls,
    with_execution_ids,
)
from handrail.features.agent.user_message import caller
from handrail.kernel.call import Progress
from handrail.ports.agent import AgentTask, Run, RunOptions, RunStatus
from handrail.ports.errors import Conflict, Failure, Internal, Unsupported
from handrail.ports.model import AssistantTurn, Model, Note, ToolOffer, ToolResult, ToolUse, Turn, UserTurn

_EMPTY_REPLY_NOTE = "Your answer was empty. Continue, call attempt_completion, or ask the person."
_LOOP_NOTE = "You have made this call several times with the same result. Try something else, or ask the person."

logger = logging.getLogger(__name__)


class AgentRun:
    def __init__(self, task: AgentTask, run: Run, turns: Sequence[Turn], model: Model, context: RunContext) -> None:
        self.task = task
        self.run = run
        self._turns = list(turns)
        self._model = model
        self._context = context
        self._may_continue = asyncio.Event()
        self._may_continue.set()
        self._changing = asyncio.Lock()
        self._caller = caller(run, model.name)
        if run.status == "paused":
            self._may_continue.clear()

    async def pause(self, trouble: str = "") -> None:
        """Lets the current step finish and waits before the next one."""
        if self.run.status not in ("running", "paused"):
            raise Conflict("The agent has just stopped.", taskId=self.run.task_id)
        self._may_continue.clear()
        await self._set_status("paused", trouble)

    async def resume(self) -> None:
        if self.run.status == "paused":
            self._may_continue.set()
            await self._set_status("running")

    async def apply_options(self, options: RunOptions) -> None:
        """Changes the model or the mode from the next step on."""
        await self._update(**options.changes)

    async def queue_message(self, message: UserTurn) -> bool:
        async with self._changing:
            if self.run.status not in ("running", "paused"):
                return False
            queued = (*self.run.queued, message)
            self.run = await self._context.change(self.task, self.run, self.run.status, trouble="", queued=queued)
            return True

    async def execute(self) -> None:
        """Runs until a person is needed. Reports errors that the agent can't fix, and then stops."""
        try:
            await self._settle_interrupted_calls()
            while await self._step():
                pass
        except Failure as failure:
            await self._fail(failure)
        except Exception as fault:
            logger.exception("a run failed")
            await self._fail(Internal(f"handrail failed: {type(fault).__name__}.", hint="Please report this."))

    async def _step(self) -> bool:
        """Makes one step. Returns whether another one follows."""
        await self._may_continue.wait()
        if calls := pending_calls(self._turns):
            await self._run_calls(calls)
            return True
        if self.run.queued:
            await self._read_queued()
        last = self._turns[-1] if self._turns else None
        if isinstance(last, AssistantTurn):
            return await self._finish_reply(last)
        if is_done(self._turns):
            return await self._end(is_completed=True, is_settled=True)
        if self.run.mode == "plan" and last is not None and questions.is_confirmation(last):
            await self._update(mode="act")
        await self._check_for_loop()
        await self._ask_model()
        return True

    async def _ask_model(self) -> None:
        task_id, message_id, target = self.run.task_id, f"msg_{uuid4().hex}", self.run.target
        listener, run, has_streamed = self._context.listener, self.run, False
        self._context.limits.check(run)

        def show(text: str) -> None:
            nonlocal has_streamed
            has_streamed = True
            listener.text_streamed(task_id, message_id, target, text)

        request = ModelRequest(
            task_id,
            self._model,
            instructions(run.mode, self._context.project, await self._context.max_auto_fix()),
            self._turns,
            self._offers(),
            show,
            self._report_wait,
            lambda text: listener.thinking_streamed(task_id, message_id, target, text),
        )
        try:
            reply = await self._context.model_client.reply(request)
        except BaseException:  # a reply that was stopped costs money, too
            await self._update(usage=self.run.usage + request.spent)
            raise
        turn = with_execution_ids(reply, message_id)
        if turn.text or turn.uses:
            await self._add(turn)
        await self._update(usage=self.run.usage + request.spent, steps=self.run.steps + 1)
        if turn.text or has_streamed:  # what was streamed may have been a call that the model wrote as text
            listener.reply_completed(task_id, message_id, target, turn.text)
        check_is_complete(reply)
        if not turn.text and not turn.uses:
            await self._handle_empty_reply()

    def _offers(self) -> Sequence[ToolOffer]:
        offers = self._context.offers.in_mode(self.run.mode)
        has_plan = self.run.mode == "act" and plan.confirmed_steps(self._turns)
        return [*offers, plan.CHECK_OFF] if has_plan else offers

    async def _read_queued(self) -> None:
        async with self._changing:
            messages = self.run.queued
            run = msgspec.structs.replace(self.run, queued=(), target=messages[-1].id, steps=0)
            await questions.withdraw_plan(self._context.queue, last_reply(self._turns))
            saving = self._context.store.save(run, self.task.record, messages)
            before, self.run = self.run, run  # before waiting, so that a stop here can't queue them again
            try:
                await saving
            except Failure:
                self.run = before
                raise
            self._turns += messages

    async def _run_calls(self, calls: Sequence[ToolUse]) -> None:
        task_id, listener, reply = self.run.task_id, self._context.listener, last_reply(self._turns)
        message_id = "" if reply is None else reply.id
        for use in calls:
            await self._may_continue.wait()
            listener.tool_used(task_id, message_id, use, "running")

            async def progress(message: str, use: ToolUse = use) -> None:
                listener.tool_used(task_id, message_id, use, "running", message)

            await self._record_result(message_id, use, await self._run_call(use, progress))

    async def _run_call(self, use: ToolUse, progress: Progress) -> ToolResult:
        if use.name == plan.CHECK_OFF.name:
            return plan.check_off(self._turns, use)
        if (refusal := check_auto_fix(self._turns, use, await self._context.max_auto_fix())) is not None:
            return refusal
        return await self._context.tools.run(self.run.task_id, use, self.run.mode, self._caller, progress)

    async def _record_result(self, message_id: str, use: ToolUse, result: ToolResult) -> None:
        await self._add(result)
        status = "error" if result.is_error else "success"
        self._context.listener.tool_used(self.run.task_id, message_id, use, status, result.text)
        if use.name == ENDING and not result.is_error:
            data = {"result": completion_text(use)}
            self._context.listener.succeeded(self.run.task_id, self.run.target, ENDING, data)

    async def _finish_reply(self, last: AssistantTurn) -> bool:
        """Asks the person to confirm a plan, or waits for the next message. Returns whether the run continues."""
        if self.run.mode == "act" or not questions.steps_of(last.text):
            return await self._end(is_settled=True)
        answer = await questions.confirm(self._context.queue, self.run.task_id, last)
        await self._add(Note(questions.answer_note(answer)))
        if answer.response.status != "ok" and not answer.response.remark:
            return await self._end(is_settled=True)
        return True

    async def _end(self, **changes: Any) -> bool:
        """Waits for the person's next message. True if one is queued already, so the run continues."""
        async with self._changing:
            if self.run.queued:
                return True
            self.run = await self._context.change(self.task, self.run, "waiting", trouble="", **changes)
            return False

    async def _settle_interrupted_calls(self) -> None:
        """Records results for calls that an earlier process left without one, and doesn't run those again."""
        reply = last_reply(self._turns)
        if reply is None:
            return
        if reply.text:
            self._context.listener.reply_completed(self.run.task_id, reply.id, self.run.target, reply.text)
        if not (calls := pending_calls(self._turns)):
            return
        past = await asyncio.to_thread(self._context.recovery.past_calls, calls)
        if unknown := [use.name for use in calls if past.is_unknown(use)]:  # paused first, in case of a crash here
            await self.pause(f"handrail was interrupted during {', '.join(unknown)}: check what happened, then resume.")
        for use in calls:
            if (result := await asyncio.to_thread(self._context.recovery.result, use, past)) is not None:
                await self._record_result(reply.id, use, result)

    async def _handle_empty_reply(self) -> None:
        if self._turns and self._turns[-1] == Note(_EMPTY_REPLY_NOTE):
            raise Unsupported("The model's answer is empty.", hint="Tell it how to continue.")
        await self._add(Note(_EMPTY_REPLY_NOTE))

    async def _check_for_loop(self) -> None:
        count = count_repetitions(self._turns)
        if count >= STOP_AFTER:
            raise LoopDetected
        if count == WARN_AFTER and isinstance(self._turns[-1], ToolResult):
            await self._add(Note(_LOOP_NOTE))

    def _report_wait(self, seconds: float) -> None:
        trouble = f"The model's provider asked to wait {seconds:.0f} s."
        self._context.listener.run_changed(msgspec.structs.replace(self.run, trouble=trouble))

    async def _fail(self, failure: Failure) -> None:
        self._context.listener.failed(self.run.task_id, self.run.target, failure)
        reached = failure.limit if isinstance(failure, LimitReached) else None
        can_resume = not isinstance(failure, LoopDetected) and questions.has_unfinished_work(self._turns, self.run.mode)
        await self._set_status("waiting", failure.message, reached=reached, is_settled=not can_resume)

    async def _add(self, turn: Turn) -> None:
        await self._context.store.add(self.run.task_id, turn)
        self._turns.append(turn)
        if isinstance(turn, ToolResult) and turn.pictures:
            drop_old_pictures(self._turns)

    async def _set_status(self, status: RunStatus, trouble: str = "", **changes: Any) -> None:
        async with self._changing:
            self.run = await self._context.change(self.task, self.run, status, trouble=trouble, **changes)

    async def _update(self, **changes: Any) -> None:
        """Changes the run's fields without changing its status."""
        async with self._changing:
            run = self.run
            self.run = await self._context.change(self.task, run, run.status, trouble=run.trouble, **changes)
