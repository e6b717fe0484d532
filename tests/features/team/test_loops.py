"""Team servers are killed and frozen repeatedly, with browsers connected: no action is repeated, all reconnect."""

import asyncio
import signal
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from bench.team_browsers import bus_of, insert_pairings, light_browser
from handrail.features.browser.bus.shared_bus import SharedBus
from handrail.kernel.task_ids import new_task_id
from handrail.ports.errors import Failure
from tests.effort import chance, count, tries
from tests.features.team.servers import Server, Team
from tests.waiting import eventually

CLICK = {"browser_click": {"tabId": 1, "clickId": "12"}}
SERVERS = 3


class Fleet:
    """Browsers that connect to the next server when theirs is gone, as a load balancer would lead them."""

    def __init__(self, team: Team, size: int) -> None:
        self._team = team
        self.names = [f"fleet-{number}" for number in range(size)]
        self.done: Counter[str] = Counter()
        self._living: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await insert_pairings(self._team.database, self.names)
        self._living = [asyncio.create_task(self._live(number)) for number in range(len(self.names))]

    async def stop(self) -> None:
        for living in self._living:
            living.cancel()
        await asyncio.gather(*self._living, return_exceptions=True)

    async def _live(self, number: int) -> None:
        attempt = number
        while True:
            alive = [server for server in self._team.servers if server.process.poll() is None]
            attempt += 1
            with suppress(Exception):  # reconnects whatever happens to its server
                name, url = self.names[number], alive[attempt % len(alive)].url
                async with light_browser(url, name, name, on_action=self._note) as browser:
                    await browser.wait_closed()
            await asyncio.sleep(0.2)

    def _note(self, message: dict[str, Any]) -> None:
        self.done[message["id"]] += 1


@pytest.mark.trial("team", is_long=True)
async def test_while_servers_are_killed_and_frozen_no_action_is_done_twice_and_all_browsers_come_back(
    team: Team,
) -> None:
    dice, rounds, size = chance(), tries(2, 20), tries(20, 300)
    team.start(SERVERS)
    fleet = Fleet(team, size)
    with bus_of(team) as bus:
        await bus.start()
        await fleet.start()
        try:
            await eventually(lambda: all_there(bus, size))
            tasks = [await begin(bus, name) for name in fleet.names[:20]]
            outcomes: Counter[str] = Counter()
            for _ in range(rounds):
                victim = dice.choice([each for each in team.servers if each.process.poll() is None])
                acting = [asyncio.create_task(act(bus, task, outcomes)) for task in tasks]
                await hurt(team, victim, is_killed=dice.random() < 0.5)
                await asyncio.gather(*acting)
                await eventually(lambda: all_there(bus, size))
                count(len(tasks))
            assert outcomes["done"] > 0
            assert max(fleet.done.values()) == 1, "a click was sent twice"
        finally:
            await fleet.stop()


async def hurt(team: Team, victim: Server, *, is_killed: bool) -> None:
    if is_killed:
        await asyncio.to_thread(victim.stop)
        await asyncio.to_thread(team.start, 1)
        return
    victim.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(6)  # longer than the others wait for its heartbeat
    victim.process.send_signal(signal.SIGCONT)


async def begin(bus: SharedBus, client_id: str) -> str:
    task = await bus.tasks.ensure(new_task_id())
    task.select(client_id)
    await bus.tasks.save(task)
    return task.id


async def act(bus: SharedBus, task: str, outcomes: "Counter[str]") -> None:
    try:
        await bus.act(task, CLICK)
        outcomes["done"] += 1
    except Failure as failure:
        outcomes["unknown" if failure.details.get("mayHaveBeenDone") else "refused"] += 1


async def all_there(bus: SharedBus, size: int) -> bool:
    connected = [record.client_id for record in await bus.plugin_list() if record.socket_connected]
    return len(connected) == size and all(await asyncio.gather(*map(bus.is_connected_anywhere, connected)))
