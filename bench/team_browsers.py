"""A team's browsers: an action across servers and one within a server, and many browsers on several servers."""

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
from websockets.asyncio.client import ClientConnection, connect

from bench.comparison import Comparison
from handrail.features.browser.bus.artifacts import Artifacts
from handrail.features.browser.bus.shared_bus import SharedBus
from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.stores.team.factory import OpenTeam, TeamAddress
from tests.features.team.servers import Server, Team
from tests.waiting import eventually

LOOK = {"browser_dom_index": {"tabId": 1}}
_ACTIONS = 200
_NAMESPACE = "/mimo"
_RESULT = {"status": "success", "result": {"elements": []}}
_PLUGINS = int(os.environ.get("HANDRAIL_BENCH_PLUGINS", "2000"))
_RATE = int(os.environ.get("HANDRAIL_BENCH_RATE", "400"))
_SECONDS = 10
_MOST_CONNECTING = 40
"""How many connect at a time."""


OnAction = Callable[[dict[str, Any]], None]


class LightBrowser:
    """A plugin on a bare WebSocket that answers in its acknowledgement: one process can run thousands."""

    def __init__(self, socket: ClientConnection, on_action: OnAction) -> None:
        self._socket = socket
        self._on_action = on_action

    async def wait_closed(self) -> None:
        await self._socket.wait_closed()

    async def serve(self) -> None:
        async for packet in self._socket:
            text = packet if isinstance(packet, str) else packet.decode()
            if text == "2":
                await self._socket.send("3")
            elif text.startswith(f"42{_NAMESPACE},") and (start := text.index("[")):
                message = msgspec.json.decode(text[start:])[1]
                if message.get("type") == "browser_action":
                    self._on_action(message)
                number = text[len(f"42{_NAMESPACE},") : start]
                await self._socket.send(f"43{_NAMESPACE},{number}{msgspec.json.encode([_RESULT]).decode()}")


@asynccontextmanager
async def light_browser(
    url: str, client_id: str, token: str, on_action: OnAction = lambda message: None
) -> AsyncIterator[LightBrowser]:
    address = url.replace("http:", "ws:") + "/socket.io/?EIO=4&transport=websocket"
    async with connect(address, origin=EXTENSION_ORIGIN, compression=None, open_timeout=60) as socket:  # type: ignore[arg-type]
        await socket.recv()
        auth = {"clientType": "plugin", "clientId": client_id, "token": token}
        await socket.send(f"40{_NAMESPACE},{msgspec.json.encode(auth).decode()}")
        joined = await socket.recv()
        assert str(joined).startswith(f"40{_NAMESPACE}"), joined
        browser = LightBrowser(socket, on_action)
        serving = asyncio.create_task(browser.serve())
        try:
            yield browser
        finally:
            serving.cancel()


async def insert_pairings(database: str, names: Sequence[str]) -> None:
    """Inserts many pairings at once; each browser's token is its name."""
    connection = await asyncpg.connect(database, server_settings={"search_path": "handrail"})
    query = (
        "INSERT INTO browser_pairing (client_id, extension_id, name, token_hash, created_at, is_launched, is_enrolled)"
        " SELECT name, 'bench', '', encode(sha256(convert_to(name, 'UTF8')), 'hex'), 0, false, false"
        " FROM unnest($1::text[]) AS name ON CONFLICT DO NOTHING"
    )
    await connection.execute(query, list(names))
    await connection.close()


@contextmanager
def bus_of(team: Team) -> Iterator[SharedBus]:
    """The bus of a team server that has no browsers of its own."""
    team_opened = OpenTeam(TeamAddress(team.database, team.nats.url, f"file://{team.where}/blobs"))
    stores = team_opened.browser()
    assert stores.shared is not None
    try:
        yield SharedBus(stores, Artifacts(stores.artifacts, stores.artifact_files), stores.shared)
    finally:
        team_opened.close()


def compare_across(team: Team) -> Comparison:
    """Uses two buses in this process, so that HTTP and the gate aren't counted; the browser is at a real server."""
    return asyncio.run(_compare_across(team))


async def _compare_across(team: Team) -> Comparison:
    await insert_pairings(team.database, ["across"])
    with bus_of(team) as near, bus_of(team) as far:
        await near.start()
        await far.start()
        line = LocalPlugin(near)
        near.connected(near.plugins.connect("across", line))
        await eventually(lambda: _has_reported(near))
        task = new_task_id()
        await near.act(task, {"task_start": {}})
        times: dict[str, list[float]] = {"near": [], "far": []}
        for number in range(_ACTIONS + 20):
            for name, bus in (("near", near), ("far", far)):
                started = time.perf_counter()
                await bus.act(task, LOOK)
                if number >= 20:
                    times[name].append((time.perf_counter() - started) * 1000)
    within, between = statistics.median(times["near"]), statistics.median(times["far"])
    target = (within + 2) / within
    return Comparison("browser action across servers", "within one server (goal: 2 ms more)", between, within, target)


async def _has_reported(bus: SharedBus) -> bool:
    return not bus.is_notifying


class LocalPlugin:
    def __init__(self, bus: SharedBus) -> None:
        self._bus = bus

    async def send(self, message: Any, on_ack: Any) -> None:
        on_ack({**_RESULT, "result": {"elements": [], "tabId": 1}})

    def drop(self) -> None:
        return


def many(team: Team) -> list[Comparison]:
    """Fails if there are any errors."""
    alone = _load(team, team.start(1), _PLUGINS // 2, _RATE // 2, "alone")
    spread = _load(team, team.start(3), _PLUGINS, _RATE, "spread")
    what = f"{_PLUGINS:,} browsers on 3 servers, {_RATE} actions/s"
    peer = f"{_PLUGINS // 2:,} on one, {_RATE // 2}/s"
    return [
        Comparison(f"{what}: p99", f"{peer} (goal: 200 ms)", spread[0], alone[0], 200 / alone[0]),
        Comparison(f"{what}: memory of a browser", f"{peer} (goal: 60 KB)", spread[1], alone[1], 60 / alone[1], "KB"),
    ]


def _load(team: Team, servers: Sequence[Server], count: int, rate: int, name: str) -> tuple[float, float]:
    """Returns the 99th percentile in milliseconds, and each browser's kilobytes at its server."""
    before = sum(map(_memory, servers))
    words = [sys.executable, "-m", "bench.team_browsers", name, str(count), *(server.url for server in servers)]
    clients = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(team.environment))
    assert clients.stdout is not None
    assert clients.stdin is not None
    try:
        asyncio.run(insert_pairings(team.database, [f"{name}-{number}" for number in range(count)]))
        clients.stdin.write(b"go\n")
        clients.stdin.flush()
        assert clients.stdout.readline() == b"connected\n"
        memory = (sum(map(_memory, servers)) - before) / count
        return asyncio.run(_actions(team, count, rate, name)), memory
    finally:
        clients.stdin.close()
        clients.wait()
        for server in servers:
            server.stop()


async def _actions(team: Team, count: int, rate: int, name: str) -> float:
    with bus_of(team) as bus:
        await bus.start()
        tasks = [new_task_id() for _ in range(min(count, rate))]
        for number, task in enumerate(tasks):
            record = (await bus.tasks.find_or_create(task)).record
            record_with_browser = msgspec.structs.replace(
                record, selected_client_id=f"{name}-{number * count // len(tasks)}"
            )
            await bus.tasks.save(bus.tasks.refresh(record_with_browser))
        times: list[float] = []

        async def act(task: str) -> None:
            started = time.perf_counter()
            await bus.act(task, LOOK)
            times.append((time.perf_counter() - started) * 1000)

        load_started, acting = time.perf_counter(), set[asyncio.Task[None]]()
        for number in range(rate * _SECONDS):
            await asyncio.sleep(max(0.0, load_started + number / rate - time.perf_counter()))
            acting.add(asyncio.create_task(act(tasks[number % len(tasks)])))
        await asyncio.gather(*acting)
    return statistics.quantiles(times, n=100)[98]


def _memory(server: Server) -> float:
    """The process's own kilobytes."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith("Pss_Anon:")))


async def _clients(name: str, count: int, urls: Sequence[str]) -> None:
    """Connects all, reports that, and answers until its input ends."""
    await asyncio.to_thread(sys.stdin.readline)
    turn = asyncio.Semaphore(_MOST_CONNECTING)
    async with AsyncExitStack() as stack:

        async def come(number: int) -> None:
            async with turn:
                client = f"{name}-{number}"
                await stack.enter_async_context(light_browser(urls[number % len(urls)], client, client))

        await asyncio.gather(*map(come, range(count)))
        print("connected", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # the servers end next, so thousands of connections needn't be closed


if __name__ == "__main__":
    asyncio.run(_clients(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
