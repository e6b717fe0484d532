"""All runs of a server, one per task: starts, pauses, resumes, stops and recovers them."""

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
from handrail.ports.model import Model, ToolResult, ToolUse, Turn, UserTurn

OpenModel = Callable[[str], Awaitable[Model]]
"""Opens a model by name; an empty name means the one in use. Raises NoModel or WrongKey."""

OtherAgent = Callable[[AgentTask, Run, UserTurn], ActiveRun]
"""Creates a run of another vendor's agent, for the person's last message."""

_INTERRUPTED = (
    "handrail was restarted while the agent was working. Review its changes; your next message continues the work."
)
_NO_PLAN_MODE = "This agent can't work in Plan. Choose Act; its changes stay in its cage until you take them."

logger = logging.getLogger(__name__)


class Runs:
    def __init__(
        self,
        context: RunContext,
        open_model: OpenModel,
        find_other_agent: Callable[[str], OtherAgent | None] = lambda model: None,
    ) -> None:
        """`find_other_agent`: by the name that a task has in place of a model's; None if it is a model's."""
        self._context = context
        self._open_model = open_model
        self._find_other_agent = find_other_agent
        self._active: dict[str, tuple[ActiveRun, asyncio.Task[None]]] = {}
        self._lanes = Lanes()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Continues interrupted runs in the background, because loading a model would delay the server's start."""
        recovering = asyncio.create_task(self._recover_and_log())
        try:
            yield
        finally:
            recovering.cancel()
            await asyncio.wait({recovering})
            await self.close()

    async def send_message(self, task_id: str, message: UserMessage) -> None:
        """Starts a run, or queues the message in the active one. Raises Declined."""
        turn = message.said
        async with self._lanes.turn(task_id):
            run = await self.find(task_id) or Run(
                task_id=task_id, status="waiting", voice=message.voice, speaker=message.speaker
            )
            message.check_may_speak(run)
            self._check_project(run)
            task = await self._context.tasks.ensure(task_id)
            is_queued = any(queued.id == turn.id for queued in run.queued)
            if is_queued or await self._context.store.remembers(task_id, turn.id):
                await self._start_if_pending(task)  # a page that got no acknowledgement sends its message again
                return
            if (active := await self._find_active(task_id)) is not None and await self._deliver(
                task, active[0], message
            ):
                return
            await self._find_active(task_id)  # waits for a run that is just ending
            run = await self.find(task_id) or run
            turns = await self._context.store.turns(task_id)
            results = await self._context.recovery.missing_results(turns)
            new_turns: list[Turn] = [*results, *run.queued, turn]
            run = msgspec.structs.replace(
                message.choice.apply_to(run),
                project=self._context.project,
                voice=message.voice,
                speaker=message.speaker,
                target=turn.id,
                steps=0,
                queued=(),
            )
            task.receive_message(turn.text)
            run = task.set_agent_status(run, "running", has_begun=False)
            await self._context.store.save(run, task.record, new_turns)
            await questions.withdraw_plan(self._context.queue, last_reply(turns))
            self._report_results(task_id, results)
            self._context.listener.run_started(task_id, message.trace_id)
            await self._start(task, run)

    async def resume(self, task_id: str) -> Run:
        """Resumes a paused run, or one that was stopped or failed if something is left to do."""
        async with self._lanes.turn(task_id):
            if (active := await self._find_active(task_id)) is not None:
                await active[0].resume()
                return active[0].run
            run, turns = await self._require(task_id), await self._context.store.turns(task_id)
            self._check_project(run)
            if not run.queued and not questions.has_unfinished_work(turns, run.mode):
                raise Conflict("Nothing to resume.", hint="Say what should be done.", taskId=task_id)
            await self._start(await self._context.tasks.ensure(task_id), run)
            return await self._require(task_id)

    async def pause(self, task_id: str) -> Run:
        async with self._lanes.turn(task_id):
            if (active := await self._find_active(task_id)) is None:
                raise Conflict("The agent isn't working on this task.", taskId=task_id)
            await active[0].pause()
            return active[0].run

    async def stop(self, task_id: str) -> Run:
        """Cancels the current call. One that has passed its last checkpoint is finished and recorded."""
        async with self._lanes.turn(task_id):
            if (active := await self._find_active(task_id)) is not None:
                active[1].cancel()
                await asyncio.wait({active[1]})
            run = await self._require(task_id) if active is None else active[0].run
            turns = await self._context.store.turns(task_id)
            await questions.withdraw_plan(self._context.queue, last_reply(turns))
            if active is None and run.status not in ("running", "paused"):
                return run
            if results := await self._context.recovery.missing_results(turns):
                await self._context.store.add(task_id, *results)
            self._report_results(task_id, results)
            return await self._context.change(await self._context.tasks.ensure(task_id), run, "ended")

    async def stop_if_any(self, task_id: str) -> None:
        with suppress(NotFound):
            await self.stop(task_id)

    async def find(self, task_id: str) -> Run | None:
        if (active := self._active.get(task_id)) is not None:
            return active[0].run
        return await self._context.store.find(task_id)

    async def page(self, task_id: str, before: int | None, limit: int) -> Sequence[StoredTurn]:
        """The newest turns of a task before a number, oldest first."""
        return await self._context.store.page(task_id, before, limit)

    async def change(self, task_id: str, choice: RunOptions) -> Run:
        """Changes limits at once, mode and model for the next message. Raises Conflict for these during a run."""
        async with self._lanes.turn(task_id):
            if (active := await self._find_active(task_id)) is not None:
                if not choice.changes_only_limits:
                    raise Conflict("The agent is working on this task.", hint="Stop it first.", taskId=task_id)
                await active[0].apply_options(choice)
                return active[0].run
            run = choice.apply_to(await self.find(task_id) or Run(task_id=task_id, status="waiting"))
            task = await self._context.tasks.ensure(task_id)
            await self._context.store.save(run, task.record)
            self._context.listener.run_changed(run)
            return run

    async def recover(self) -> None:
        """Continues every run of this project that a crash or restart interrupted."""
        for run in await self._context.store.unfinished():
            await self._recover_one(run)

    async def _recover_one(self, unfinished: Run) -> None:
        async with self._lanes.turn(unfinished.task_id):
            run = await self.find(unfinished.task_id)  # the person may have resumed or stopped it already
            if run is None or run.task_id in self._active or run.status not in ("running", "paused"):
                return
            if self._is_of_this_project(run):
                await self._start(await self._context.tasks.ensure(run.task_id), run, is_recovered=True)

    async def close(self) -> None:
        """Called when the server ends: runs stay as they are, and the next server continues them."""
        tasks = [task for _, task in self._active.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _recover_and_log(self) -> None:
        try:
            await self.recover()
        except Failure as failure:
            logger.error("the agent's interrupted runs could not be continued: %s", failure.message)

    async def _find_active(self, task_id: str) -> tuple[ActiveRun, asyncio.Task[None]] | None:
        """The task's active run. Waits for one that has reported its end but hasn't returned yet."""
        active = self._active.get(task_id)
        if active is None or active[0].run.status in ("running", "paused"):
            return active
        await asyncio.wait({active[1]})
        await asyncio.sleep(0)  # lets its done callback run
        return None

    async def _start(self, task: AgentTask, run: Run, *, is_recovered: bool = False) -> None:
        """`is_recovered`: a run that was paused stays paused."""
        if (other := self._find_other_agent(run.model)) is not None:
            await self._start_other(task, run, other, is_recovered=is_recovered)
            return
        try:
            model = await self._open_model(run.model)
        except Failure as failure:
            run = task.set_agent_status(run, "waiting", has_begun=is_recovered, trouble=failure.message)
            await self._context.store.save(run, task.record)
            self._context.listener.failed(run.task_id, run.target, failure)
            if is_recovered:
                self._context.listener.run_changed(run)
                self._context.listener.task_changed(task)
            return
        turns = await self._context.store.turns(run.task_id)
        run = msgspec.structs.replace(run, used_model=model.name)
        status, trouble = (run.status, run.trouble) if is_recovered else ("running", "")
        run = await self._context.change(task, run, status, trouble=trouble)
        self._launch(AgentRun(task, run, turns, model, self._context))

    async def _start_other(self, task: AgentTask, run: Run, other: OtherAgent, *, is_recovered: bool) -> None:
        """A recovered one doesn't continue, because it isn't known what the other agent was doing."""
        run = msgspec.structs.replace(run, used_model=run.model)
        turns = await self._context.store.turns(run.task_id)
        message = next((turn for turn in reversed(turns) if isinstance(turn, UserTurn)), None)
        if is_recovered or message is None:
            await self._context.change(task, run, "waiting", trouble=_INTERRUPTED, is_settled=True)
            return
        if run.mode == "plan":
            await self._context.change(task, run, "waiting", trouble=_NO_PLAN_MODE, is_settled=True)
            return
        self._launch(other(task, await self._context.change(task, run, "running", trouble=""), message))

    def _launch(self, run: ActiveRun) -> None:
        task_id = run.run.task_id
        executing = asyncio.create_task(run.execute(), name=f"run of {task_id}")
        self._active[task_id] = run, executing
        executing.add_done_callback(lambda done: self._on_end(task_id, done))

    async def _start_if_pending(self, task: AgentTask) -> None:
        """Starts a run whose message was stored, but whose sender disconnected before it began."""
        if await self._find_active(task.id) is None:
            run = await self.find(task.id)
            if run is not None and run.status == "running":
                await self._start(task, run)

    async def _deliver(self, task: AgentTask, run: ActiveRun, message: UserMessage) -> bool:
        """Answers the open question with the message, or queues it for the next step. False if the run has ended."""
        question = await questions.open_question(self._context.queue, await self._context.store.turns(task.id))
        if question is None:
            task.receive_message(message.said.text)
            return await run.queue_message(message.said)
        message.check_may_answer()
        if message.said.attachments:
            raise InvalidParams("An answer to a question can't have attachments.", hint="Send them afterwards.")
        await self._context.queue.respond(*questions.answer(question, message.said.text), by="the chat")
        task.receive_message(message.said.text)
        await self._context.store.add_answer(task.record, message.said)  # stored, so that a repetition is recognized
        return True

    def _report_results(self, task_id: str, results: Sequence[ToolResult]) -> None:
        for result in results:
            use = ToolUse(result.use_id, result.tool, "", result.execution_id)
            status = "error" if result.is_error else "success"
            self._context.listener.tool_used(task_id, "", use, status, result.text)

    def _is_of_this_project(self, run: Run) -> bool:
        return run.project in ("", self._context.project)

    def _check_project(self, run: Run) -> None:
        if not self._is_of_this_project(run):
            raise Conflict(
                f"This task belongs to the project {run.project}.",
                hint="Open handrail in that project, or start a new task.",
                taskId=run.task_id,
            )

    async def _require(self, task_id: str) -> Run:
        if (run := await self.find(task_id)) is None:
            raise NotFound("The agent has never worked on this task.", taskId=task_id)
        return run

    def _on_end(self, task_id: str, done: asyncio.Task[None]) -> None:
        if (active := self._active.get(task_id)) is not None and active[1] is done:
            del self._active[task_id]
        if not done.cancelled() and (fault := done.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "a run failed", "exception": fault})
