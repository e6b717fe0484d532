"""The cost of a request to the desktop host: health over fifty connections, compared with a bare echo server.

Host and echo server are separate processes. The client is the same for both and keeps one request pending on each
connection. The echo server returns each line.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from bench.comparison import Comparison

CONNECTIONS = 50
_ROUNDS = 9
_REQUESTS = 40


def measure() -> Sequence[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        root, state = Path(folder, "root"), Path(folder, "state")
        root.mkdir()
        host = [sys.executable, "-m", "handrail", "desktop-host", "--workspace-root", str(root), "--state", str(state)]
        echo = [sys.executable, "-m", "bench.desktop_health", f"{folder}/echo.sock"]
        with _running(host), _running(echo):
            ours, theirs = asyncio.run(_in_turns(state / "desktop.sock", Path(folder, "echo.sock"), root))
    return [Comparison(f"desktop health, {CONNECTIONS} connections", "echo over the same socket", ours, theirs, 3.0)]


@contextmanager
def _running(command: Sequence[str]) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "DISPLAY": ""})
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.terminate()
        process.communicate(timeout=20)


async def _in_turns(host: Path, echo: Path, root: Path) -> tuple[float, float]:
    """Medians of the time per request, in milliseconds."""
    meta = {"schemaVersion": 1, "requestId": "bench", "workspacePath": str(root), "timeoutMs": 20_000}
    request = {"jsonrpc": "2.0", "id": "bench", "method": "desktop.health", "params": {"meta": meta}}
    line = json.dumps(request).encode() + b"\n"
    sides = [[await _Client.open(path) for _ in range(CONNECTIONS)] for path in (host, echo)]
    while b"result" not in await sides[0][0].ask(line):
        pass
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_ROUNDS):
        for clients, samples in zip(sides, times, strict=True):
            started = time.perf_counter()
            await asyncio.gather(*(_repeat(client, line) for client in clients))
            samples.append((time.perf_counter() - started) * 1000 / (CONNECTIONS * _REQUESTS))
    return statistics.median(times[0]), statistics.median(times[1])


async def _repeat(client: "_Client", line: bytes) -> None:
    for _ in range(_REQUESTS):
        await client.ask(line)


class _Client(asyncio.Protocol):
    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._answer: asyncio.Future[bytes] | None = None

    @classmethod
    async def open(cls, path: Path) -> "_Client":
        _, client = await asyncio.get_running_loop().create_unix_connection(cls, str(path))
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\n") and self._answer is not None:
            self._answer.set_result(data)

    async def ask(self, line: bytes) -> bytes:
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(line)
        return await self._answer


class _Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


async def _serve_echo(path: str) -> None:
    server = await asyncio.get_running_loop().create_unix_server(_Echo, path)
    print("listening", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve_echo(sys.argv[1]))
