"""`python -m bench.mixed_load [SECONDS]`: everything at once on one server, at a steady rate, as a busy day has it.

50 connections of a desktop bridge, 100 paired browsers, 20 `handrail mcp` and 5 chats, driven from this process. An
operation's time runs from when it is due, so that a server that falls behind shows it. What the server holds is noted
after a third of the time and at the end.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvloop

from bench import bus_load
from bench.agent import Page, Words, signed_in
from bench.budget import Budget
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.kernel.approval import PresetAnswer
from handrail.wiring import Wiring

_SECONDS = 60.0
_RATES = {"bridge": (50, 2.0), "bus": (100, 2.0), "mcp": (20, 10.5), "chat": (5, 1.0)}
"""Of each kind: how many connections, and how many operations each of them makes in a second."""
_PIPE = asyncio.subprocess.PIPE
_READ = {"name": "read_file", "arguments": {"path": "a.txt"}}

Operation = Callable[[int], Awaitable[None]]


class Times:
    """How long each operation of a kind took, in milliseconds, and what went wrong."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []

    def summary(self, seconds: float) -> dict[str, Any]:
        every = sorted(one for times in self.of.values() for one in times)
        return {
            "operations": len(every),
            "perSecond": round(len(every) / seconds, 1),
            "p50": _part(every, 50),
            "p99": _part(every, 99),
            "p99Of": {kind: _part(sorted(times), 99) for kind, times in self.of.items()},
            "errors": len(self.errors),
            "firstError": self.errors[:1],
        }


def _part(ordered: list[float], percent: int) -> float:
    return round(ordered[max(0, len(ordered) * percent // 100 - 1)], 1) if ordered else 0.0


async def run(folder: Path, seconds: float) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        words = Words(apart=0.01)
        await words.open()
        project, state = folder / "project", folder / "state"
        project.mkdir()
        (project / "a.txt").write_text("x" * 1023 + "\n")
        tokens = await _pair(project, state)
        server = await stack.enter_async_context(_started(["up", "--port", "0", "--no-open"], project, state, words))
        known = json.loads((state / "server.json").read_text())
        address = f"http://127.0.0.1:{known['port']}"
        person = await asyncio.to_thread(signed_in, address, known["token"], state)
        operations = {
            "bridge": await _bridges(stack, project, state),
            "bus": await _browsers(stack, known, state, person, tokens),
            "mcp": await _clients(stack, project, state),
            "chat": await _chats(stack, person, words),
        }
        times, held = Times(), list[dict[str, int]]()
        begins = time.perf_counter() + 1
        every = [
            _steadily(kind, number, operations[kind], begins, seconds, times)
            for kind, (count, _) in _RATES.items()
            for number in range(count)
        ]
        watching = asyncio.create_task(_watch(server.pid, state, begins, seconds, held))
        await asyncio.gather(*every)
        took = time.perf_counter() - begins
        await watching
        return {**times.summary(took), "held": held}


async def _steadily(kind: str, number: int, operation: Operation, begins: float, seconds: float, times: Times) -> None:
    """One connection, with the others of its kind spread over the time between two of its operations."""
    count, rate = _RATES[kind]
    due = begins + number / count / rate
    while due < begins + seconds:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        try:
            await operation(number)
        except Exception as error:  # noqa: BLE001 - whatever went wrong is counted
            times.errors.append(f"{kind}: {error!r}")
        times.of[kind].append((time.perf_counter() - due) * 1000)
        due += 1 / rate


async def _watch(pid: int, state: Path, begins: float, seconds: float, held: list[dict[str, int]]) -> None:
    for part in (1 / 3, 2 / 3, 1.0):
        await asyncio.sleep(max(0.0, begins + seconds * part - time.perf_counter()))
        held.append(_held(pid, state))


def _held(pid: int, state: Path) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text()
    memory = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
    size = sum(file.stat().st_size for file in state.rglob("*") if file.is_file())
    return {"memoryKb": memory, "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "diskKb": size // 1024}


@asynccontextmanager
async def _started(
    words: list[str], project: Path, state: Path, model: Words | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    command = [sys.executable, "-m", "handrail", *words, "--project", str(project), "--state", str(state)]
    own = {} if model is None else {"HANDRAIL_MODEL_BASE_URL": model.address, "HANDRAIL_DESKTOP": "false"}
    process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **own}, stdin=_PIPE, stdout=_PIPE)
    try:
        if model is not None:
            assert process.stdout is not None
            await process.stdout.readline()
        yield process
    finally:
        process.terminate()
        await process.wait()


async def _pair(project: Path, state: Path) -> dict[str, str]:
    """As persons have done it before: each browser has a token of its own, and each task its browser."""
    opened = await asyncio.to_thread(Wiring().open_project, project, state, PresetAnswer("allow"), is_server=True)
    try:
        bus: LocalBus = opened.part("browser").bus
        pairings = Pairings(bus.plugin_records)
        clients = [f"plugin-{number}" for number in range(_RATES["bus"][0])]
        for number in range(len(clients)):
            await bus.tasks.ensure(bus_load.task_id(number))
        return {client: await pairings.pair(client, "a browser of the bench", "") for client in clients}
    finally:
        await asyncio.to_thread(opened.close)


async def _bridges(stack: AsyncExitStack, project: Path, state: Path) -> Operation:
    """A host without a display: what is measured is the wire, its checks and its record."""
    socket = state / "bench.sock"
    command = [sys.executable, "-m", "handrail", "desktop-host", "--socket", str(socket), "--state", str(state)]
    bare = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    host = await asyncio.create_subprocess_exec(*command, "--workspace-root", str(project), env=bare, stdout=_PIPE)
    stack.push_async_callback(host.wait)
    stack.callback(host.terminate)
    assert host.stdout is not None
    await host.stdout.readline()
    lines = [await asyncio.open_unix_connection(str(socket)) for _ in range(_RATES["bridge"][0])]

    async def health(number: int) -> None:
        reader, writer = lines[number]
        meta = {"schemaVersion": 1, "requestId": f"r{time.monotonic_ns()}", "workspacePath": str(project)}
        request = {"jsonrpc": "2.0", "id": "1", "method": "desktop.health", "params": {"meta": meta}}
        writer.write(json.dumps(request).encode() + b"\n")
        answer = json.loads(await reader.readline())
        assert "result" in answer, answer

    return health


async def _browsers(
    stack: AsyncExitStack, known: dict[str, Any], state: Path, person: dict[str, str], tokens: dict[str, str]
) -> Operation:
    turn = asyncio.Semaphore(16)
    sockets = await asyncio.gather(*(bus_load.joined(known, client, token, turn) for client, token in tokens.items()))
    for socket in sockets:
        obeying = asyncio.create_task(bus_load.obey(socket))
        stack.callback(obeying.cancel)
    async with httpx2.AsyncClient(base_url=person["origin"], headers=person, trust_env=False, timeout=60) as client:
        for number, client_id in enumerate(tokens):
            path = f"/api/task/{bus_load.task_id(number)}/plugin"
            (await client.post(path, json={"clientId": client_id})).raise_for_status()
    act = await bus_load.acting_over_http(known, (state / "console.key").read_text().strip())

    async def click(number: int) -> None:
        if (error := await act(number)) is not None:
            raise AssertionError(error)

    return click


async def _clients(stack: AsyncExitStack, project: Path, state: Path) -> Operation:
    processes = [await stack.enter_async_context(_started(["mcp"], project, state)) for _ in range(_RATES["mcp"][0])]

    async def request(number: int, id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        process = processes[number]
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        while (answer := json.loads(await process.stdout.readline())).get("id") != id:
            pass
        assert "result" in answer, answer
        return dict(answer["result"])

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    for number in range(len(processes)):
        await request(number, 0, "initialize", hello)
        await request(number, 1, "tools/call", _READ)

    async def read(number: int) -> None:
        assert not (await request(number, time.monotonic_ns(), "tools/call", _READ)).get("isError")

    return read


async def _chats(stack: AsyncExitStack, person: dict[str, str], words: Words) -> Operation:
    page = Page(words)
    await page.client.connect(person["origin"], headers=person, namespaces=["/mimo"], transports=["websocket"])
    stack.push_async_callback(page.client.disconnect)
    await page.run("openai-compatible:1")  # the first one loads what a provider needs

    async def talk(number: int) -> None:
        async with asyncio.timeout(60):
            await page.run("openai-compatible:3")

    return talk


def measure() -> list[Budget]:
    result = _measured(_SECONDS)
    what = f"50 bridges, 100 browsers, 20 MCP clients and 5 chats at once, {result['perSecond']} operations a second"
    return [Budget(f"{what}, {result['errors']} errors: p99", "p50", result["p99"], result["p50"], result["p99"], 200)]


def _measured(seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="handrail-load-") as folder:
        return uvloop.run(run(Path(folder), seconds))


if __name__ == "__main__":
    print(json.dumps(_measured(float([*sys.argv, _SECONDS][1]))))
