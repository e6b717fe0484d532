"""All runs of a server, one per task: starts, stops, pauses, resumes and recovers them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import msgspec

from handrail.features.agent import questions
from handrail.features.agent.agent_run import AgentRun
from handrail.features.agent.context import RunContext
from handrail.features.agent.turns import last_reply
from handrail.features.agent.user_message import UserMessage
from handrail.kernel.lanes import Lanes
from handrail.ports.agent import ActiveRun, AgentTask, Run, RunOptions, StoredTurn
from handrail.ports.errors import Conflict, Failure, InvalidParams, NotFound
from handrail.ports.model import Model, ToolResult, ToolUse, UserTurn

Models = Callable[[str], Awaitable[Model]]
"""The model of a name, or the one that is set where the name is empty. NoModel, WrongKey."""

OtherAgent = Callable[[AgentTask, Run, UserTurn], ActiveRun]
"""A run of another agent than handrail's own, which gets the person's last words."""

_CUT_OFF = (
    "handrail was restarted while the agent worked. What it changed waits for review; your next message continues."
)

logger = logging.getLogger(__name__)


class Runs:
    def __init__(
        self, context: RunContext, models: Models, others: Callable[[str], OtherAgent | None] = lambda model: None
    ) -> None:
        """`others` gives another agent for the name that stands in a model's place."""
        self._at = context
        self._models = models
        self._others = others
        self._going: dict[str, tuple[ActiveRun, asyncio.Task[None]]] = {}
        self._lanes = Lanes()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What was cut off goes on, on the side: loading a model takes longer than a server may take to listen."""
        recovering = asyncio.create_task(self._recover_or_log())
        try:
            yield
        finally:
            recovering.cancel()
            await asyncio.wait({recovering})
            await self.close()

    async def say(self, task_id: str, message: UserMessage) -> None:
        """A run that is at work reads the message at its next step. Declined."""
        said = message.said
        async with self._lanes.turn(task_id):
            known = await self.find(task_id) or Run(
                task_id=task_id, status="waiting", voice=message.voice, speaker=message.speaker
            )
            message.check_may_speak(known)
            self._check_is_here(known)
            task = await self._at.tasks.ensure(task_id)
            if await self._at.store.remembers(task_id, said.id) or any(each.id == said.id for each in known.queued):
                await self._start_what_is_left(task)  # a page that did not hear that they were taken says them again
                return
            if (going := await self._at_work(task_id)) is not None and await self._hear(task, going[0], message):
                return
            await self._at_work(task_id)  # it may have ended just now
            known = await self.find(task_id) or known
            turns = await self._at.store.turns(task_id)
            left = await self._at.recovery.outcomes_of_unsettled(turns)
            run = msgspec.structs.replace(
                message.choice.applied(known),
                project=self._at.project,
                voice=message.voice,
                speaker=message.speaker,
                target=said.id,
                steps=0,
                queued=(),
            )
            task.hear(said.text)
            run = task.set_agent_status(run, "running", has_begun=False)
            await self._at.store.save(run, task.record, [*left, *known.queued, said])
            await questions.withdraw_plan(self._at.queue, last_reply(turns))
            self._tell_of(task_id, left)
            self._at.listener.begins(task_id, message.trace_id)
            await self._start(task, run)

    async def resume(self, task_id: str) -> Run:
        """What is paused goes on; what was stopped or failed, too, where something is left to do."""
        async with self._lanes.turn(task_id):
            if (going := await self._at_work(task_id)) is not None:
                await going[0].go_on()
                return going[0].run
            run, turns = await self._known(task_id), await self._at.store.turns(task_id)
            self._check_is_here(run)
            if not run.queued and not questions.is_something_left(turns, run.mode):
                raise Conflict("Nothing to resume.", hint="Say what should be done.", taskId=task_id)
            await self._start(await self._at.tasks.ensure(task_id), run)
            return await self._known(task_id)

    async def pause(self, task_id: str) -> Run:
        async with self._lanes.turn(task_id):
            if (going := await self._at_work(task_id)) is None:
                raise Conflict("The agent is not at work on this task.", taskId=task_id)
            await going[0].pause()
            return going[0].run

    async def stop(self, task_id: str) -> Run:
        """The call that is under way is cancelled: what passed its last checkpoint is finished, and on record."""
        async with self._lanes.turn(task_id):
            if (going := await self._at_work(task_id)) is not None:
                going[1].cancel()
                await asyncio.wait({going[1]})
            run = await self._known(task_id) if going is None else going[0].run
            turns = await self._at.store.turns(task_id)
            await questions.withdraw_plan(self._at.queue, last_reply(turns))
            if going is None and run.status not in ("running", "paused"):
                return run
            if left := await self._at.recovery.outcomes_of_unsettled(turns):
                await self._at.store.add(task_id, *left)
            self._tell_of(task_id, left)
            return await self._at.change(await self._at.tasks.ensure(task_id), run, "ended")

    async def stop_if_any(self, task_id: str) -> None:
        with suppress(NotFound):
            await self.stop(task_id)

    async def find(self, task_id: str) -> Run | None:
        if (going := self._going.get(task_id)) is not None:
            return going[0].run
        return await self._at.store.find(task_id)

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        """What was said and done in a task: the newest turns before that number, oldest first."""
        return await self._at.store.page(task_id, before, limit)

    async def change(self, task_id: str, choice: RunOptions) -> Run:
        """For the next words; limits count at once. Conflict of all others while the agent is at work."""
        async with self._lanes.turn(task_id):
            if (going := await self._at_work(task_id)) is not None:
                if not choice.changes_only_limits:
                    raise Conflict("The agent is at work on this task.", hint="Stop it first.", taskId=task_id)
                await going[0].choose(choice)
                return going[0].run
            run = choice.applied(await self.find(task_id) or Run(task_id=task_id, status="waiting"))
            task = await self._at.tasks.ensure(task_id)
            await self._at.store.save(run, task.record)
            self._at.listener.run_changed(run)
            return run

    async def recover(self) -> None:
        """After a crash or a restart: every run of this project goes on where it was."""
        for left in await self._at.store.unfinished():
            await self._recover_one(left)

    async def _recover_one(self, left: Run) -> None:
        async with self._lanes.turn(left.task_id):
            run = await self.find(left.task_id)  # the person may have been quicker
            is_left = run is not None and run.task_id not in self._going and run.status in ("running", "paused")
            if run is not None and is_left and self._is_here(run):
                await self._start(await self._at.tasks.ensure(run.task_id), run, is_recovered=True)

    async def close(self) -> None:
        """The server ends: runs stay as they are, and go on with the next one."""
        tasks = [task for _, task in self._going.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _recover_or_log(self) -> None:
        try:
            await self.recover()
        except Failure as failure:
            logger.error("runs of the agent stay where they were: %s", failure.message)

    async def _at_work(self, task_id: str) -> tuple[ActiveRun, asyncio.Task[None]] | None:
        """One that has told how it ended is waited for: who was told may be quicker than its last step."""
        going = self._going.get(task_id)
        if going is None or going[0].run.status in ("running", "paused"):
            return going
        await asyncio.wait({going[1]})
        await asyncio.sleep(0)  # what is to be done at its end is done then
        return None

    async def _start(self, task: AgentTask, run: Run, *, is_recovered: bool = False) -> None:
        """One that is recovered may have been paused, and stays so."""
        if (other := self._others(run.model)) is not None:
            await self._start_other(task, run, other, is_recovered=is_recovered)
            return
        try:
            model = await self._models(run.model)
        except Failure as failure:
            run = task.set_agent_status(run, "waiting", has_begun=is_recovered, trouble=failure.message)
            await self._at.store.save(run, task.record)
            self._at.listener.failed(run.task_id, run.target, failure)
            if is_recovered:
                self._at.listener.run_changed(run)
                self._at.listener.task_changed(task)
            return
        turns = await self._at.store.turns(run.task_id)
        run = msgspec.structs.replace(run, used_model=model.name)
        status, trouble = (run.status, run.trouble) if is_recovered else ("running", "")
        run = await self._at.change(task, run, status, trouble=trouble)
        self._let_go(AgentRun(task, run, turns, model, self._at))

    async def _start_other(self, task: AgentTask, run: Run, other: OtherAgent, *, is_recovered: bool) -> None:
        """What another agent did when it was cut off isn't known, so it doesn't continue by itself."""
        run = msgspec.structs.replace(run, used_model=run.model)
        said = next(
            (turn for turn in reversed(await self._at.store.turns(run.task_id)) if isinstance(turn, UserTurn)), None
        )
        if is_recovered or said is None:
            await self._at.change(task, run, "waiting", trouble=_CUT_OFF, is_settled=True)
            return
        self._let_go(other(task, await self._at.change(task, run, "running", trouble=""), said))

    def _let_go(self, agent: ActiveRun) -> None:
        task_id = agent.run.task_id
        going = asyncio.create_task(agent.go(), name=f"run of {task_id}")
        self._going[task_id] = agent, going
        going.add_done_callback(lambda done: self._ended(task_id, done))

    async def _start_what_is_left(self, task: AgentTask) -> None:
        """Its words are on disk, but who said them went before it began."""
        if await self._at_work(task.id) is None:
            run = await self.find(task.id)
            if run is not None and run.status == "running":
                await self._start(task, run)

    async def _hear(self, task: AgentTask, agent: ActiveRun, message: UserMessage) -> bool:
        """An open question takes the message as its answer; otherwise the agent reads it at its next step.

        False if the agent has just ended.
        """
        waiting = await questions.open_question(self._at.queue, await self._at.store.turns(task.id))
        if waiting is None:
            task.hear(message.said.text)
            return await agent.hear(message.said)
        message.check_may_answer()
        if message.said.attachments:
            raise InvalidParams("Words that answer a question have no attachments.", hint="Send them afterwards.")
        await self._at.queue.respond(*questions.answer(waiting, message.said.text), by="the chat")
        task.hear(message.said.text)
        await self._at.store.add_answer(task.record, message.said)  # remembered, it is not taken a second time
        return True

    def _tell_of(self, task_id: str, left: Sequence[ToolResult]) -> None:
        for returned in left:
            use = ToolUse(returned.use_id, returned.tool, "", returned.execution_id)
            status = "error" if returned.is_error else "success"
            self._at.listener.tool_used(task_id, "", use, status, returned.text)

    def _is_here(self, run: Run) -> bool:
        return run.project in ("", self._at.project)

    def _check_is_here(self, run: Run) -> None:
        if not self._is_here(run):
            raise Conflict(
                f"This task belongs to the project {run.project}.",
                hint="Open handrail in that project, or begin a new task.",
                taskId=run.task_id,
            )

    async def _known(self, task_id: str) -> Run:
        if (run := await self.find(task_id)) is None:
            raise NotFound("The agent was never at work on this task.", taskId=task_id)
        return run

    def _ended(self, task_id: str, done: asyncio.Task[None]) -> None:
        if (going := self._going.get(task_id)) is not None and going[1] is done:
            del self._going[task_id]
        if not done.cancelled() and (fault := done.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a run failed", "exception": fault})
