"""Runs of the agent on several servers: one works on a run at a time, and abandoned runs continue elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from handrail.features.agent.context import RunContext
from handrail.features.agent.limits import Limits
from handrail.features.agent.model_client import ModelClient
from handrail.features.agent.recovery import PastCalls, Recovery
from handrail.features.agent.shared_runs import SharedRuns
from handrail.features.agent.user_message import UserMessage
from handrail.features.browser.bus.shared_tasks import SharedTasks
from handrail.kernel.call import Progress
from handrail.kernel.task_ids import new_task_id
from handrail.ports.agent import Mode, Run, RunLost, RunOptions
from handrail.ports.identity import Caller, persons_chat_identity
from handrail.ports.model import (
    AssistantTurn,
    Model,
    Note,
    Piece,
    Reply,
    ToolOffer,
    ToolResult,
    ToolUse,
    Turn,
    Usage,
    UserTurn,
)
from handrail.stores.team.factory import OpenTeam, TeamAddress
from tests.features.agent.test_runs import Listening, Unasked, one_fix
from tests.team_engines import Nats, Postgres
from tests.waiting import eventually

LEASE, KEEP_EVERY = 2.0, 0.2
STEPS = 3


class Steady:
    """A model that wants one call after the other, and says so from the conversation alone."""

    name = "steady"

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        made = sum(isinstance(turn, ToolResult) for turn in turns)
        uses = (ToolUse(f"use_{made}", "write_to_file", f'{{"number": {made}}}'),) if made < STEPS else ()
        yield Reply(AssistantTurn("" if uses else "Done.", uses), Usage())


async def steady(name: str) -> Model:
    return Steady()


class Work:
    """What all servers work on: each call leaves a mark; the one of `stops_at` waits for `goes_on` before that."""

    def __init__(self, stops_at: int | None = None) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []
        self.stops_at = stops_at
        self.has_stopped = asyncio.Event()
        self.goes_on = asyncio.Event()

    def past_calls(self, uses: Sequence[ToolUse]) -> PastCalls:
        """As the audit has it."""
        outcomes: dict[str, dict[str, Any]] = {use.execution_id: {} for use in uses if use.execution_id in self.done}
        return PastCalls(outcomes, {use.execution_id: {} for use in uses if use.execution_id in self.begun})


class OwnRecovery(Recovery):
    def __init__(self, work: Work) -> None:
        self._work = work

    def past_calls(self, uses: Sequence[ToolUse]) -> PastCalls:
        return self._work.past_calls(uses)

    def result(self, use: ToolUse, past: PastCalls) -> ToolResult | None:
        if past.is_unknown(use):
            return ToolResult(use.id, use.execution_id, use.name, "unknown", is_error=True)
        return None


class Hands:
    """The gate's part: a call that changes something is claimed, then on record, then done."""

    def __init__(self, work: Work, team: OpenTeam) -> None:
        self._work = work
        self._once = team.once

    async def run(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> ToolResult:
        work = self._work
        if work.stops_at == len(work.done) and not work.has_stopped.is_set():
            work.has_stopped.set()
            await work.goes_on.wait()
        if not await self._once.claim(f"run {use.execution_id}"):
            return ToolResult(use.id, use.execution_id, use.name, "begun elsewhere", is_error=True)
        work.begun.append(use.execution_id)
        work.done.append(use.execution_id)
        return ToolResult(use.id, use.execution_id, use.name, "written", is_error=False)


class NoOffers:
    def in_mode(self, mode: str) -> Sequence[ToolOffer]:
        return ()


class Server:
    def __init__(self, url: str, nats: Nats, bucket: Path, work: Work) -> None:
        self.team = OpenTeam(TeamAddress(url, nats.url, f"file://{bucket}"))
        side = self.team.browser(run_seconds=LEASE)
        assert side.shared_runs is not None
        self.leases = side.shared_runs.leases
        self.store = side.runs
        self.audience = Listening()
        self.tasks = SharedTasks(side.tasks)
        context = RunContext(
            tasks=self.tasks,
            store=side.runs,
            listener=cast("Any", self.audience),
            tools=cast("Any", Hands(work, self.team)),
            recovery=OwnRecovery(work),
            model_client=ModelClient(side.runs, 100_000),
            queue=cast("Any", Unasked()),
            offers=cast("Any", NoOffers()),
            project="/here",
            max_auto_fix=one_fix,
            limits=Limits(),
        )
        shared = side.shared_runs
        self.runs = SharedRuns(context, steady, lambda model: None, shared.leases, shared.peers, renew_every=KEEP_EVERY)

    async def say(self, task: str, id: str = "evt-1", text: str = "words") -> None:
        await self.runs.send_message(
            task, UserMessage(UserTurn(id, text), persons_chat_identity("ada"), RunOptions(mode="act"))
        )


Servers = Callable[[Work], tuple[Server, Server]]


@pytest.fixture
def servers(postgres: Postgres, nats: Nats, tmp_path: Path) -> Iterator[Servers]:
    url, opened = postgres.tenant(), list[Server]()

    def start(work: Work) -> tuple[Server, Server]:
        opened.extend(Server(url, nats, tmp_path, work) for _ in range(2))
        return opened[0], opened[1]

    yield start
    for server in opened:
        server.team.close()


async def rested(server: Server, task: str) -> bool:
    run = await server.store.find(task)
    return run is not None and run.status == "waiting"


async def results(server: Server, task: str) -> list[str]:
    return [turn.text for turn in await server.store.turns(task) if isinstance(turn, ToolResult)]


async def test_a_run_continues_at_another_server_and_no_call_is_repeated(servers: Servers) -> None:
    """The first server is frozen in the middle: it keeps nothing, and wakes once the other one has gone on."""
    work = Work(stops_at=1)
    one, two = servers(work)
    task = new_task_id()
    async with two.runs.running():
        frozen = one.runs.running()
        await frozen.__aenter__()
        await one.say(task)
        await work.has_stopped.wait()
        one.runs.renewing.cancel()
        await eventually(lambda: rested(two, task))
        assert len(work.done) == STEPS
        work.goes_on.set()
        (_, going) = one.runs.active_runs[task]
        await asyncio.wait({going})
        assert len(work.done) == len(set(work.done)) == STEPS
        assert await results(two, task) == ["written"] * STEPS
        with pytest.raises(RunLost):
            await one.store.add(task, Note("from a server whose lease is over"))
        assert not any(isinstance(turn, Note) for turn in await two.store.turns(task))
        await one.runs.close()


async def test_a_call_that_was_claimed_but_is_not_on_record_is_not_made_again(servers: Servers) -> None:
    work = Work()
    one, two = servers(work)
    task = new_task_id()
    claim = one.team.once.claim
    claimed = asyncio.Event()

    async def claim_and_stop(key: str) -> bool:
        await claim(key)
        claimed.set()
        await asyncio.Event().wait()
        return True

    one.team.once.claim = claim_and_stop  # type: ignore[method-assign]
    async with two.runs.running():
        frozen = one.runs.running()
        await frozen.__aenter__()
        await one.say(task)
        await claimed.wait()
        one.runs.renewing.cancel()
        await eventually(lambda: rested(two, task))
        assert await results(two, task) == ["begun elsewhere", "written", "written"]
        await one.runs.close()


async def test_a_message_at_one_server_reaches_an_agent_running_at_another(servers: Servers) -> None:
    work = Work(stops_at=0)
    one, two = servers(work)
    task = new_task_id()
    async with one.runs.running(), two.runs.running():
        await one.say(task)
        await work.has_stopped.wait()
        await two.say(task, "evt-2", "and more")
        run = await two.store.find(task)
        assert run is not None
        assert [each.text for each in run.queued] == ["and more"]
        assert (await two.runs.pause(task)).status == "paused"
        work.goes_on.set()
        assert (await two.runs.resume(task)).status == "running"
        await eventually(lambda: rested(two, task))
        message = [turn.text for turn in await two.store.turns(task) if isinstance(turn, UserTurn)]
        assert message == ["words", "and more"]
        await eventually(lambda: _is_free(one, task))
        await two.say(task, "evt-3", "once more")
        assert two.leases.has(task) or await rested(two, task)
        await eventually(lambda: rested(two, task))


async def _is_free(server: Server, task: str) -> bool:
    return not server.leases.has(task)


async def test_only_one_of_two_servers_continues_an_abandoned_run(servers: Servers) -> None:
    work = Work()
    one, two = servers(work)
    task = new_task_id()
    assert await one.leases.take(task)
    record = (await one.tasks.find_or_create(task)).record
    turn = AssistantTurn("", (ToolUse("use_0", "write_to_file", "{}", "exec_left"),))
    await one.store.save(
        Run(task_id=task, status="running", project="/here"), record, [UserTurn("evt-1", "words"), turn]
    )
    await one.leases.give_back(task)
    await asyncio.gather(one.runs.recover(), two.runs.recover())
    await eventually(lambda: rested(two, task))
    assert sorted(set(work.done)) == sorted(work.done)
    assert len(work.done) == STEPS
    await one.runs.close()
    await two.runs.close()
