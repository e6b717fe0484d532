"""A run on its way: the model is asked, its wishes are carried out, until a person is needed.

Every turn is on disk before the next begins, so whoever finds the turns knows what is left to do.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import uuid4

import msgspec

from handrail.contract.agent import Run, RunStatus, RunStore
from handrail.contract.call import Caller, new_execution_id
from handrail.contract.errors import Failure, Unsupported
from handrail.contract.model import Model, Noted, Replied, Reply, Returned, Said, ToolUse, Turn
from handrail.contract.prompts import PromptQueue
from handrail.core.agent import planning
from handrail.core.agent.audience import Audience
from handrail.core.agent.hands import Hands
from handrail.core.agent.instructions import instructions
from handrail.core.agent.offers import offers
from handrail.core.agent.repetition import STOPPED_AFTER, WARNED_AFTER, repetitions
from handrail.core.agent.thinking import Thinking
from handrail.core.registry import Registry

_ENDING = "attempt_completion"
_EMPTY = "You answered with nothing. Go on, or call attempt_completion, or ask the person."
_STOPPED = "The person stopped this before it was carried out."
_CIRCLES = "You have made this very call several times with the same outcome. Try something else, or ask the person."


@dataclass(frozen=True, slots=True)
class Equipment:
    store: RunStore
    audience: Audience
    hands: Hands
    thinking: Thinking
    queue: PromptQueue
    registry: Registry
    project: str
    max_auto_fix: Callable[[], int]
    most_steps: int = 100
    """Replies of the model to one message of a person's."""


class Errand:
    def __init__(self, run: Run, turns: Sequence[Turn], model: Model, equipment: Equipment) -> None:
        self.run = run
        self._turns = list(turns)
        self._model = model
        self._at = equipment
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._caller = Caller("agent", model.name, "handrail")

    def pause(self) -> None:
        """Before the next step; the one that is under way is finished."""
        self._is_free.clear()

    def go_on(self) -> None:
        self._is_free.set()

    async def go(self) -> None:
        """Until the person is needed. What the agent can't mend is told, and the run rests."""
        try:
            await self._settle_after_crash()
            for _ in range(self._at.most_steps):
                if not await self._step():
                    return
            raise Unsupported(
                f"The model took {self._at.most_steps} steps without an end.", hint="Say how it should go on."
            )
        except Failure as failure:
            self._at.audience.failed(self.run.task_id, self._target, failure)
            await self._become("waiting", failure.message)

    async def _step(self) -> bool:
        """Whether there is a next one."""
        await self._its_turn()
        if pending := self._pending():
            return await self._carry_out(pending)
        if isinstance(self._turns[-1], Replied):
            return await self._rest()
        await self._warn_of_circles()
        await self._think()
        return True

    async def _think(self) -> None:
        task_id, message_id, target = self.run.task_id, f"msg_{uuid4().hex}", self._target
        audience = self._at.audience
        reply = await self._at.thinking.reply(
            task_id,
            self._model,
            instructions(self.run.mode, self._at.project, self._at.max_auto_fix()),
            self._turns,
            offers(self._at.registry, self.run.mode),
            lambda text: audience.hear(task_id, message_id, target, text),
            lambda seconds: audience.changed(
                msgspec.structs.replace(self.run, trouble=f"The model's provider wants {seconds:.0f} s of patience.")
            ),
        )
        replied = _numbered(reply)
        await self._add(replied)
        self.run = msgspec.structs.replace(self.run, usage=self.run.usage + reply.usage)
        await self._become("running")
        if replied.text:
            await audience.said(task_id, message_id, target, replied.text)
        if reply.stopped == "refusal":
            raise Unsupported("The model refused to answer.", hint="Say it in other words, or choose another model.")
        if not replied.text and not replied.uses:
            await self._take_silence()

    async def _carry_out(self, pending: Sequence[ToolUse]) -> bool:
        task_id, audience = self.run.task_id, self._at.audience
        is_done = False
        for use in pending:
            await self._its_turn()
            audience.tool_used(task_id, use, "running")

            async def progress(message: str, use: ToolUse = use) -> None:
                audience.tool_used(task_id, use, "running", message)

            returned = await self._at.hands.use(task_id, use, self.run.mode, self._caller, progress)
            await self._add(returned)
            audience.tool_used(task_id, use, "error" if returned.is_error else "success", returned.text)
            is_done = is_done or (use.name == _ENDING and not returned.is_error)
        if is_done:
            audience.succeeded(task_id, self._target, _ENDING, {"uses": len(pending)})
            await self._become("waiting")
        return not is_done

    async def _rest(self) -> bool:
        """A plan goes to the person; everything else waits for the person's words."""
        last = self._turns[-1]
        if self.run.mode == "act" or not isinstance(last, Replied) or not planning.steps_of(last.text):
            await self._become("waiting")
            return False
        answer = await planning.confirm(self._at.queue, self.run.task_id, len(self._turns), last.text)
        await self._add(Noted(planning.confirmed(answer)))
        if answer.response.status != "ok":
            await self._become("waiting")
            return False
        self.run = msgspec.structs.replace(self.run, mode="act")
        await self._become("running")
        return True

    async def _settle_after_crash(self) -> None:
        pending = [use for use in self._pending() if use.execution_id]
        if not pending:
            return
        fate = await asyncio.to_thread(self._at.hands.fate, pending)
        for use in pending:
            if (known := self._at.hands.after_crash(use, fate)) is not None:
                await self._add(known)
                self._at.audience.tool_used(self.run.task_id, use, "error" if known.is_error else "success", known.text)
        if unknown := [use.name for use in pending if self._at.hands.is_unknown(use, fate)]:
            self.pause()
            await self._become("paused", f"handrail was cut off during {', '.join(unknown)}: look, then go on.")

    async def _take_silence(self) -> None:
        silent = [turn for turn in self._turns[-3:] if isinstance(turn, Noted) and turn.text == _EMPTY]
        if silent:
            raise Unsupported("The model answers with nothing.", hint="Say how it should go on.")
        await self._add(Noted(_EMPTY))

    async def _warn_of_circles(self) -> None:
        count = repetitions(self._turns)
        if count >= STOPPED_AFTER:
            raise Unsupported("The model goes round in circles.", hint="Say how it should go on.")
        if count == WARNED_AFTER:
            await self._add(Noted(_CIRCLES))

    def _pending(self) -> list[ToolUse]:
        """Wishes of the last reply without an outcome."""
        for index in range(len(self._turns) - 1, -1, -1):
            turn = self._turns[index]
            if isinstance(turn, Replied):
                had = {later.execution_id for later in self._turns[index:] if isinstance(later, Returned)}
                return [use for use in turn.uses if use.execution_id not in had]
            if isinstance(turn, Said):
                return []
        return []

    @property
    def _target(self) -> str:
        return next((turn.id for turn in reversed(self._turns) if isinstance(turn, Said)), "")

    async def _its_turn(self) -> None:
        if not self._is_free.is_set():
            if self.run.status != "paused":
                await self._become("paused")
            await self._is_free.wait()
            await self._become("running")

    async def _add(self, turn: Turn) -> None:
        await self._at.store.add(self.run.task_id, turn)
        self._turns.append(turn)

    async def _become(self, status: RunStatus, trouble: str = "") -> None:
        self.run = msgspec.structs.replace(self.run, status=status, trouble=trouble)
        await self._at.store.save(self.run)
        self._at.audience.changed(self.run)


def _numbered(reply: Reply) -> Replied:
    uses = tuple(msgspec.structs.replace(use, execution_id=new_execution_id()) for use in reply.replied.uses)
    return msgspec.structs.replace(reply.replied, uses=uses)


def outcomes_of_stopped(turns: Sequence[Turn]) -> list[Returned]:
    """For wishes that a stop left without an outcome: models want one for each."""
    uses = [use for turn in turns if isinstance(turn, Replied) for use in turn.uses]
    had = {turn.execution_id for turn in turns if isinstance(turn, Returned)}
    return [
        Returned(use.id, use.execution_id, use.name, _STOPPED, is_error=True)
        for use in uses
        if use.execution_id not in had
    ]
