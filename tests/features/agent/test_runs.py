"""Runs without a server: starting, stopping, resuming and recovering them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from handrail.features.agent.context import RunContext
from handrail.features.agent.limits import Limits
from handrail.features.agent.model_client import ModelClient
from handrail.features.agent.recovery import PastCalls, Recovery
from handrail.features.agent.runs import Runs
from handrail.features.agent.user_message import UserMessage
from handrail.features.browser.bus.tasks import Tasks
from handrail.features.people.tools.ask_followup_question import Params, ask_followup_question
from handrail.kernel.call import Call, Progress
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.agent import Mode, Run, RunOptions, RunStatus
from handrail.ports.errors import Conflict, InputOutput
from handrail.ports.identity import PERSONS_CHAT, Caller
from handrail.ports.model import (
    AssistantTurn,
    Meter,
    Model,
    NoModel,
    Piece,
    Reply,
    ToolOffer,
    ToolResult,
    ToolUse,
    Turn,
    UserTurn,
)
from handrail.ports.model import Usage as Used
from handrail.ports.prompt_queue import PromptQueue, Receipt
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.browser_tables import browser_database
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.shared.agent_runs import RunRows
from handrail.stores.shared.browser_tasks import TaskRows
from tests.waiting import eventually

QUESTION = AssistantTurn("", (ToolUse("use_1", "ask_followup_question", "{}"),))
TASK = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
WISH = ToolUse("use_1", "write_to_file", "{}", "exec_1")


class Listening:
    """An audience that keeps what it is told."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.used: list[tuple[str, str]] = []
        self.has_used = asyncio.Event()
        self.has_rested = asyncio.Event()

    def run_changed(self, run: Run) -> None:
        self.runs.append(run)
        self.has_rested.set() if run.status != "running" else self.has_rested.clear()

    def tool_used(self, task_id: str, message_id: str, use: ToolUse, status: str, text: str = "") -> None:
        self.used.append((status, text))
        self.has_used.set()

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: None


class Unasked:
    """A queue in which nothing waits."""

    async def pending(self) -> list[Any]:
        return []


class CutOff(Recovery):
    """The records of a process that died during the one call: it had begun."""

    def __init__(self) -> None: ...

    def past_calls(self, uses: Sequence[ToolUse]) -> PastCalls:
        return PastCalls({}, {use.execution_id: {} for use in uses})

    def result(self, use: ToolUse, past: PastCalls) -> ToolResult:
        return ToolResult(use.id, use.execution_id, use.name, "unknown", is_error=True)


class Silent:
    """A model that says one word."""

    name = "silent"

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        yield Reply(AssistantTurn("Yes."), Used())


class Scripted:
    """A model that says one thing after the other."""

    name = "scripted"

    def __init__(self, *replies: AssistantTurn) -> None:
        self._replies = list(replies)

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        yield Reply(self._replies.pop(0), Used())

    async def named(self, name: str) -> Model:
        return self


class Asking:
    """Hands that can do nothing but ask the person."""

    def __init__(self, queue: PromptQueue | None) -> None:
        self._queue = queue

    async def run(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> ToolResult:
        assert self._queue is not None
        call = Call(use.name, {}, caller, task_id, execution_id=use.execution_id)
        result = await ask_followup_question(self._queue, call, Params("Which?"), None)
        return ToolResult(use.id, use.execution_id, use.name, str(result.answer), is_error=False)


async def asked(queue: PromptQueue, prefix: str) -> str:
    """The id of the question that begins so, once it waits."""

    async def ids() -> list[str]:
        return [entry.request_id for entry in await queue.pending() if entry.request_id.startswith(prefix)]

    return (await eventually(ids, prefix))[0]


class Rig:
    def __init__(
        self,
        folder: Path,
        models: Callable[[str], Awaitable[Model]],
        project: str = "/here",
        queue: PromptQueue | None = None,
    ) -> None:
        self.batches = SqliteBatches(browser_database(folder))
        self.store = RunRows(self.batches)
        self.audience = Listening()
        self.tasks = Tasks(TaskRows(self.batches))
        context = RunContext(
            tasks=self.tasks,
            store=self.store,
            listener=cast("Any", self.audience),
            tools=cast("Any", Asking(queue)),
            recovery=CutOff(),
            model_client=ModelClient(self.store, 100_000),
            queue=queue or cast("Any", Unasked()),
            offers=cast("Any", _NoOffers()),
            project=project,
            max_auto_fix=one_fix,
            limits=Limits(),
        )
        self.runs = Runs(context, models)

    async def say(self, id: str = "evt-1", text: str = "words", mode: Mode = "act") -> None:
        await self.runs.send_message(TASK, UserMessage(UserTurn(id, text), PERSONS_CHAT, RunOptions(mode=mode)))

    async def leave(self, *turns: Turn, status: RunStatus = "running") -> None:
        """As a process that was killed leaves it."""
        task = await self.tasks.ensure(TASK)
        await self.store.save(Run(task_id=TASK, status=status, project="/here"), task.record, turns)

    async def messages(self) -> list[str]:
        return [message.content for message in await self.tasks.messages(TASK)]

    async def replies(self) -> list[Turn]:
        return [turn for turn in await self.store.turns(TASK) if isinstance(turn, AssistantTurn)]

    async def close(self) -> None:
        await self.runs.close()
        await self.batches.close()


async def one_fix() -> int:
    return 1


class _NoOffers:
    def in_mode(self, mode: str) -> Sequence[ToolOffer]:
        return ()


async def silent(name: str) -> Model:
    return Silent()


def test_words_and_their_run_are_on_disk_before_a_model_is_looked_for(tmp_path: Path) -> None:
    async def work() -> None:
        is_requested, never = asyncio.Event(), asyncio.Event()

        async def slow(name: str) -> Model:
            is_requested.set()
            await never.wait()
            raise NoModel("none")

        rig = Rig(tmp_path, slow)
        saying = asyncio.create_task(rig.say())
        await is_requested.wait()
        saying.cancel()  # as the process that ends here
        await asyncio.wait({saying})
        assert await rig.store.turns(TASK) == [UserTurn("evt-1", "words")]
        assert [run.status for run in await rig.store.unfinished()] == ["running"]
        await rig.close()
        another = Rig(tmp_path, silent)
        await another.runs.recover()
        await asyncio.wait_for(another.audience.has_rested.wait(), 20)
        await another.say()  # the page sends it again: it is the same message
        await asyncio.wait_for(another.audience.has_rested.wait(), 20)
        turns = await another.store.turns(TASK)
        assert [type(turn) for turn in turns] == [UserTurn, AssistantTurn]
        await another.close()

    asyncio.run(work())


def test_a_run_that_was_not_recovered_yet_can_be_stopped(tmp_path: Path) -> None:
    async def work() -> None:
        rig = Rig(tmp_path, silent)
        await rig.leave(UserTurn("evt-1", "words"), AssistantTurn("", (WISH,)))
        assert (await rig.runs.stop(TASK)).status == "ended"
        await rig.runs.recover()
        assert (await rig.runs.stop(TASK)).status == "ended"
        assert rig.audience.used == [("error", "unknown")]
        assert isinstance((await rig.store.turns(TASK))[-1], ToolResult)
        await rig.close()

    asyncio.run(work())


def test_a_run_continues_only_in_its_own_project(tmp_path: Path) -> None:
    async def work() -> None:
        rig = Rig(tmp_path, silent, project="/elsewhere")
        await rig.leave(UserTurn("evt-1", "words"))
        await rig.runs.recover()
        assert rig.audience.runs == []
        with pytest.raises(Conflict, match="/here"):
            await rig.runs.resume(TASK)
        with pytest.raises(Conflict, match="/here"):
            await rig.say("evt-2")
        await rig.close()

    asyncio.run(work())


def test_an_unknown_outcome_pauses_the_run_before_it_is_written_down(tmp_path: Path) -> None:
    async def work() -> None:
        rig = Rig(tmp_path, silent)
        await rig.leave(UserTurn("evt-1", "words"), AssistantTurn("", (WISH,)))
        statuses: list[str] = []
        add = rig.store.add

        def adding(task_id: str, *turns: Turn) -> asyncio.Future[None]:
            statuses.append(rig.audience.runs[-1].status)
            return add(task_id, *turns)

        rig.store.add = adding  # type: ignore[method-assign]
        await rig.runs.recover()
        await asyncio.wait_for(rig.audience.has_used.wait(), 20)
        assert statuses == ["paused"]
        await rig.close()

    asyncio.run(work())


def test_words_answer_the_runs_own_question_and_none_that_names_its_task(tmp_path: Path) -> None:
    async def work() -> None:
        queue = LogPromptQueue(prompt_store(tmp_path))
        rig = Rig(tmp_path, Scripted(QUESTION, AssistantTurn("Thanks.")).named, queue=queue)
        foreign = {"kind": "kv", "source": "handrail/ask_followup_question", "fields": [{"key": "answer"}]}
        await queue.request(foreign, request_id="theirs", run_id=TASK)
        await rig.say()
        await asked(queue, "ask_")
        await rig.say("evt-2", "the blue one")
        await asyncio.wait_for(rig.audience.has_rested.wait(), 20)
        assert [one.text for one in await rig.store.turns(TASK) if isinstance(one, ToolResult)] == ["the blue one"]
        assert [entry.request_id for entry in await queue.pending()] == ["theirs"]
        await rig.close()
        await queue.close()

    asyncio.run(work())


def test_a_message_whose_answer_cannot_be_stored_is_accepted_when_sent_again(tmp_path: Path) -> None:
    class FullOnce(LogPromptQueue):
        is_full = True

        async def respond(self, *answer: Any, **how: Any) -> Receipt:
            if self.is_full:
                self.is_full = False
                raise InputOutput("No space left.")
            return await super().respond(*answer, **how)

    async def work() -> None:
        queue = FullOnce(prompt_store(tmp_path))
        rig = Rig(tmp_path, Scripted(QUESTION, AssistantTurn("Thanks.")).named, queue=queue)
        await rig.say()
        await asked(queue, "ask_")
        with pytest.raises(InputOutput):
            await rig.say("evt-2", "the blue one")
        assert await rig.messages() == ["words"]
        await rig.say("evt-2", "the blue one")
        assert "the blue one" in await rig.messages()
        await asyncio.wait_for(rig.audience.has_rested.wait(), 20)
        await rig.close()
        await queue.close()

    asyncio.run(work())


def test_a_message_interrupted_before_its_run_starts_it_when_sent_again(tmp_path: Path) -> None:
    async def work() -> None:
        asked_for, never = asyncio.Event(), asyncio.Event()

        async def slow_once(name: str) -> Model:
            if not asked_for.is_set():
                asked_for.set()
                await never.wait()
            return Silent()

        rig = Rig(tmp_path, slow_once)
        saying = asyncio.create_task(rig.say())
        await asked_for.wait()
        saying.cancel()
        await asyncio.wait({saying})
        await rig.say()
        await asyncio.wait_for(rig.audience.has_rested.wait(), 20)
        await rig.say()  # it has ended by now: nothing is left to begin
        assert [type(turn) for turn in await rig.store.turns(TASK)] == [UserTurn, AssistantTurn]
        await rig.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    "does", [lambda rig: rig.runs.stop(TASK), lambda rig: rig.say("evt-2")], ids=["a stop", "other words"]
)
def test_a_waiting_plan_is_withdrawn_by_a_stop_and_by_another_message(
    tmp_path: Path, does: Callable[[Rig], Awaitable[object]]
) -> None:
    async def nobody(name: str) -> Model:
        raise NoModel("none")

    async def work() -> None:
        queue = LogPromptQueue(prompt_store(tmp_path))
        rig = Rig(tmp_path, Scripted(AssistantTurn("- [ ] one")).named, queue=queue)
        await rig.say(mode="plan")
        request_id = await asked(queue, "plan_")
        await rig.close()
        another = Rig(tmp_path, nobody, queue=queue)
        await another.runs.recover()  # without a model it rests, and its plan stands
        assert [entry.request_id for entry in await queue.pending()] == [request_id]
        await does(another)
        assert await queue.pending() == []
        await another.close()
        await queue.close()

    asyncio.run(work())


class Gated:
    """A model that says nothing until it may; what it costs is known from the start."""

    name = "gated"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        yield Meter(lambda: Used(10, 1, is_estimated=True))
        self.asked.set()
        await self.may_answer.wait()
        yield Reply(AssistantTurn("Yes."), Used(10, 5))

    async def named(self, name: str) -> Model:
        return self


class SlowDisk:
    """Writes of runs of which those that matter are done at once, and told to be done later."""

    def __init__(self, store: RunRows, matters: Callable[[Run, Sequence[Turn]], bool]) -> None:
        self._save = store.save
        self._matters = matters
        self.has_written = asyncio.Event()
        self.may_tell = asyncio.Event()
        store.save = self.save  # type: ignore[method-assign]

    def save(self, run: Run, task: Any, turns: Sequence[Turn] = ()) -> asyncio.Future[None]:
        written = self._save(run, task, turns)
        return asyncio.ensure_future(self._finish_later(written)) if self._matters(run, turns) else written

    async def _finish_later(self, written: asyncio.Future[None]) -> None:
        await written
        self.has_written.set()
        await self.may_tell.wait()


def test_the_cost_of_a_stopped_reply_is_counted_as_an_estimate(tmp_path: Path) -> None:
    async def work() -> None:
        model = Gated()
        rig = Rig(tmp_path, model.named)
        await rig.say()
        await model.asked.wait()
        assert (await rig.runs.stop(TASK)).usage == Used(10, 1, is_estimated=True)
        await rig.close()

    asyncio.run(work())


def test_the_cost_of_a_reply_interrupted_by_the_servers_shutdown_is_stored(tmp_path: Path) -> None:
    async def work() -> None:
        model = Gated()
        rig = Rig(tmp_path, model.named)
        await rig.say()
        await model.asked.wait()
        await rig.close()
        another = Rig(tmp_path, silent)
        (unfinished,) = await another.store.unfinished()
        assert unfinished.usage == Used(10, 1, is_estimated=True)
        await another.close()

    asyncio.run(work())


def test_a_message_that_arrives_as_a_reply_ends_does_not_reset_its_cost(tmp_path: Path) -> None:
    async def work() -> None:
        model = Gated()
        rig = Rig(tmp_path, model.named)
        await rig.say()
        await model.asked.wait()
        disk = SlowDisk(rig.store, lambda run, turns: bool(run.queued))
        saying = asyncio.create_task(rig.say("evt-2", "more"))
        await disk.has_written.wait()
        model.may_answer.set()
        await eventually(lambda: rig.replies())
        disk.may_tell.set()
        await saying
        await asyncio.wait_for(rig.audience.has_rested.wait(), 20)
        assert rig.audience.runs[-1].usage == Used(20, 10)
        await rig.close()

    asyncio.run(work())


def test_a_stop_while_a_queued_message_is_being_read_neither_loses_nor_doubles_it(tmp_path: Path) -> None:
    async def work() -> None:
        model = Gated()
        rig = Rig(tmp_path, model.named)
        await rig.say()
        await model.asked.wait()
        await rig.say("evt-2", "more")
        disk = SlowDisk(rig.store, lambda run, turns: bool(turns))
        model.may_answer.set()
        await disk.has_written.wait()
        await rig.runs.stop(TASK)
        disk.may_tell.set()
        await rig.say("evt-3", "and more")
        await asyncio.wait_for(rig.audience.has_rested.wait(), 20)
        text = [turn.text for turn in await rig.store.turns(TASK) if isinstance(turn, UserTurn)]
        assert text == ["words", "more", "and more"]
        await rig.close()

    asyncio.run(work())
