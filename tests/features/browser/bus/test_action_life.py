"""Each action ends exactly once, in whatever order plugins connect, disconnect, answer or time out."""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)  # fmt: skip

from handrail.features.browser.bus.tasks import Task
from handrail.ports.errors import Failure
from tests.effort import tries
from tests.features.browser.bus.bench_bus import CLICK, LOOK, OTHER_TASK, TASK, ListConnection, Stage
from tests.features.browser.bus.virtual_time import VirtualTime

PLUGINS = ("p1", "p2")
TASKS = {TASK: "p1", OTHER_TASK: "p1", "task_01HRZZZZZZZZZZZZZZZZZZZZZ1": "p2"}
ANSWERS: list[dict[str, Any]] = [
    {"status": "success", "result": {"tabId": 1}},
    {"status": "partial", "result": {"warnings": ["w"]}},
    {"status": "error", "error": {"code": "CDP_UNAVAILABLE", "message": "m", "retryable": True}},
    {"status": "error", "error": "timeout"},
    {"status": "nonsense"},
]
ACKS: list[Any] = [{"ok": True}, {"ok": False, "error": {"code": "X", "message": "m"}}, {"status": "success"}, None, 7]


def reopen(task: Task) -> None:
    """As a person does who hands it back and speaks in it."""
    if task.status == "takeover":
        task.hand_back()
    task.receive_message("more")


class Life(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTime()
        self.folder = tempfile.TemporaryDirectory(prefix="handrail-life-")
        self.stages: list[Stage] = []
        self.lines: dict[str, ListConnection | None] = {}
        self.callers: dict[str, asyncio.Task[Any]] = {}

    def do(self, work: Any) -> Any:
        async def settled() -> Any:
            result = await work
            await asyncio.sleep(0.01)
            return result

        return self.loop.run_until_complete(settled())

    @property
    def stage(self) -> Stage:
        return self.stages[-1]

    @initialize()
    def start(self) -> None:
        self.lines = dict.fromkeys(PLUGINS)
        self.do(self._start())

    async def _start(self) -> None:
        stage = Stage(Path(self.folder.name))
        self.stages.append(stage)
        await stage.bus.start()
        for client_id in PLUGINS:
            stage.bus.plugins.get_or_add(client_id)
        for task, client_id in TASKS.items():
            await stage.bus.takeover.select(await stage.bus.tasks.ensure(task), client_id)

    @rule(plugin=st.sampled_from(PLUGINS))
    def connect(self, plugin: str) -> None:
        async def work() -> None:
            if self.lines[plugin] is None:
                self.lines[plugin] = self.stage.connect(plugin)

        self.do(work())

    @rule(plugin=st.sampled_from(PLUGINS))
    def disconnect(self, plugin: str) -> None:
        async def work() -> None:
            line, self.lines[plugin] = self.lines[plugin], None
            if line is not None:
                self.stage.bus.plugins.disconnect(plugin, line)

        self.do(work())

    @rule(task=st.sampled_from(list(TASKS)), actions=st.sampled_from([CLICK, LOOK]), hurry=st.booleans())
    def ask(self, task: str, actions: Any, hurry: bool) -> None:
        async def work() -> None:
            id = f"act-{len(self.callers)}"
            acting = self.stage.bus.act(task, actions, action_id=id, timeout_ms=300 if hurry else None)
            self.callers[id] = asyncio.ensure_future(acting)

        self.do(work())

    @rule(plugin=st.sampled_from(PLUGINS), pick=st.integers(0, 5), ack=st.sampled_from(ACKS))
    def acknowledge(self, plugin: str, pick: int, ack: Any) -> None:
        async def work() -> None:
            line = self.lines[plugin]
            if line is not None and pick < len(line.sent):
                line.sent[-1 - pick][1](ack)

        self.do(work())

    @rule(plugin=st.sampled_from(PLUGINS), pick=st.integers(0, 5), answer=st.sampled_from(ANSWERS))
    def answer(self, plugin: str, pick: int, answer: dict[str, Any]) -> None:
        """Of this line or an older one: late, twice, or in the wrong place."""

        async def work() -> None:
            line = self.lines[plugin]
            if line is not None and pick < len(line.sent):
                try:
                    self.stage.answer(line.sent[-1 - pick][0], plugin, **answer)
                except Failure:
                    return

        self.do(work())

    @rule(pick=st.integers(0, 3))
    def give_up(self, pick: int) -> None:
        async def work() -> None:
            waiting = [caller for caller in self.callers.values() if not caller.done()]
            if pick < len(waiting):
                waiting[pick].cancel()

        self.do(work())

    @rule(
        task=st.sampled_from(list(TASKS)),
        what=st.sampled_from(["take_over", "hand_back", "let_read", "keep_private", "stop", "restart"]),
    )
    def put_a_hand_on(self, task: str, what: str) -> None:
        async def work() -> None:
            bus = self.stage.bus
            matches = await bus.tasks.find(task)
            try:
                if what == "restart":
                    reopen(matches)
                elif what in ("let_read", "keep_private"):
                    await bus.takeover.let_read(matches, what == "let_read")
                else:
                    await getattr(bus.takeover, what)(matches)
            except Failure:
                return

        self.do(work())

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.2, 3, 11, 40]))
    def wait(self, seconds: float) -> None:
        self.do(asyncio.sleep(seconds))

    @precondition(lambda self: len(self.stages) < 3)
    @rule()
    def kill_the_server(self) -> None:
        """All that is in memory is lost; the next server starts on what was written."""

        async def work() -> None:
            orphans = [caller for caller in self.callers.values() if not caller.done()]
            unfinished = set(self.stage.begun) - {id for id, _ in self.stage.ends}
            before = self.stage
            await self._start()
            for id in unfinished:
                record = await self.stage.bus.actions.find(id)
                assert record is not None
                assert record.record.status == "error"
            self.lines = dict.fromkeys(PLUGINS)
            for caller in orphans:
                caller.cancel()
            await asyncio.gather(*orphans, return_exceptions=True)
            await before.bus.close()

        self.do(work())

    @invariant()
    def no_action_ended_twice(self) -> None:
        for stage in self.stages:
            assert all(count == 1 for count in Counter(id for id, _ in stage.ends).values())

    @invariant()
    def of_a_task_one_action_at_most_is_with_a_plugin(self) -> None:
        if self.stages:
            with_plugins = [
                exchange.action.record.task_id
                for plugin in self.stage.bus.plugins
                for exchange in plugin.exchanges.values()
            ]
            assert len(with_plugins) == len(set(with_plugins))

    def teardown(self) -> None:
        if self.stages:
            self.do(self._end())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()

    async def _end(self) -> None:
        """When people have handed back and every deadline has passed, nobody waits any more."""
        bus = self.stage.bus
        for task in TASKS:
            reopen(await bus.tasks.find(task))
        await asyncio.sleep(1000)
        assert all(caller.done() for caller in self.callers.values())
        assert all(plugin.exchanges == {} for plugin in bus.plugins)
        for stage in self.stages:
            end_ids = [id for id, _ in stage.ends]
            assert sorted(set(stage.begun) - set(end_ids)) == []
            for id, end in stage.ends:
                record = await bus.actions.find(id)
                assert record is not None
                assert record.record.status is not None
                if stage is self.stage:
                    assert record.record.status == end.status
        for caller in self.callers.values():
            assert caller.cancelled() or isinstance(caller.exception(), Failure | None)
        await bus.close()


@pytest.mark.trial("properties")
def test_every_action_ends_exactly_once() -> None:
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=tries(12, 300),
            stateful_step_count=40,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
