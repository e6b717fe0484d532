"""A run on its way: the model is asked, its wishes are carried out, until a person is needed.

Every turn is on disk before the next begins, so whoever finds the turns knows what is left to do.
"""

import asyncio
import logging
from collections.abc import Sequence
from uuid import uuid4

import msgspec

from handrail.contract.agent import Choice, Limit, Run, RunStatus
from handrail.contract.call import Caller, new_execution_id
from handrail.contract.errors import Conflict, Failure, Internal, Unsupported
from handrail.contract.model import Model, Noted, Replied, Reply, Returned, ToolUse, Turn
from handrail.core.agent import planning
from handrail.core.agent.auto_fix import check_may_mend
from handrail.core.agent.equipment import Equipment
from handrail.core.agent.instructions import instructions
from handrail.core.agent.limits import LimitReached
from handrail.core.agent.repetition import STOPPED_AFTER, WARNED_AFTER, repetitions
from handrail.core.agent.sight import drop_old_pictures
from handrail.core.agent.thinking import Question
from handrail.core.agent.wishes import last_reply, pending
from handrail.core.agent.wording import result_of

ENDING = "attempt_completion"
_EMPTY = "You answered with nothing. Go on, or call attempt_completion, or ask the person."
_CIRCLES = "You have made this very call several times with the same outcome. Try something else, or ask the person."

logger = logging.getLogger(__name__)


class Errand:
    def __init__(self, run: Run, turns: Sequence[Turn], model: Model, equipment: Equipment) -> None:
        self.run = run
        self._turns = list(turns)
        self._model = model
        self._at = equipment
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._caller = Caller("agent", model.name, "handrail")
        if run.status == "paused":
            self._is_free.clear()

    async def pause(self, trouble: str = "") -> None:
        """The step that is under way is finished; the next one waits."""
        if self.run.status not in ("running", "paused"):
            raise Conflict("The agent has just come to an end.", taskId=self.run.task_id)
        self._is_free.clear()
        await self._become("paused", trouble)

    async def go_on(self) -> None:
        if self.run.status == "paused":
            self._is_free.set()
            await self._become("running")

    async def choose(self, limits: Choice) -> None:
        """They count from its next step on."""
        self.run = limits.applied(self.run)
        await self._become(self.run.status, self.run.trouble)

    async def go(self) -> None:
        """Until the person is needed. What the agent can't mend is told, and the run rests."""
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
        """Whether there is a next one."""
        await self._is_free.wait()
        if wished := pending(self._turns):
            return await self._carry_out(wished)
        last = self._turns[-1] if self._turns else None
        if isinstance(last, Replied):
            return await self._rest(last)
        if self._is_done():
            await self._become("waiting", is_completed=True)
            return False
        if self.run.mode == "plan" and last is not None and planning.is_confirmation(last):
            self.run = msgspec.structs.replace(self.run, mode="act")
            await self._become(self.run.status)
        await self._warn_of_circles()
        await self._think()
        return True

    async def _think(self) -> None:
        task_id, message_id, target = self.run.task_id, f"msg_{uuid4().hex}", self.run.target
        audience, run = self._at.audience, self.run
        self._at.limits.check(run)
        reply = await self._at.thinking.reply(
            Question(
                task_id,
                self._model,
                instructions(run.mode, self._at.project, self._at.max_auto_fix()),
                self._turns,
                self._at.offers.in_mode(run.mode),
                lambda text: audience.hear(task_id, message_id, target, text),
                self._tell_of_waiting,
            )
        )
        self.run = msgspec.structs.replace(self.run, usage=self.run.usage + reply.usage, steps=self.run.steps + 1)
        replied = _numbered(reply, message_id)
        if replied.text or replied.uses:
            await self._add(replied)
        await self._become(self.run.status)
        if replied.text:
            await audience.said(task_id, message_id, target, replied.text)
        _check_is_whole(reply)
        if not replied.text and not replied.uses:
            await self._take_silence()

    async def _carry_out(self, wished: Sequence[ToolUse]) -> bool:
        task_id, audience, reply = self.run.task_id, self._at.audience, last_reply(self._turns)
        message_id = "" if reply is None else reply.id
        for use in wished:
            await self._is_free.wait()
            audience.tool_used(task_id, message_id, use, "running")

            async def progress(message: str, use: ToolUse = use) -> None:
                audience.tool_used(task_id, message_id, use, "running", message)

            if (returned := check_may_mend(self._turns, use, self._at.max_auto_fix())) is None:
                returned = await self._at.hands.use(task_id, use, self.run.mode, self._caller, progress)
            await self._come_back(message_id, use, returned)
        return True

    async def _come_back(self, message_id: str, use: ToolUse, returned: Returned) -> None:
        await self._add(returned)
        status = "error" if returned.is_error else "success"
        self._at.audience.tool_used(self.run.task_id, message_id, use, status, returned.text)
        if use.name == ENDING and not returned.is_error:
            self._at.audience.succeeded(self.run.task_id, self.run.target, ENDING, {"result": result_of(use)})

    def _is_done(self) -> bool:
        """The last reply said so, and nothing was said since."""
        last = self._turns[-1] if self._turns else None
        reply = last_reply(self._turns)
        if reply is None or not isinstance(last, Returned):
            return False
        ending = {use.execution_id for use in reply.uses if use.name == ENDING}
        return any(
            isinstance(turn, Returned) and turn.execution_id in ending and not turn.is_error for turn in self._turns
        )

    async def _rest(self, last: Replied) -> bool:
        """A plan goes to the person; everything else waits for the person's words."""
        if self.run.mode == "act" or not planning.steps_of(last.text):
            await self._become("waiting")
            return False
        answer = await planning.confirm(self._at.queue, self.run.task_id, last)
        await self._add(Noted(planning.confirmed(answer)))
        if answer.response.status != "ok" and not answer.response.remark:
            await self._become("waiting")
            return False
        return True

    async def _settle(self) -> None:
        """What the last process left without an outcome; what is known is not done again."""
        reply = last_reply(self._turns)
        if reply is None:
            return
        if reply.text:
            await self._at.audience.said(self.run.task_id, reply.id, self.run.target, reply.text)
        if not (wished := pending(self._turns)):
            return
        fate = await asyncio.to_thread(self._at.records.fate, wished)
        for use in wished:
            if (known := await asyncio.to_thread(self._at.records.outcome, use, fate)) is not None:
                await self._come_back(reply.id, use, known)
        if unknown := [use.name for use in wished if fate.is_unknown(use)]:
            await self.pause(f"handrail was cut off during {', '.join(unknown)}: look at what came of it, then go on.")

    async def _take_silence(self) -> None:
        if self._turns and self._turns[-1] == Noted(_EMPTY):
            raise Unsupported("The model answers with nothing.", hint="Say how it should go on.")
        await self._add(Noted(_EMPTY))

    async def _warn_of_circles(self) -> None:
        count = repetitions(self._turns)
        if count >= STOPPED_AFTER:
            raise Unsupported("The model goes round in circles.", hint="Say how it should go on.")
        if count == WARNED_AFTER and isinstance(self._turns[-1], Returned):
            await self._add(Noted(_CIRCLES))

    def _tell_of_waiting(self, seconds: float) -> None:
        trouble = f"The model's provider wants {seconds:.0f} s of patience."
        self._at.audience.waits(msgspec.structs.replace(self.run, trouble=trouble))

    async def _fail(self, failure: Failure) -> None:
        self._at.audience.failed(self.run.task_id, self.run.target, failure)
        reached = failure.limit if isinstance(failure, LimitReached) else None
        await self._become("waiting", failure.message, reached=reached)

    async def _add(self, turn: Turn) -> None:
        await self._at.store.add(self.run.task_id, turn)
        self._turns.append(turn)
        if isinstance(turn, Returned) and turn.pictures:
            drop_old_pictures(self._turns)

    async def _become(
        self, status: RunStatus, trouble: str = "", *, is_completed: bool = False, reached: Limit | None = None
    ) -> None:
        self.run = msgspec.structs.replace(
            self.run, status=status, trouble=trouble, is_completed=is_completed, reached=reached
        )
        await self._at.store.save(self.run)
        await self._at.audience.changed(self.run)


def _numbered(reply: Reply, message_id: str) -> Replied:
    uses = tuple(msgspec.structs.replace(use, execution_id=new_execution_id()) for use in reply.replied.uses)
    return msgspec.structs.replace(reply.replied, uses=uses, id=message_id)


def _check_is_whole(reply: Reply) -> None:
    if reply.stopped == "refusal":
        raise Unsupported("The model refused to answer.", hint="Say it in other words, or choose another model.")
    if reply.stopped == "length" and not reply.replied.uses:
        raise Unsupported("The model's answer was cut off at its longest.", hint="Say that it should go on.")
