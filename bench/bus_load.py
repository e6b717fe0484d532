"""`python -m bench.bus_load [PLUGINS [SECONDS [http]]]`: the bus under load, one action per second for each plugin.

One process is the server, another is all the plugins, on WebSockets. The actions are requested in the server's process,
as its tools do, or with `http` by a third process, as `handrail mcp` does. An action's time runs from the call to the
plugin's result.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httptools
import uvloop
from websockets.asyncio.client import ClientConnection, connect

from handrail import wiring as app
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.pairing import Pairings
from handrail.kernel.approval import PresetAnswer
from handrail.ports.errors import Failure

_PREFIX = "/mimo,"
_CLICK = {"browser_click": {"tabId": 1, "clickId": "12"}}
_RESULT = {"clicked": True, "strategy": "cdp_mouse"}

Act = Callable[[int], Awaitable[str | None]]
"""Runs one action of this plugin; returns None, or the error."""


def main() -> None:
    roles: dict[str, Callable[..., Any]] = {"server": _serve, "plugins": _run_plugins, "driver": _drive_over_http}
    if sys.argv[1:2] and (role := roles.get(sys.argv[1])) is not None:
        uvloop.run(role(*sys.argv[2:]))
        return
    plugins, seconds, *over = [*sys.argv[1:], "1000", "20"][: max(2, len(sys.argv) - 1)]
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        print(json.dumps(_measure(folder, plugins, seconds, is_over_http=bool(over))))


def _measure(folder: str, plugins: str, seconds: str, *, is_over_http: bool) -> Any:
    with ExitStack() as stack:

        def start(role: str, *arguments: str) -> subprocess.Popen[str]:
            process = _start(role, folder, *arguments)
            stack.callback(process.wait, timeout=20)
            stack.callback(process.terminate)
            assert process.stdin is not None
            stack.callback(process.stdin.close)  # its end also ends programs that wait for input
            return process

        Path(folder, "project").mkdir()
        server = start("server", plugins, seconds)
        _read_line(server)
        _read_line(start("plugins", plugins))
        _send_go(server)
        _read_line(server)
        driver = start("driver", plugins, seconds) if is_over_http else server
        _send_go(driver)
        _read_line(driver)
        before = _cpu(server.pid)
        result = json.loads(_read_line(driver))
        result["serverCpuMsPerAction"] = round((_cpu(server.pid) - before) * 1000 / max(1, result["actions"]), 2)
        return result


def _start(role: str, *arguments: str) -> subprocess.Popen[str]:
    profile = os.environ.get("BENCH_PROFILE")
    how = ["-m", "cProfile", "-o", profile] if profile and role == "server" else []
    command = [sys.executable, *how, "-m", "bench.bus_load", role, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _send_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _serve(folder: str, plugins: str, seconds: str) -> None:
    project, state = Path(folder, "project"), Path(folder, "state")
    flags = {"port": 0, "open_console": False}
    rig = app.Wiring().open_project(project, state, PresetAnswer("allow"), flags=flags, is_server=True)
    bus: LocalBus = rig.part("browser").bus
    await _pair(bus, folder, int(plugins))

    async def act(number: int) -> str | None:
        try:
            await bus.act(task_id(number), _CLICK)
        except Failure as failure:
            return failure.message
        return None

    async def drive() -> None:
        await asyncio.to_thread(sys.stdin.readline)
        for number in range(int(plugins)):
            await bus.takeover.select(await bus.tasks.ensure(task_id(number)), f"plugin-{number}")
        print("selected", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await _load(int(plugins), float(seconds), act)

    driving = asyncio.create_task(drive())
    await app.Wiring().serve_http(rig, lambda address, console: print("ready", flush=True), console=Path("/nowhere"))
    driving.cancel()


async def _pair(bus: LocalBus, folder: str, count: int) -> None:
    """Creates pairings as if persons had made them: each plugin has its own token."""
    pairings = Pairings(bus.plugin_records)
    clients = [f"plugin-{number}" for number in range(count)]
    tokens = {client: await pairings.pair(client, "a plugin of the bench", "") for client in clients}
    _tokens(folder).write_text(json.dumps(tokens))


async def _load(count: int, seconds: float, act: Act) -> None:
    times: list[float] = []
    errors: list[str] = []
    start = time.perf_counter() + 1

    async def one(number: int) -> None:
        for second in range(int(seconds)):
            await asyncio.sleep(max(0, start + number / count + second - time.perf_counter()))
            due = time.perf_counter()
            error = await act(number)
            times.append(time.perf_counter() - due)
            if error is not None:
                errors.append(error)

    print("begun", flush=True)
    await asyncio.gather(*map(one, range(count)))
    times.sort()
    at = {f"p{part:g}": round(times[int(len(times) * part / 100) - 1] * 1000, 1) for part in (50, 95, 99, 99.9, 100)}
    print(json.dumps({"actions": len(times), "errors": len(errors), "ms": at, "first": errors[:1]}), flush=True)


async def _run_plugins(folder: str, count: str) -> None:
    server, turn = _server(folder), asyncio.Semaphore(32)
    tokens = json.loads(_tokens(folder).read_text())
    sockets = await asyncio.gather(*(join(server, client, tokens[client], turn) for client in tokens))
    print("ready", flush=True)
    await asyncio.gather(*map(answer_actions, sockets))


async def join(server: dict[str, Any], client_id: str, token: str, turn: asyncio.Semaphore) -> ClientConnection:
    async with turn:
        address = f"ws://{server['host']}:{server['port']}/socket.io/?EIO=4&transport=websocket"
        socket = await connect(address, compression=None, ping_interval=None)
        assert (await socket.recv())[:1] == "0"
        auth = {"token": token, "clientType": "plugin", "clientId": client_id}
        await socket.send(f"40{_PREFIX}{json.dumps(auth)}")
        join = await socket.recv()
        assert str(join).startswith(f"40{_PREFIX}"), join
        return socket


async def answer_actions(socket: ClientConnection) -> None:
    """Acknowledges each action, then reports that it was carried out."""
    async for frame in socket:
        text = str(frame)
        if text == "2":
            await socket.send("3")
        elif text.startswith(f"42{_PREFIX}"):
            number, _, rest = text[len(_PREFIX) + 2 :].partition("[")
            message = json.loads(f"[{rest}")[1]
            await socket.send(f'43{_PREFIX}{number}[{{"ok":true}}]')
            same = {name: message[name] for name in ("v", "taskId", "clientId")}
            done = {"type": "browser_action_result", "actionId": message["id"], "status": "success", "result": _RESULT}
            await socket.send(f'42{_PREFIX}{number}["plugin_message",{json.dumps({**same, **done})}]')


class _Connection(asyncio.Protocol):
    """A persistent connection; its requests are answered in order."""

    def __init__(self) -> None:
        self._answered: asyncio.Future[tuple[int, bytes]] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._body = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        assert self._answered is not None
        self._answered.set_result((self._parser.get_status_code(), self._body))
        self._body = b""

    async def post(self, head: str, body: Any) -> tuple[int, bytes]:
        self._answered = asyncio.get_running_loop().create_future()
        sent = json.dumps(body)
        self._transport.write(f"{head}Content-Length: {len(sent)}\r\n\r\n{sent}".encode())
        return await self._answered


async def _drive_over_http(folder: str, plugins: str, seconds: str) -> None:
    act = await act_over_http(_server(folder), _key(folder))
    await asyncio.to_thread(sys.stdin.readline)
    await _load(int(plugins), float(seconds), act)


async def act_over_http(server: dict[str, Any], console_key: str) -> Act:
    """Each plugin's actions over a connection of its own, as a person's program requests them."""
    common = "Host: {host}:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n".format_map(
        server
    )
    common += f"X-Handrail-Console-Key: {console_key}\r\n"
    connections: dict[int, _Connection] = {}

    async def line() -> _Connection:
        return (await asyncio.get_running_loop().create_connection(_Connection, server["host"], server["port"]))[1]

    async def act(number: int) -> str | None:
        if number not in connections:
            connections[number] = await line()
        body = {"taskId": task_id(number), "actions": _CLICK}
        status, told = await connections[number].post(f"POST /api/browser/act HTTP/1.1\r\n{common}", body)
        return None if status == 200 else told.decode()

    return act


def _server(folder: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(folder, "state", "server.json").read_text())
    return content


def _tokens(folder: str) -> Path:
    return Path(folder, "tokens.json")


def _key(folder: str) -> str:
    return Path(folder, "state", "console.key").read_text().strip()


def task_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


if __name__ == "__main__":
    main()
