"""`python -m bench.mixed_load [SECONDS]`: everything at once on one server, at a steady rate.

50 connections of a desktop bridge, 100 paired browsers, 20 `handrail mcp` and 5 chats, driven by this process. An
operation's time runs from when it is due, so a server that falls behind shows it. The server's memory and other
resources are recorded after each third of the time.
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
from bench.agent import ModelServer, Page, sign_in
from bench.budget import Budget
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.kernel.approval import PresetAnswer
from handrail.wiring import Wiring

_SECONDS = 60.0
_RATES = {"bridge": (50, 2.0), "bus": (100, 2.0), "mcp": (20, 10.5), "chat": (5, 1.0)}
"""For each kind: the number of connections, and the operations that each makes per second."""
_PIPE = asyncio.subprocess.PIPE
_READ = {"name": "read_file", "arguments": {"path": "a.txt"}}

Operation = Callable[[int], Awaitable[None]]


class Times:
    """The duration of each operation by kind, in milliseconds, and the errors."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []

    def summary(self, seconds: float) -> dict[str, Any]:
        times_sorted = sorted(one for times in self.of.values() for one in times)
        return {
            "operations": len(times_sorted),
            "perSecond": round(len(times_sorted) / seconds, 1),
            "p50": _percentile(times_sorted, 50),
            "p99": _percentile(times_sorted, 99),
            "p99Of": {kind: _percentile(sorted(times), 99) for kind, times in self.of.items()},
            "errors": len(self.errors),
            "firstError": self.errors[:1],
        }


def _percentile(ordered: list[float], percent: int) -> float:
    return round(ordered[max(0, len(ordered) * percent // 100 - 1)], 1) if ordered else 0.0


async def run(folder: Path, seconds: float) -> dict[str, Any]:
    async with AsyncExitStack() as stack:
        model = ModelServer(word_seconds=0.01)
        await model.open()
        project, state = folder / "project", folder / "state"
        project.mkdir()
        (project / "a.txt").write_text("x" * 1023 + "\n")
        tokens = await _pair(project, state)
        server = await stack.enter_async_context(_start(["up", "--port", "0", "--no-open"], project, state, model))
        server_file = json.loads((state / "server.json").read_text())
        address = f"http://127.0.0.1:{server_file['port']}"
        person = await asyncio.to_thread(sign_in, address, server_file["token"], state)
        operations = {
            "bridge": await _bridges(stack, project, state),
            "bus": await _browsers(stack, server_file, state, person, tokens),
            "mcp": await _clients(stack, project, state),
            "chat": await _chats(stack, person, model),
        }
        times, resources = Times(), list[dict[str, int]]()
        start = time.perf_counter() + 1
        work = [
            _run_steadily(kind, number, operations[kind], start, seconds, times)
            for kind, (count, _) in _RATES.items()
            for number in range(count)
        ]
        watching = asyncio.create_task(_watch(server.pid, state, start, seconds, resources))
        await asyncio.gather(*work)
        elapsed = time.perf_counter() - start
        await watching
        return {**times.summary(elapsed), "held": resources}


async def _run_steadily(
    kind: str, number: int, operation: Operation, start: float, seconds: float, times: Times
) -> None:
    """Runs one connection, offset from the others of its kind."""
    count, rate = _RATES[kind]
    due = start + number / count / rate
    while due < start + seconds:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        try:
            await operation(number)
        except Exception as error:  # noqa: BLE001 - any error is counted
            times.errors.append(f"{kind}: {error!r}")
        times.of[kind].append((time.perf_counter() - due) * 1000)
        due += 1 / rate


async def _watch(pid: int, state: Path, start: float, seconds: float, resources: list[dict[str, int]]) -> None:
    for part in (1 / 3, 2 / 3, 1.0):
        await asyncio.sleep(max(0.0, start + seconds * part - time.perf_counter()))
        resources.append(_resources(pid, state))


def _resources(pid: int, state: Path) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text()
    memory = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
    size = sum(file.stat().st_size for file in state.rglob("*") if file.is_file())
    return {"memoryKb": memory, "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "diskKb": size // 1024}


@asynccontextmanager
async def _start(
    words: list[str], project: Path, state: Path, model: ModelServer | None = None
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
    """Creates pairings as if persons had made them: each browser has its own token, and each task its browser."""
    project_opened = await asyncio.to_thread(
        Wiring().open_project, project, state, PresetAnswer("allow"), is_server=True
    )
    try:
        bus: LocalBus = project_opened.part("browser").bus
        pairings = Pairings(bus.plugin_records)
        clients = [f"plugin-{number}" for number in range(_RATES["bus"][0])]
        for number in range(len(clients)):
            await bus.tasks.ensure(bus_load.task_id(number))
        return {client: await pairings.pair(client, "a browser of the bench", "") for client in clients}
    finally:
        await asyncio.to_thread(project_opened.close)


async def _bridges(stack: AsyncExitStack, project: Path, state: Path) -> Operation:
    """A host without a display: this measures the wire, its checks and its records."""
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
    stack: AsyncExitStack, server_file: dict[str, Any], state: Path, person: dict[str, str], tokens: dict[str, str]
) -> Operation:
    turn = asyncio.Semaphore(16)
    sockets = await asyncio.gather(
        *(bus_load.join(server_file, client, token, turn) for client, token in tokens.items())
    )
    for socket in sockets:
        answering = asyncio.create_task(bus_load.answer_actions(socket))
        stack.callback(answering.cancel)
    async with httpx2.AsyncClient(base_url=person["origin"], headers=person, trust_env=False, timeout=60) as client:
        for number, client_id in enumerate(tokens):
            path = f"/api/task/{bus_load.task_id(number)}/plugin"
            (await client.post(path, json={"clientId": client_id})).raise_for_status()
    act = await bus_load.act_over_http(server_file, (state / "console.key").read_text().strip())

    async def click(number: int) -> None:
        if (error := await act(number)) is not None:
            raise AssertionError(error)

    return click


async def _clients(stack: AsyncExitStack, project: Path, state: Path) -> Operation:
    processes = [await stack.enter_async_context(_start(["mcp"], project, state)) for _ in range(_RATES["mcp"][0])]

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


async def _chats(stack: AsyncExitStack, person: dict[str, str], model: ModelServer) -> Operation:
    page = Page(model)
    await page.client.connect(person["origin"], headers=person, namespaces=["/mimo"], transports=["websocket"])
    stack.push_async_callback(page.client.disconnect)
    await page.run("openai-compatible:1")  # the first run imports the provider's packages

    async def talk(number: int) -> None:
        async with asyncio.timeout(60):
            await page.run("openai-compatible:3")

    return talk


def measure() -> list[Budget]:
    result = _measure(_SECONDS)
    what = f"50 bridges, 100 browsers, 20 MCP clients and 5 chats at once, {result['perSecond']} operations a second"
    return [Budget(f"{what}, {result['errors']} errors: p99", "p50", result["p99"], result["p50"], result["p99"], 200)]


def _measure(seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="handrail-load-") as folder:
        return uvloop.run(run(Path(folder), seconds))


if __name__ == "__main__":
    print(json.dumps(_measure(float(sys.argv[1]) if sys.argv[1:] else _SECONDS)))
