"""Browsers of a team: paired at one server, connected to another, used from a third."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from handrail.features.browser.bus.action import new_action_id
from handrail.features.browser.bus.artifacts import Artifacts
from handrail.features.browser.bus.shared_bus import SharedBus
from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import ActionRecord, ActionResult
from handrail.ports.errors import Conflict, Offline
from handrail.stores.team.factory import OpenTeam, TeamAddress
from tests.features.browser.bus.bench_bus import CLICK, LOOK, ListConnection
from tests.features.team.browsers import browsing, new_client_id, pair
from tests.features.team.servers import Agent, Person, Team
from tests.team_engines import Nats, Postgres
from tests.waiting import eventually

BEGIN: dict[str, dict[str, Any]] = {"task_start": {}}


class Server:
    """One server's bus on its own connections. `close` acts as if the process ended."""

    def __init__(self, url: str, nats: Nats, bucket: Path) -> None:
        self.team = OpenTeam(TeamAddress(url, nats.url, f"file://{bucket}"))
        side = self.team.browser()
        assert side.shared is not None
        self.stores = side
        self.plugins = side.shared.plugins
        self.bus = SharedBus(side, Artifacts(side.artifacts, side.artifact_files), side.shared)
        self._is_open = True

    async def connect(self, client_id: str) -> ListConnection:
        line = ListConnection()
        self.bus.connected(self.bus.plugins.connect(client_id, line))
        await eventually(self.has_told)
        return line

    async def has_told(self) -> bool:
        """Whether all other servers know what has connected here, or gone."""
        return not self.bus.is_notifying

    async def answer(self, line: ListConnection, number: int = 1, client_id: str = "p1", **members: Any) -> None:
        message = await line.next(number)
        line.acknowledge(number)
        result = {"actionId": message["id"], "type": "browser_action_result", "status": "success", **members}
        self.bus.dispatcher.answer(self.bus.plugins.get_or_add(client_id), result)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self.team.close()


class Pair:
    def __init__(self, url: str, nats: Nats, bucket: Path) -> None:
        self.one, self.two = Server(url, nats, bucket), Server(url, nats, bucket)

    async def task(self, line: ListConnection) -> str:
        """A task started from the first server in the second server's browser."""
        task = new_task_id()
        number = len(line.sent) + 1
        beginning = asyncio.create_task(self.one.bus.act(task, BEGIN))
        await self.two.answer(line, number, result={"tabId": 1})
        await beginning
        return task


@pytest.fixture
def pair_of(postgres: Postgres, nats: Nats, tmp_path: Path) -> Iterator[Pair]:
    pair = Pair(postgres.tenant(), nats, tmp_path)
    yield pair
    pair.one.close()
    pair.two.close()


async def started(pair: Pair) -> None:
    await pair.one.bus.start()
    await pair.two.bus.start()


async def test_an_action_is_carried_out_by_the_browser_of_another_server(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    acting = asyncio.create_task(pair_of.one.bus.act(task, CLICK))
    await pair_of.two.answer(line, 2, result={"clicked": True})
    assert await acting == ActionResult(status="success", result={"clicked": True})
    record = await pair_of.one.stores.tasks.find(task)
    assert record is not None
    assert (record.selected_client_id, record.status) == ("p1", "ongoing")
    assert len(line.sent) == 2


async def test_a_browser_that_no_server_holds_is_reported_at_once(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    pair_of.two.bus.plugins.disconnect("p1", line)
    pair_of.two.bus.disconnected("p1")
    await eventually(pair_of.two.has_told)
    with pytest.raises(Offline) as refusal:
        await pair_of.one.bus.act(task, CLICK)
    assert "mayHaveBeenDone" not in refusal.value.details
    with pytest.raises(Offline, match="No browser is connected"):
        await pair_of.one.bus.act(new_task_id(), BEGIN)


async def test_a_browser_that_reconnects_elsewhere_is_dropped_by_its_old_server(pair_of: Pair) -> None:
    await started(pair_of)
    before = await pair_of.two.connect("p1")
    task = await pair_of.task(before)
    after = await pair_of.one.connect("p1")

    async def is_dropped() -> bool:
        return before.is_dropped

    await eventually(is_dropped)
    acting = asyncio.create_task(pair_of.two.bus.act(task, CLICK))
    await pair_of.one.answer(after, result={"clicked": True})
    assert (await acting).result == {"clicked": True}
    assert len(before.sent) == 1


async def test_if_a_browsers_server_ends_the_result_of_an_action_is_unknown(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    clicking = asyncio.create_task(pair_of.one.bus.act(task, CLICK))
    await line.next(2)
    await asyncio.to_thread(pair_of.two.close)
    with pytest.raises(Offline) as error:
        await clicking
    assert error.value.details["mayHaveBeenDone"] is True
    assert error.value.retryable is False
    back = await pair_of.one.connect("p1")
    (under_way,) = [message["id"] for message, _ in line.sent[1:]]
    record = await pair_of.one.stores.actions.find(under_way)
    assert record is not None
    assert record.record.status == "error"
    reading = asyncio.create_task(pair_of.one.bus.act(task, LOOK))
    await pair_of.one.answer(back, result={"elements": []})
    await reading


async def test_a_stopped_call_ends_the_action_at_the_other_server(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    clicking = asyncio.create_task(pair_of.one.bus.act(task, CLICK))
    await line.next(2)
    line.acknowledge(2)
    clicking.cancel()
    await asyncio.wait({clicking})
    await eventually(lambda: _has_ended(pair_of.two, line.sent[1][0]["id"]))


async def _has_ended(server: Server, action_id: str) -> bool:
    result = await server.stores.actions.find(action_id)
    return result is not None and result.record.status is not UNSET


async def test_a_server_that_lost_a_browser_while_it_was_frozen_writes_nothing_about_it(pair_of: Pair) -> None:
    line = await pair_of.two.connect("p1")  # neither listens, so the first isn't told that the browser has moved
    await pair_of.two.bus.start()
    task = await pair_of.task(line)
    row = await pair_of.two.stores.tasks.find(task)
    assert row is not None
    await pair_of.one.plugins.hold(pair_of.one.bus.plugins.get_or_add("p1").record)
    record = ActionRecord(action_id=new_action_id(), task_id=task, client_id="p1", actions=CLICK, created_at=1)
    with pytest.raises(Conflict):
        await pair_of.two.stores.actions.begin(record)
    assert await pair_of.one.stores.actions.find(record.action_id) is None
    late = pair_of.two.bus.tasks.refresh(row)
    late.stop()
    finished_record = msgspec.structs.replace(record, status="success", result={}, ended_at=2)
    await pair_of.two.stores.actions.end(finished_record, None, late.record)
    after = await pair_of.one.stores.tasks.find(task)
    assert after == row


async def test_a_task_taken_over_at_one_server_pauses_at_its_browsers_server(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    result = await pair_of.one.bus.tasks.find(task)
    await pair_of.one.bus.takeover.take_over(result)
    assert (result.status, line.statuses) == ("takeover", ["takeover"])
    clicking = asyncio.create_task(pair_of.one.bus.act(task, CLICK))
    await eventually(lambda: _waits(pair_of.two, task))
    assert len(line.sent) == 1
    await pair_of.one.bus.takeover.hand_back(await pair_of.one.bus.tasks.find(task))
    await pair_of.two.answer(line, 2, result={"clicked": True})
    await clicking


async def _waits(server: Server, task: str) -> bool:
    result = server.bus.tasks.in_use(task)
    return result is not None and result.actions == 1


async def test_an_answer_larger_than_a_message_arrives_whole(pair_of: Pair) -> None:
    await started(pair_of)
    line = await pair_of.two.connect("p1")
    task = await pair_of.task(line)
    text = "x" * 3_000_000
    reading = asyncio.create_task(pair_of.one.bus.act(task, LOOK))
    await pair_of.two.answer(line, 2, result={"elements": [], "title": text})
    assert (await reading).result["title"] == text


async def test_an_artifact_kept_at_one_server_is_read_at_another(pair_of: Pair) -> None:
    task = new_task_id()
    artifact = await pair_of.one.bus.store_artifact(task, "upload", "text/plain", b"hello", "a.txt")
    assert (await pair_of.two.bus.artifact(artifact)).data == b"hello"


async def test_new_tasks_are_spread_over_the_browsers_unless_a_person_chose_one(pair_of: Pair) -> None:
    await started(pair_of)
    for client in ("p1", "p2"):
        await pair_of.two.connect(client)
    await pair_of.one.connect("p3")
    assert {await pair_of.one.plugins.next() for _ in range(3)} == {"p1", "p2", "p3"}
    await pair_of.one.bus.choose_for_new_tasks("p2")
    assert {await pair_of.two.plugins.next() for _ in range(3)} == {"p2"}


async def test_an_agent_at_one_server_acts_in_a_browser_at_another_and_a_revoked_browser_is_gone(
    shared: Team,
) -> None:
    one, two = shared.servers
    administrator = Person(one.url, shared.token("olga", "administrator"))
    agent, client = Agent(shared.token("browsing", "agent")), new_client_id()
    token = await asyncio.to_thread(pair, administrator, two.url, client)
    async with browsing(two.url, client, token) as browser:
        read = await asyncio.to_thread(agent.call, one.url, "browser_find_text", tabId=1, text="hello")
        assert read.get("structuredContent") == {"matches": [], "total": 0}, read
        assert [*browser.done[-1]["action"]] == ["browser_find_text"]
        revoked = await asyncio.to_thread(administrator.http.delete, f"/api/extension/tokens/{client}")
        assert revoked.status_code == 200, revoked.text
        await browser.gone()
        with pytest.raises(Exception, match="token"):
            async with browsing(two.url, client, token):
                pass
